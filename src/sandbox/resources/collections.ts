/* Creates collections in the sandbox. */

import { randomInt, randomUUID } from 'node:crypto';
import { type Circumstances, type Creation, knownCustomer, type Resource } from '../creation.ts';
import {
  amount,
  type Content,
  country,
  currency,
  nested,
  oneOf,
  optional,
  plainText,
  type Reader,
  RequestRefusal,
  readObject,
  required,
  uuidText,
} from '../fields.ts';
import type { SandboxDirectory } from '../institutions/directory.ts';
import type { ModeState } from '../state.ts';

const method = oneOf('mobile_money');

const methods: Reader<string[]> = (value, field) => {
  if (!Array.isArray(value))
    throw new RequestRefusal(400, 'invalid_type', `${field} must be an array`, field);
  if (value.length !== 1)
    throw new RequestRefusal(400, 'invalid_value', `${field} must hold mobile_money only`, field);
  return value.map((entry: unknown) => method(entry, field));
};

const fields = {
  amount: required(amount),
  currency: required(currency),
  country: required(country),
  customer_id: required(uuidText),
  client_customer_id: optional(plainText),
  client_reference: required(plainText),
  source: required(nested({ source_type: required(oneOf('external')), methods: required(methods) })),
  destination: required(
    nested({ id: required(uuidText), destination_type: required(oneOf('internal_account')) }),
  ),
};

type CollectionRequest = Content<typeof fields>;

export const collections: Resource = {
  kind: 'collections',
  path: '/v1/collections',
  magicField: 'client_reference',
  create(body: unknown, circumstances: Circumstances): Creation {
    const { mode, directory, now } = circumstances;
    const request = readObject(body, fields, '');
    knownCustomer(circumstances, request.customer_id);
    checkDestination(request, mode);
    const dialCode = checkPayIn(request, directory);
    if (request.client_reference.startsWith('REFUSE-')) {
      throw new RequestRefusal(
        422,
        'collection_refused',
        'this collection is refused (magic value)',
        'client_reference',
      );
    }
    const id = randomUUID();
    const answer = {
      instruction: instructionFor(request, dialCode),
      client_reference: request.client_reference,
      transaction_id: id,
      transaction_status: 'pending',
      onramp_status: 'initialized',
      amount: request.amount,
      currency: request.currency,
      country: request.country,
    };
    const rest = {
      customer_id: request.customer_id,
      client_customer_id: request.client_customer_id,
      source: request.source,
      destination: request.destination,
      date_created: now.toISOString(),
    };
    return {
      id,
      natural: [request.client_reference],
      answer: JSON.stringify(answer),
      object: JSON.stringify({ ...answer, ...rest }),
    };
  },
};

function checkDestination(request: CollectionRequest, mode: ModeState): void {
  const owner = mode.accounts.get(request.destination.id);
  if (owner === undefined) {
    throw new RequestRefusal(404, 'account_not_found', 'there is no such account', 'destination.id');
  }
  if (owner !== request.customer_id) {
    throw new RequestRefusal(
      422,
      'account_of_other_customer',
      'the account is not this customer’s',
      'destination.id',
    );
  }
}

/** @returns the code that the payer dials */
function checkPayIn(request: CollectionRequest, directory: SandboxDirectory): string {
  const offer = directory.mobileMoneyOf(request.country);
  if (offer === undefined) {
    throw new RequestRefusal(
      422,
      'country_not_supported',
      'there is no mobile money in this country',
      'country',
    );
  }
  if (offer.currency !== request.currency) {
    throw new RequestRefusal(
      422,
      'currency_mismatch',
      `payers in ${request.country} pay in ${offer.currency}`,
      'currency',
    );
  }
  return offer.dialCode;
}

function instructionFor(request: CollectionRequest, dialCode: string): string {
  const billNumber = randomInt(100_000, 1_000_000);
  return [
    '<div class="instruction"><ol>',
    `<li>Dial <strong>${escapeHtml(dialCode)}</strong></li>`,
    '<li>Select <em>Payments</em>, then <em>Pay bill</em></li>',
    `<li>Enter the bill pay number <strong>${billNumber}</strong></li>`,
    `<li>Enter the reference number <strong>${escapeHtml(request.client_reference)}</strong></li>`,
    `<li>Enter the amount <strong>${request.currency} ${request.amount}</strong> and confirm with your PIN</li>`,
    '</ol></div>',
  ].join('');
}

function escapeHtml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
