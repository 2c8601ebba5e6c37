/* The kind `collections`: columns, rules, request and answer. */

import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import { echoesOf, readCollection, textFields } from '../answer.ts';
import { columnNames } from '../column-names.ts';
import type { FieldRule, KindDefinition, Reference, ResourceDefinition } from '../definition.ts';
import { accountHandle, customerReference, customerRules, fieldsOf } from '../shared.ts';

const rules: readonly FieldRule[] = [
  {
    field: 'client_reference',
    type: 'identifier',
    presence: 'required',
    synonyms: columnNames.clientReference,
    description: 'Your own reference, unique for each collection',
    example: 'EXAMPLE-INV-1',
  },
  {
    field: 'amount',
    type: 'amount',
    presence: 'required',
    synonyms: columnNames.amount,
    description: 'Amount to collect',
    example: '1500.00',
  },
  {
    field: 'currency',
    type: 'currency',
    presence: 'required',
    synonyms: columnNames.currency,
    description: 'Currency of the amount, ISO 4217',
    example: 'KES',
  },
  {
    field: 'country',
    type: 'country',
    presence: 'required',
    synonyms: columnNames.country,
    description: 'Country of the payer, ISO 3166-1',
    example: 'KE',
  },
  ...customerRules,
  {
    field: 'client_customer_id',
    type: 'identifier',
    presence: 'optional',
    synonyms: columnNames.clientCustomerId,
    description: 'Your own label of the customer',
    example: 'EXAMPLE-1',
  },
  {
    field: 'source_type',
    type: 'text',
    presence: 'optional',
    whenEmpty: 'external',
    seen: ['external'],
    synonyms: columnNames.sourceType,
    description: 'Where the money comes from',
    example: 'external',
  },
  {
    field: 'methods',
    type: 'list',
    presence: 'optional',
    whenEmpty: 'mobile_money',
    seen: ['mobile_money'],
    synonyms: columnNames.methods,
    description: 'Payment methods, separated by ;',
    example: 'mobile_money',
  },
  {
    field: 'destination_id',
    type: 'uuid',
    presence: 'required',
    orElse: 'destination_label',
    synonyms: columnNames.destinationId,
    description: "The receiving account's id, or give destination_label instead",
    example: '9a1d4c70-6e2f-4b8a-8f15-2c7e9b3a6d01',
  },
  {
    field: 'destination_label',
    type: 'text',
    presence: 'checked',
    synonyms: columnNames.destinationLabel,
    description: "The label of the customer's account that was imported earlier, or is imported together",
    example: 'Main account',
  },
  {
    field: 'destination_type',
    type: 'text',
    presence: 'optional',
    whenEmpty: 'internal_account',
    seen: ['internal_account'],
    synonyms: columnNames.destinationType,
    description: 'Kind of destination',
    example: 'internal_account',
  },
  {
    field: 'institution_id',
    type: 'uuid',
    presence: 'checked',
    synonyms: columnNames.institutionId,
    description: 'Institution whose limits are checked; never sent',
    example: '5d0c8e3b-71f4-4a92-b6de-0f3a9c218e47',
  },
  {
    field: 'institution_name',
    type: 'text',
    presence: 'checked',
    synonyms: columnNames.institutionName,
    description: 'Name of that institution; never sent',
    example: 'M-Pesa',
  },
];

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

/** A new pay-in has only been started. */
const usualStatuses = ['pending', 'initialized'];

/** A pay-in: the payer pays in local currency, and an account of the customer receives it. */
const collections: ResourceDefinition = {
  name: 'collections',
  kind: 'collections',
  payeeType: null,
  path: '/v1/collections',
  rules,
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
  answerFields: [
    { path: 'instruction', type: 'markup' },
    ...textFields('client_reference', 'transaction_id'),
    { path: 'transaction_status', type: 'text', usual: usualStatuses },
    { path: 'onramp_status', type: 'text', usual: usualStatuses },
    ...textFields('amount', 'currency', 'country'),
  ],
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
