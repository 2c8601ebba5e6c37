/* What the payee types of recipients have in common. */

import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import { echoesOf, readEnvelope, textFields } from '../answer.ts';
import { columnNames } from '../column-names.ts';
import type {
  AnswerField,
  Echo,
  EchoKind,
  FieldRule,
  InstitutionUse,
  PayeeFields,
  Presence,
  ResourceDefinition,
  RuleFinding,
} from '../definition.ts';
import { customerKey, customerReference, customerRules } from '../shared.ts';

type Column = Omit<FieldRule, 'presence'>;

/** The columns of recipients, in the order in which people are shown them; the payee types share them. */
const columns = [
  {
    field: 'payee_type',
    type: 'text',
    synonyms: columnNames.payeeType,
    description: 'What kind of recipient the row describes',
    example: 'sepa',
  },
  ...customerRules,
  {
    field: 'account_name',
    type: 'text',
    synonyms: columnNames.accountName,
    description: 'Name of the account holder',
    example: 'Amina Otieno',
  },
  {
    field: 'account_number',
    type: 'account_number',
    synonyms: columnNames.accountNumber,
    description: 'Account number',
    example: '0110123456789',
  },
  {
    field: 'phone_number',
    type: 'phone',
    synonyms: columnNames.phone,
    description: 'Phone number of the mobile money account, with + and country code',
    example: '+254712345678',
  },
  {
    field: 'iban',
    type: 'iban',
    synonyms: columnNames.iban,
    description: 'IBAN',
    example: 'DE89370400440532013000',
  },
  {
    field: 'routing_number',
    type: 'routing_number',
    synonyms: columnNames.routingNumber,
    description: 'ABA routing number, nine digits',
    example: '021000021',
  },
  {
    field: 'bank_name',
    type: 'text',
    synonyms: columnNames.bankName,
    description: 'Name of the bank or provider',
    example: 'Example Bank',
  },
  {
    field: 'currency',
    type: 'currency',
    synonyms: columnNames.currency,
    description: 'Currency, ISO 4217',
    example: 'EUR',
  },
  {
    field: 'account_owner_type',
    type: 'text',
    seen: ['individual'],
    synonyms: columnNames.accountOwnerType,
    description: 'Kind of account holder',
    example: 'individual',
  },
  {
    field: 'account_type',
    type: 'text',
    seen: ['savings'],
    synonyms: columnNames.accountType,
    description: 'Kind of account',
    example: 'savings',
  },
  {
    field: 'institution_id',
    type: 'uuid',
    orElse: 'institution_name',
    synonyms: columnNames.institutionId,
    description: "The institution's id, or give institution_name instead",
    example: '5d0c8e3b-71f4-4a92-b6de-0f3a9c218e47',
  },
  {
    field: 'institution_name',
    type: 'text',
    synonyms: columnNames.institutionName,
    description: "The institution's name, as the directory writes it",
    example: 'M-Pesa',
  },
  {
    field: 'institution_country',
    type: 'country',
    synonyms: columnNames.institutionCountry,
    description: 'Country of the institution, ISO 3166-1',
    example: 'KE',
  },
  {
    field: 'amount',
    type: 'amount',
    synonyms: columnNames.amount,
    description: "Amount that is meant to be paid out; checked against the institution's limits, never sent",
    example: '1500.00',
  },
  {
    field: 'address_line1',
    type: 'text',
    synonyms: columnNames.addressLine1,
    description: 'Street and number',
    example: '12 Moi Avenue',
  },
  {
    field: 'city',
    type: 'text',
    synonyms: columnNames.city,
    description: 'City',
    example: 'Nairobi',
  },
  {
    field: 'state',
    type: 'state',
    synonyms: columnNames.state,
    description: 'Subdivision code, ISO 3166-2',
    example: 'US-CA',
  },
  {
    field: 'country',
    type: 'country',
    synonyms: columnNames.country,
    description: 'Country of the address, ISO 3166-1',
    example: 'US',
  },
  {
    field: 'postal_code',
    type: 'postal_code',
    synonyms: columnNames.postalCode,
    description: 'Postal code',
    example: '94103',
  },
] as const satisfies readonly Column[];

type RecipientField = (typeof columns)[number]['field'] | 'customer_id' | 'customer_external_id';

/** A payee type's rule for a shared column: its presence, and other differences. */
type Use = Presence | ({ readonly presence: Presence } & Partial<Omit<FieldRule, 'field'>>);

/** A payee type's rule for every shared column. */
type ColumnUses = Readonly<
  Record<Exclude<RecipientField, 'payee_type' | 'customer_id' | 'customer_external_id'>, Use>
>;

/** For payee types whose request has no address. */
export const noAddress = {
  address_line1: 'not_sent',
  city: 'not_sent',
  state: 'not_sent',
  country: 'not_sent',
  postal_code: 'not_sent',
} as const satisfies Partial<ColumnUses>;

/**
 * The rules of one payee type. The customer is the same for all of them; every other column has to be
 * named, so that none is forgotten. Columns that only this payee type has are added to the result.
 */
export function recipientRules(uses: ColumnUses): readonly FieldRule[] {
  const all: Readonly<Record<string, Use>> = { ...uses, payee_type: 'required', customer_id: 'required' };
  return columns.map((column: Column) => {
    const use = all[column.field] ?? 'checked';
    return { ...column, ...(typeof use === 'string' ? { presence: use } : use) };
  });
}

/** A recipient is the same one when all of these are equal: the person, the rail, and the account. */
export function recipientKey(
  record: NormalisedRecord,
  accountField: string,
  bankField: string,
): readonly string[] {
  return [
    customerKey(record) ?? '',
    record['payee_type'] ?? '',
    record[accountField] ?? '',
    record[bankField] ?? '',
    record['currency'] ?? '',
  ];
}

type RecordChecker = NonNullable<ResourceDefinition['checkRecord']>;

/** A check that also refuses every currency but the payee type's only one. */
function withCurrency(only: string, check: RecordChecker = () => undefined): RecordChecker {
  return (record, ...row) => {
    const found = check(record, ...row);
    const { currency } = record;
    if (currency === undefined || currency === only) return found;
    const message = `${currency} does not suit ${record['payee_type']} recipients: their currency is ${only}`;
    const finding: RuleFinding = { field: 'currency', code: 'currency_mismatch', message };
    return { ...found, findings: [...(found?.findings ?? []), finding] };
  };
}

/** The properties of a payee type: its columns, its request, and the values that identify a recipient. */
interface PayeeType
  extends Pick<
    ResourceDefinition,
    | 'rules'
    | 'onlyCurrency'
    | 'onlyCountry'
    | 'institution'
    | 'checkRecord'
    | 'naturalKey'
    | 'body'
    | 'echoes'
  > {
  /** The payee's account; absent where it is not compared with known payees. */
  readonly payee?: Omit<PayeeFields, 'name'>;
  /** The API's name for it. */
  readonly payeeType: string;
}

/** A payee type with the properties that all recipients share. */
export function recipient({ payee, ...own }: PayeeType): ResourceDefinition {
  return {
    ...own,
    ...(own.onlyCurrency === undefined
      ? {}
      : { checkRecord: withCurrency(own.onlyCurrency, own.checkRecord) }),
    name: `recipients/${own.payeeType}`,
    kind: 'recipients',
    path: '/v1/external-accounts',
    ...(payee === undefined ? {} : { payee: { ...payee, name: 'account_name' } }),
    nameFields: ['account_name'],
    references: [customerReference],
    handle: () => undefined,
    readAnswer: readEnvelope,
    answerFields: recipientAnswerFields,
    ownReference: 'account_name',
  };
}

/** The fields that the answer to any recipient repeats, and those that a payee type adds. */
export function recipientEchoes(own: Readonly<Record<string, EchoKind>>): readonly Echo[] {
  return echoesOf({ customer_id: 'uuid', payee_type: 'code', currency: 'code', ...own });
}

const nullableText = (path: string): AnswerField => ({ path, type: 'text', isNullable: true });
const addressField = (name: string): AnswerField => ({
  ...nullableText(`address.${name}`),
  isOptional: true,
});

/** The specified fields of an external account, for any payee type, without mere request fields. */
const recipientAnswerFields: readonly AnswerField[] = [
  ...textFields('id', 'customer_id', 'payee_type', 'account_name'),
  nullableText('account_number'),
  // Present in mobile money records.
  { ...nullableText('phone_number'), isOptional: true },
  nullableText('account_owner_type'),
  ...textFields('currency'),
  ...['address_line1', 'address_line2', 'city', 'state', 'country', 'postal_code'].map(addressField),
  ...['iban', 'routing_number', 'institution_id'].map(nullableText),
  ...textFields('institution_name'),
  ...['institution_country_iso_code', 'institution_type'].map(nullableText),
  ...textFields('date_created'),
];

/*
 * Recipients whose account is at an institution of the directory, a bank or a mobile money provider: they name it,
 * and have neither address nor kind of account.
 */

/** The column rules that these payee types share. */
export const usesAtInstitution = {
  account_name: 'required',
  iban: 'unused',
  routing_number: 'unused',
  currency: { presence: 'required', example: 'KES' },
  account_owner_type: 'not_sent',
  account_type: 'not_sent',
  institution_id: 'required',
  institution_country: 'checked',
  amount: 'checked',
  ...noAddress,
} as const satisfies Partial<ColumnUses>;

/**
 * @param type the account number type that the institution has to have
 * @param phoneField the column of a phone number, which is of the institution's country; null where there is none
 */
export function institutionOfType(type: 'bank' | 'mobile_money', phoneField: string | null): InstitutionUse {
  return {
    suits: () => type,
    countryFields: ['institution_country', ...(phoneField === null ? [] : [phoneField])],
    orCustomersCountry: true,
    phoneField,
    fills: { id: 'institution_id', name: 'bank_name' },
  };
}

/** The request names the institution by its id, and the answer by its name too. */
export function echoesAtInstitution(own: Readonly<Record<string, EchoKind>>): readonly Echo[] {
  return [
    ...recipientEchoes({ ...own, institution_id: 'uuid' }),
    { field: 'institution_name', as: 'name', institutionIn: 'institution_id' },
  ];
}
