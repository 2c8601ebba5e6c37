/* What several kinds share: how a row names its customer, and how a request's body is made. */

import type { NormalisedRecord } from '../domain/rows/ledger-row.ts';
import { columnNames } from './column-names.ts';
import type { FieldRule, Reference } from './definition.ts';

/** The two columns that name the customer of a row; either one is enough. */
export const customerRules: readonly FieldRule[] = [
  {
    field: 'customer_id',
    type: 'uuid',
    presence: 'required',
    orElse: 'customer_external_id',
    synonyms: columnNames.customerId,
    description: "The customer's id at the API, or give customer_external_id instead",
    example: '3f2b6c1e-8a57-4d0b-9c36-5b1f0e7a2d94',
  },
  {
    field: 'customer_external_id',
    type: 'identifier',
    presence: 'checked',
    synonyms: columnNames.customerExternalId,
    description: 'The external_id of a customer that was imported earlier, or is imported together',
    example: 'EXAMPLE-1',
  },
];

export const customerReference: Reference = {
  kind: 'customers',
  fills: 'customer_id',
  field: 'customer_external_id',
  unknownCode: 'customer_unknown',
  handle: (record) => record['customer_external_id'],
};

/** The customer in keys and handles: the id, or the external id until the id is known. */
export function customerKey(record: NormalisedRecord): string | undefined {
  const { customer_id: id, customer_external_id: externalId } = record;
  if (id !== undefined) return id;
  return externalId === undefined ? undefined : `external:${externalId}`;
}

/** The name by which rows refer to an account: its label is unique only within its customer. */
export function accountHandle(record: NormalisedRecord, label: string | undefined): string | undefined {
  const customer = customerKey(record);
  return customer === undefined || label === undefined ? undefined : JSON.stringify([customer, label]);
}

/**
 * The named fields that have a value, in that order. Empty fields are left out of a request: neither an empty
 * string nor null is sent, although an address's second line and state may be null, since leaving them
 * out means the same without relying on how null is read.
 */
export function fieldsOf(record: NormalisedRecord, fields: readonly string[]): Record<string, string> {
  const body: Record<string, string> = {};
  for (const field of fields) {
    const value = record[field];
    if (value !== undefined && value !== '') body[field] = value;
  }
  return body;
}

/** The nested address, or nothing at all when none of its fields has a value. */
export function addressOf(
  record: NormalisedRecord,
  fields: readonly string[],
): { readonly address?: Record<string, string> } {
  const address = fieldsOf(record, fields);
  return Object.keys(address).length === 0 ? {} : { address };
}
