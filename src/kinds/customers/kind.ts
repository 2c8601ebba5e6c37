/* The kind `customers`: columns, rules, request and answer. */

import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import { echoesOf, readCustomer } from '../answer.ts';
import { columnNames } from '../column-names.ts';
import type { FieldRule, KindDefinition, ResourceDefinition } from '../definition.ts';
import { addressOf, fieldsOf } from '../shared.ts';

const addressFields = ['address_line1', 'address_line2', 'city', 'state', 'country', 'postal_code'] as const;

const rules: readonly FieldRule[] = [
  {
    field: 'external_id',
    type: 'identifier',
    presence: 'optional',
    synonyms: columnNames.externalId,
    description: 'Your own id of the customer; later rows may refer to it',
    example: 'EXAMPLE-1',
  },
  {
    field: 'first_name',
    type: 'text',
    presence: 'required',
    synonyms: columnNames.firstName,
    description: 'First name',
    example: 'Amina',
  },
  {
    field: 'middle_name',
    type: 'text',
    presence: 'optional',
    synonyms: columnNames.middleName,
    description: 'Middle name',
    example: 'Wanjiru',
  },
  {
    field: 'last_name',
    type: 'text',
    presence: 'required',
    synonyms: columnNames.lastName,
    description: 'Last name',
    example: 'Otieno',
  },
  {
    field: 'email',
    type: 'email',
    presence: 'optional',
    synonyms: columnNames.email,
    description: 'One e-mail address',
    example: 'amina@example.com',
  },
  {
    field: 'phone',
    type: 'phone',
    presence: 'optional',
    synonyms: columnNames.phone,
    description: 'Phone number with + and country code',
    example: '+254712345678',
  },
  {
    field: 'type',
    type: 'text',
    presence: 'optional',
    whenEmpty: 'individual',
    seen: ['individual'],
    synonyms: columnNames.customerType,
    description: 'Kind of customer',
    example: 'individual',
  },
  {
    field: 'gender',
    type: 'text',
    presence: 'optional',
    seen: ['male'],
    synonyms: columnNames.gender,
    description: 'Gender',
    example: 'male',
  },
  {
    field: 'date_of_birth',
    type: 'birth_date',
    presence: 'optional',
    synonyms: columnNames.dateOfBirth,
    description: 'Date of birth, YYYY-MM-DD',
    example: '1990-01-31',
  },
  {
    field: 'address_line1',
    type: 'text',
    presence: 'optional',
    synonyms: columnNames.addressLine1,
    description: 'Street and number',
    example: '12 Moi Avenue',
  },
  {
    field: 'address_line2',
    type: 'text',
    presence: 'optional',
    synonyms: columnNames.addressLine2,
    description: 'Second line of the address',
    example: 'Floor 3',
  },
  {
    field: 'city',
    type: 'text',
    presence: 'optional',
    synonyms: columnNames.city,
    description: 'City',
    example: 'Nairobi',
  },
  {
    field: 'state',
    type: 'state',
    presence: 'optional',
    synonyms: columnNames.state,
    description: 'Subdivision code, ISO 3166-2',
    example: 'KE-30',
  },
  {
    field: 'country',
    type: 'country',
    presence: 'optional',
    requiredWith: addressFields,
    synonyms: columnNames.country,
    description: 'Country of the address, ISO 3166-1',
    example: 'KE',
  },
  {
    field: 'postal_code',
    type: 'postal_code',
    presence: 'optional',
    synonyms: columnNames.postalCode,
    description: 'Postal code',
    example: '00100',
  },
];

/** Names as people compare them; the request sends them as written. */
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

/** A person that accounts, recipients and collections belong to. */
export const customers: ResourceDefinition = {
  name: 'customers',
  kind: 'customers',
  payeeType: null,
  path: '/v1/customers',
  rules,
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
  // The answer is not specified: missing fields show nothing, but another customer's answer is recognised.
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
