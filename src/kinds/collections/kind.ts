/* The kind `collections`: columns, rules, request and answer. */

import { readFileSync } from 'node:fs';
import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import { readCollection } from '../answer.ts';
import type { KindDefinition, Reference, ResourceDefinition } from '../definition.ts';
import { accountHandle, columnsIn, customerReference, echoesOf, fieldsOf } from '../definition-parts.ts';

const destinationReference: Reference = {
  kind: 'accounts',
  fills: 'destination_id',
  field: 'destination_label',
  unknownCode: 'account_unknown',
  handle: (record) => accountHandle(record, record['destination_label']),
};

function methodsOf(record: NormalisedRecord): readonly string[] {
  return (record['methods'] ?? '').split(';');
}

/** A pay-in: the payer pays in local currency, and an account of the customer receives the payment. */
const collections: ResourceDefinition = {
  name: 'collections',
  kind: 'collections',
  payeeType: null,
  path: '/v1/collections',
  rules: columnsIn(readFileSync(new URL('./columns.json', import.meta.url), 'utf8')),
  references: [customerReference, destinationReference],
  institution: {
    suits: (record) => (methodsOf(record).includes('mobile_money') ? 'mobile_money' : 'any'),
    countryFields: ['country'],
    orCustomersCountry: false,
    phoneField: null,
    fills: null,
  },
  naturalKey: (record) => [record['client_reference'] ?? ''],
  handle: () => undefined,
  body: (record) => ({
    ...fieldsOf(record, [
      'amount',
      'currency',
      'country',
      'customer_id',
      'client_customer_id',
      'client_reference',
    ]),
    source: { ...fieldsOf(record, ['source_type']), methods: methodsOf(record) },
    destination: {
      ...(record['destination_id'] === undefined ? {} : { id: record['destination_id'] }),
      ...fieldsOf(record, ['destination_type']),
    },
  }),
  readAnswer: readCollection,
  echoes: echoesOf({ client_reference: 'text', amount: 'amount', currency: 'code', country: 'code' }),
  // A new pay-in has only been started, so any other status gets a note.
  answerFields: JSON.parse(readFileSync(new URL('./answer.json', import.meta.url), 'utf8')),
  ownReference: 'client_reference',
};

export const collectionsKind: KindDefinition = {
  name: 'collections',
  singular: 'collection',
  label: 'Collections',
  whatWasDone: 'Collections requested; nothing is collected before the payers pay',
  referenceField: 'client_reference',
  definitions: [collections],
};
