/* Creates customers in the sandbox. */

import { randomUUID } from 'node:crypto';
import type { Circumstances, Creation, CustomerAnswer, Resource } from '../creation.ts';
import {
  addressFields,
  type Content,
  country,
  date,
  email,
  nested,
  oneOf,
  optional,
  phone,
  plainText,
  RequestRefusal,
  readObject,
  required,
  requireStateOfCountry,
  wordText,
} from '../fields.ts';

const fields = {
  first_name: required(plainText),
  middle_name: optional(plainText),
  last_name: required(plainText),
  email: optional(email),
  phone: optional(phone),
  type: optional(oneOf('individual')),
  gender: optional(wordText),
  date_of_birth: optional(date),
  external_id: optional(plainText),
  address: optional(
    nested({
      address_line1: optional(plainText),
      address_line2: addressFields.address_line2,
      city: optional(plainText),
      state: addressFields.state,
      country: required(country),
      postal_code: optional(plainText),
    }),
  ),
};

export const customersResource: Resource = {
  kind: 'customers',
  path: '/v1/customers',
  magicField: 'last_name',
  create(body: unknown, { now, kyc, customerAnswer }: Circumstances): Creation {
    const request = readObject(body, fields, '');
    check(request, now);
    const id = randomUUID();
    const kycStatus = kyc === 'required' || request.last_name === 'Unverified' ? 'pending' : 'passed';
    const object = { id, ...request, kyc_status: kycStatus, date_created: now.toISOString() };
    return {
      id,
      natural: naturalOf(request),
      answer: answered(object, customerAnswer),
      object: JSON.stringify(object),
      kyc: kycStatus,
    };
  },
};

function check(request: Content<typeof fields>, now: Date): void {
  if (request.address) requireStateOfCountry(request.address);
  if (request.date_of_birth !== undefined && request.date_of_birth > now.toISOString().slice(0, 10)) {
    throw new RequestRefusal(422, 'date_in_future', 'date_of_birth lies in the future', 'date_of_birth');
  }
  if (request.last_name === 'Refused') {
    throw new RequestRefusal(422, 'customer_refused', 'this customer is refused (magic value)', 'last_name');
  }
}

function naturalOf(request: Content<typeof fields>): (string | undefined)[] {
  if (request.external_id !== undefined) return ['external_id', request.external_id];
  if (request.email !== undefined) return ['email', request.email.toLowerCase()];
  if (request.phone !== undefined) return ['phone', request.phone];
  return ['name', request.first_name, request.middle_name, request.last_name, request.date_of_birth];
}

function answered(object: object, shape: CustomerAnswer): string {
  if (shape === 'bare') return JSON.stringify(object);
  if (shape === 'nested') return JSON.stringify({ customer: object });
  return JSON.stringify({ data: object, error: null });
}
