/* The kind `customers`: columns, rules, request and answer. */

import { readFileSync } from 'node:fs';
import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import { readCustomer } from '../answer.ts';
import type { KindDefinition, ResourceDefinition } from '../definition.ts';
import { addressOf, columnsIn, echoesOf, fieldsOf } from '../definition-parts.ts';

const addressFields = ['address_line1', 'address_line2', 'city', 'state', 'country', 'postal_code'] as const;

/** A name in the form for comparison. The request contains the name as written. */
function comparable(name: string | undefined): string {
  return (name ?? '').toLowerCase().replace(/\s+/g, ' ');
}

function naturalKey(record: NormalisedRecord): readonly string[] {
  const { external_id: externalId, email, phone } = record;
  if (externalId !== undefined) return ['external_id', externalId];
  if (email !== undefined) return ['email', email.toLowerCase()];
  if (phone !== undefined) return ['phone', phone];
  const names = ['first_name', 'middle_name', 'last_name'].map((field) => comparable(record[field]));
  return ['name', ...names, record['date_of_birth'] ?? ''];
}

/** A person to whom accounts, recipients and collections belong. */
export const customers: ResourceDefinition = {
  name: 'customers',
  kind: 'customers',
  payeeType: null,
  path: '/v1/customers',
  rules: columnsIn(readFileSync(new URL('./columns.json', import.meta.url), 'utf8')),
  references: [],
  institution: null,
  naturalKey,
  handle: (record) => record['external_id'],
  body: (record) => ({
    ...fieldsOf(record, [
      'first_name',
      'middle_name',
      'last_name',
      'email',
      'phone',
      'type',
      'gender',
      'date_of_birth',
      'external_id',
    ]),
    ...addressOf(record, addressFields),
  }),
  nameFields: ['first_name', 'middle_name', 'last_name'],
  readAnswer: readCustomer,
  // The answer is not specified. Missing fields prove nothing, but an answer about another customer is recognised.
  echoes: echoesOf({ external_id: 'text', email: 'text', phone: 'phone' }),
  answerFields: [],
  ownReference: 'external_id',
};

export const customersKind: KindDefinition = {
  name: 'customers',
  singular: 'customer',
  label: 'Customers',
  whatWasDone: 'Customers created; no money was moved',
  referenceField: 'external_id',
  definitions: [customers],
};
