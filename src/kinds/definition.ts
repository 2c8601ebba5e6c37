/* The properties that each kind and each payee type defines. */

import type { Kind } from '../domain/batches/batch.ts';
import type { NormalisedRecord } from '../domain/rows/ledger-row.ts';
import type { FieldPart, Message } from '../domain/settings/message.ts';
import type { FindingCode } from './fields/finding-codes.ts';
import type { Synonyms } from './words-of-files.ts';

/** The type of a field. It determines how a value is checked and converted into its canonical form. */
export type FieldType =
  | 'text'
  | 'list'
  | 'identifier'
  | 'postal_code'
  | 'account_number'
  | 'email'
  | 'phone'
  | 'birth_date'
  | 'country'
  | 'state'
  | 'currency'
  | 'uuid'
  | 'amount'
  | 'iban'
  | 'routing_number'
  | 'us_account_number';

/**
 * Whether a value is required, and how it is used. `required` and `optional` values are part of the request. `checked`
 * values are used in a check and never sent. `not_sent` values only describe the row, and get a note. `unused` values would
 * identify another person, and are a finding.
 */
export type Presence = 'required' | 'optional' | 'checked' | 'not_sent' | 'unused';

/** One rule of a kind or payee type, about one column. */
export interface FieldRule {
  readonly field: string;
  readonly type: FieldType;
  readonly presence: Presence;
  /** The meaning of an empty value. */
  readonly whenEmpty?: string;
  /** Another column that may be filled in instead of this required one. */
  readonly orElse?: string;
  /** The value is required if any of these columns is filled in. */
  readonly requiredWith?: readonly string[];
  /** The values in the API's specification, for an open set. Other values get a note. */
  readonly seen?: readonly string[];
  /** All values of a closed set. Other values are refused. */
  readonly allowed?: readonly string[];
  /** The names that other people give the column, for proposing a mapping. */
  readonly synonyms?: Synonyms;
  /** A description of the column's content for people, for templates and documentation. */
  readonly description: string;
  readonly example: string;
}

/** Whether the field's values are part of the request, or of a check. */
export function isUsed({ presence }: FieldRule): boolean {
  return presence !== 'unused' && presence !== 'not_sent';
}

/** An object that this ledger knows, or that is in the same import; `id` is null until the object is created. */
export interface KnownObject {
  readonly id: string | null;
  /** A customer's country, if it is known. It may determine an institution's country. */
  readonly country: string | null;
}

/**
 * A value that names another paybatch object. It has to be replaced by that object's id before the request can be written.
 * References are resolved in the order of the definition's list.
 */
export interface Reference {
  readonly kind: Kind;
  /** The field that receives the id. */
  readonly fills: string;
  /** The column of the finding if the object does not exist. */
  readonly field: string;
  /** The code of the finding if the object does not exist. */
  readonly unknownCode: FindingCode;
  /** The handle of the other object; undefined if the row already has its id. */
  readonly handle: (record: NormalisedRecord) => string | undefined;
}

/** The content of a 2xx answer of the API, read from its JSON. */
export interface AnswerReading {
  /** The id of the created object; undefined if the answer has none at the expected place. */
  readonly id: string | undefined;
  /** The JSON of the object, which contains its id; undefined without an id. */
  readonly object: unknown;
}

/** Settings for reading answers, about points that the API's specification does not define. */
export interface AnswerSettings {
  /** Dotted paths at which a customer's id may be, tried in order. */
  readonly customerIdPaths: readonly string[];
}

/**
 * How a repeated value is compared and shown.
 * - `amount` is compared by its value.
 * - `code` (a currency, a type) is compared without regard to case.
 * - `uuid`, `account` and `phone` are compared without regard to case and to the signs that group them.
 * - `text` is compared without regard to case and to the number of blanks.
 * - `name` of a person or an institution is compared without regard to case, accents, blanks and punctuation.
 * Amounts, codes, UUIDs, and names without digits are shown. Of other values only the end is shown.
 */
export type EchoKind = 'amount' | 'code' | 'uuid' | 'account' | 'phone' | 'text' | 'name';

/** A field of the request that the answer may repeat under its own name. */
export interface Echo {
  readonly field: string;
  readonly as: EchoKind;
  /** The request's field with an institution's id, if the answer's field is the institution's name. */
  readonly institutionIn?: string;
}

/** The name in the API's list for an institution's id (in upper or lower case); undefined if it is not known. */
export type InstitutionName = (id: string) => string | undefined;

/** A field in the answer about a kind of object, according to the specification. */
export interface AnswerField {
  /** Its name, with a dot before the name in an inner object, and `[]` after the name of a list: `assets[].symbol`. */
  readonly path: string;
  readonly type: 'text' | 'integer' | 'markup';
  /** Whether the specification allows `null` for it, or for an object that contains it. */
  readonly isNullable?: boolean;
  /** Whether only some of these objects have it, according to the specification. */
  readonly isOptional?: boolean;
  /** Values that need no note. Any other value gets a note. */
  readonly usual?: readonly string[];
}

type RequestBody = Readonly<Record<string, unknown>>;

/** The institution named by a definition's rows, and its requirements. */
export interface InstitutionUse {
  /** The matching type of account number: a bank, any mobile money provider, or the type for the row's method. */
  readonly suits: (record: NormalisedRecord) => 'bank' | 'mobile_money' | 'any';
  /** The columns that determine the institution's country: codes or phone numbers. The first filled column counts. */
  readonly countryFields: readonly string[];
  /** Whether the customer's country is used if none of those columns is filled in. */
  readonly orCustomersCountry: boolean;
  /** The column with a phone number that must belong to the institution's country. */
  readonly phoneField: string | null;
  /** The columns that receive the institution's id and, if they are empty, its name. */
  readonly fills: { readonly id: string; readonly name: string } | null;
}

/** A finding about several fields, before its column's title is added. */
export interface RuleFinding {
  readonly field: string;
  readonly code: FindingCode;
  readonly message: Message;
}

/** The result of a check of several fields: findings, notes, and values that follow from other values. */
export interface RecordCheck {
  readonly findings?: readonly RuleFinding[];
  readonly notes?: readonly string[];
  readonly fills?: NormalisedRecord;
}

/** The titles of columns in the file, for texts that mention another column. */
export interface ColumnTitles {
  /** The field's own name if the file has no such column. */
  readonly of: (field: string) => string;
  /** The same, as a part of a message. */
  readonly named: (field: string) => string | FieldPart;
}

/** @param byField the title of each field for which the file has a column */
export function columnTitles(byField: ReadonlyMap<string | undefined, string>): ColumnTitles {
  return {
    of: (field) => byField.get(field) ?? field,
    named: (field) => byField.get(field) ?? { field },
  };
}

/** Reads a phone number in the form of the file. Returns `+` and digits; undefined for any other value. */
export type PhoneReading = (text: string) => string | undefined;

/** A kind of object that can be imported, with all its properties and its payee types. */
export interface KindDefinition {
  /** In the plural, as in options and files: `customers`. Sheets may have this name too. */
  readonly name: string;
  /** In the singular, for sentences: `customer`. Sheets may have this name too. */
  readonly singular: string;
  /** For headings: `Customers`. */
  readonly label: string;
  /** A headline about the effect of created rows, and whether money was moved. */
  readonly whatWasDone: string;
  /** The field with paybatch's own reference, which answers and exports repeat; null if there is none. */
  readonly referenceField: string | null;
  /** One definition, or one for each payee type. */
  readonly definitions: readonly [ResourceDefinition, ...ResourceDefinition[]];
}

/** The fields that identify the payee and the account. */
export interface PayeeFields {
  readonly name: string;
  /** The field of an account number, IBAN or phone number. */
  readonly account: string;
  /** The field with the institution's name at the API; null if the account alone is enough. */
  readonly institution: string | null;
  /** Whether the account belongs to one person, whatever the institution is. This is true for a phone number. */
  readonly isAccountUnique: boolean;
}

/** How the rows of a kind, or of one of its payee types, are checked, sent and answered. */
export interface ResourceDefinition {
  /** Unique: the kind, or `recipients/PAYEE_TYPE`. */
  readonly name: string;
  readonly kind: Kind;
  readonly payeeType: string | null;
  /** The only currency of its rows, ISO 4217; absent if any currency is possible. */
  readonly onlyCurrency?: string;
  /** The country of all its rows, ISO 3166-1; absent if any country is possible. */
  readonly onlyCountry?: string;
  /** Path of the POST request that creates an object, relative to the API's base address. */
  readonly path: string;
  readonly rules: readonly FieldRule[];
  readonly references: readonly Reference[];
  readonly institution: InstitutionUse | null;
  /**
   * A check of several fields of a record. It gets only fields that passed their own checks, and runs before references are
   * looked up. Results about a field that has a finding already are ignored.
   */
  readonly checkRecord?: (
    record: NormalisedRecord,
    titles: ColumnTitles,
    readPhone: PhoneReading,
  ) => RecordCheck | undefined;
  /**
   * The fields that identify the payee's account of a row, for comparison with known payees; absent if a kind has no payees.
   */
  readonly payee?: PayeeFields;
  /** The fields of the request that together are a person's name; absent if there are none. */
  readonly nameFields?: readonly string[];
  /** The values that identify the object in the real world. */
  readonly naturalKey: (record: NormalisedRecord) => readonly string[];
  /** The name by which later rows may refer to the object; undefined if it has none. */
  readonly handle: (record: NormalisedRecord) => string | undefined;
  /** The request's body: exactly the fields of the API's specification, in that order. */
  readonly body: (record: NormalisedRecord) => RequestBody;
  readonly readAnswer: (json: unknown, settings: AnswerSettings) => AnswerReading;
  /**
   * The fields that an answer must not contradict. A contradicting answer belongs to another request, or the API is wrong.
   */
  readonly echoes: readonly Echo[];
  /** The fields of the answer in the specification, in its order; empty if the specification shows none. */
  readonly answerFields: readonly AnswerField[];
  /**
   * The field by which people recognise a row: its external id, label, client reference or account name; the same for a
   * kind.
   */
  readonly ownReference: string;
}
