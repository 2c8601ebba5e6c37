/* The common parts of the payee types of recipients. */

import { readFileSync } from 'node:fs';
import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import { say } from '../../domain/settings/message.ts';
import { readEnvelope } from '../answer.ts';
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
import {
  accountKey,
  type Column,
  columnsIn,
  customerKey,
  customerReference,
  echoesOf,
} from '../definition-parts.ts';
import { plainValue } from '../fields/value-text.ts';

/** The columns of recipients, in the order in which people see them. The payee types share them. */
const columns = columnsIn<Column>(readFileSync(new URL('./columns.json', import.meta.url), 'utf8'));

/** A payee type's rule for a shared column: its presence, and other differences. */
type Use = Presence | ({ readonly presence: Presence } & Partial<Omit<FieldRule, 'field'>>);

/** A payee type's rule for every shared column, by its name. */
type ColumnUses = Readonly<Record<string, Use>>;

/** The rules for payee types whose request has no address. */
export const noAddress = {
  address_line1: 'not_sent',
  city: 'not_sent',
  state: 'not_sent',
  country: 'not_sent',
  postal_code: 'not_sent',
} as const satisfies ColumnUses;

/**
 * The rules of one payee type. The customer has the same rules for all of them. Every other column has to be named, so that
 * none is forgotten. Columns that only this payee type has are added to the result.
 * @throws Error for a column that is not named, or that does not exist
 */
export function recipientRules(uses: ColumnUses): readonly FieldRule[] {
  const always = {
    payee_type: 'required',
    customer_id: 'required',
    customer_external_id: 'checked',
  } as const;
  const all: ColumnUses = { ...uses, ...always };
  const unknown = Object.keys(all).find((field) => columns.every((column) => column.field !== field));
  if (unknown !== undefined) throw new Error(`recipients have no column ${unknown}`);
  return columns.map((column) => {
    const use = all[column.field];
    if (use === undefined) throw new Error(`a payee type does not say how it uses ${column.field}`);
    return { ...column, ...(typeof use === 'string' ? { presence: use } : use) };
  });
}

/** Two recipients are the same if all of these values are equal: the person, the rail, and the account. */
export function recipientKey(
  record: NormalisedRecord,
  accountField: string,
  bankField: string,
): readonly string[] {
  return [
    customerKey(record) ?? '',
    record['payee_type'] ?? '',
    accountKey(record[accountField] ?? ''),
    record[bankField] ?? '',
    record['currency'] ?? '',
  ];
}

type RecordChecker = NonNullable<ResourceDefinition['checkRecord']>;

/** A check that also refuses every currency except the payee type's only one. */
function withCurrency(only: string, check: RecordChecker = () => undefined): RecordChecker {
  return (record, ...row) => {
    const found = check(record, ...row);
    const { currency } = record;
    if (currency === undefined || currency === only) return found;
    const message = say`${plainValue(currency)} does not suit ${record['payee_type'] ?? ''} recipients: their currency is ${only}`;
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
  /** The payee's account; absent if it is not compared with known payees. */
  readonly payee?: Omit<PayeeFields, 'name'>;
  /** The API's name of the payee type. */
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

/** The fields that the answer to any recipient repeats, and additional fields of a payee type. */
export function recipientEchoes(own: Readonly<Record<string, EchoKind>>): readonly Echo[] {
  return echoesOf({ customer_id: 'uuid', payee_type: 'code', currency: 'code', ...own });
}

/**
 * The fields of an external account in the specification, for any payee type, without fields that occur only in requests.
 * Records of mobile money have a phone number.
 */
const recipientAnswerFields: readonly AnswerField[] = JSON.parse(
  readFileSync(new URL('./answer.json', import.meta.url), 'utf8'),
);

/*
 * Recipients with an account at an institution of the directory (a bank or a mobile money provider). They name the
 * institution, and have neither an address nor a kind of account.
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
} as const satisfies ColumnUses;

/**
 * @param type the account number type that the institution must have
 * @param phoneField the column with a phone number, which belongs to the institution's country; null if there is none
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

/** The request contains the institution's id. The answer also contains its name. */
export function echoesAtInstitution(own: Readonly<Record<string, EchoKind>>): readonly Echo[] {
  return [
    ...recipientEchoes({ ...own, institution_id: 'uuid' }),
    { field: 'institution_name', as: 'name', institutionIn: 'institution_id' },
  ];
}
