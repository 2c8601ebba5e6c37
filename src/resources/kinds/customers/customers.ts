import type { NormalisedRecord } from '../../../domain/record.ts';
import { readCustomer } from '../../answer.ts';
import type { FieldRule, ResourceDefinition } from '../../definition.ts';
import { echoesOf } from '../../echo.ts';
import { addressOf, fieldsOf } from '../../request-body.ts';

const addressFields = ['address_line1', 'address_line2', 'city', 'state', 'country', 'postal_code'] as const;

const rules: readonly FieldRule[] = [
  {
    field: 'external_id',
    type: 'identifier',
    presence: 'optional',
    synonyms: [
      'customer ref',
      'customer reference',
      'client ref',
      'client id',
      'client no',
      'customer no',
      'customer number',
      'customer code',
      'customer external id',
      'external ref',
      'reference',
      'ref',
      'member no',
      'member id',
      'id',
    ],
    description: 'Your own id of the customer; later rows may refer to it',
    example: 'EXAMPLE-1',
  },
  {
    field: 'first_name',
    type: 'text',
    presence: 'required',
    synonyms: ['given name', 'forename', 'first', 'fname', 'name first'],
    description: 'First name',
    example: 'Amina',
  },
  {
    field: 'middle_name',
    type: 'text',
    presence: 'optional',
    synonyms: ['middle', 'second name', 'other name', 'other names', 'mname'],
    description: 'Middle name',
    example: 'Wanjiru',
  },
  {
    field: 'last_name',
    type: 'text',
    presence: 'required',
    synonyms: ['surname', 'family name', 'last', 'lname', 'name last'],
    description: 'Last name',
    example: 'Otieno',
  },
  {
    field: 'email',
    type: 'email',
    presence: 'optional',
    synonyms: ['mail', 'email address', 'mail address'],
    description: 'One e-mail address',
    example: 'amina@example.com',
  },
  {
    field: 'phone',
    type: 'phone',
    presence: 'optional',
    synonyms: [
      'mobile',
      'msisdn',
      'phone number',
      'phone no',
      'mobile number',
      'mobile no',
      'mobile phone',
      'tel',
      'tel no',
      'telephone',
      'telephone number',
      'cell',
      'cell phone',
      'contact number',
    ],
    description: 'Phone number with + and country code',
    example: '+254712345678',
  },
  {
    field: 'type',
    type: 'text',
    presence: 'optional',
    whenEmpty: 'individual',
    seen: ['individual'],
    synonyms: ['customer type', 'client type'],
    description: 'Kind of customer',
    example: 'individual',
  },
  {
    field: 'gender',
    type: 'text',
    presence: 'optional',
    seen: ['male'],
    synonyms: ['sex'],
    description: 'Gender',
    example: 'male',
  },
  {
    field: 'date_of_birth',
    type: 'birth_date',
    presence: 'optional',
    synonyms: ['dob', 'birth date', 'birthdate', 'birthday', 'date of birth', 'born'],
    description: 'Date of birth, YYYY-MM-DD',
    example: '1990-01-31',
  },
  {
    field: 'address_line1',
    type: 'text',
    presence: 'optional',
    synonyms: ['address', 'address 1', 'street', 'street address', 'address line'],
    description: 'Street and number',
    example: '12 Moi Avenue',
  },
  {
    field: 'address_line2',
    type: 'text',
    presence: 'optional',
    synonyms: ['address 2', 'street 2', 'apartment', 'unit'],
    description: 'Second line of the address',
    example: 'Floor 3',
  },
  {
    field: 'city',
    type: 'text',
    presence: 'optional',
    synonyms: ['town', 'city town', 'locality'],
    description: 'City',
    example: 'Nairobi',
  },
  {
    field: 'state',
    type: 'state',
    presence: 'optional',
    synonyms: ['province', 'region', 'county', 'state province', 'subdivision'],
    description: 'Subdivision code, ISO 3166-2',
    example: 'KE-30',
  },
  {
    field: 'country',
    type: 'country',
    presence: 'optional',
    requiredWith: addressFields,
    synonyms: ['country code', 'country iso', 'iso country', 'country of residence'],
    description: 'Country of the address, ISO 3166-1',
    example: 'KE',
  },
  {
    field: 'postal_code',
    type: 'identifier',
    presence: 'optional',
    synonyms: ['zip', 'zip code', 'postcode', 'post code', 'postal', 'po code', 'zip postal code'],
    description: 'Postal code',
    example: '00100',
  },
];

/** Names as people compare them; the request sends them as they were written. */
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
  readAnswer: readCustomer,
  // The answer is not specified: what it leaves out says nothing, but another customer's answer shows.
  echoes: echoesOf({ external_id: 'text', email: 'text', phone: 'phone' }),
  answerFields: [],
  ownReference: 'external_id',
};
