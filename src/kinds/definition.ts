/* What a kind or payee type states of itself. */

import type { Kind } from '../domain/batches/batch.ts';
import type { NormalisedRecord } from '../domain/rows/ledger-row.ts';
import type { FieldPart, Message } from '../domain/settings/message.ts';
import type { FindingCode } from './fields/finding-codes.ts';
import type { Synonyms } from './words-of-files.ts';

/** How a value is checked and brought into its canonical form. */
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
 * Whether a value is required, and how it is used. `required` and `optional` values are part of the
 * request; `checked` ones are used in a check and never sent; `not_sent` ones only describe (a value gets a
 * note); `unused` ones would identify another person (a value is a finding).
 */
export type Presence = 'required' | 'optional' | 'checked' | 'not_sent' | 'unused';

/** One line of a kind's or payee type's table of rules. */
export interface FieldRule {
  readonly field: string;
  readonly type: FieldType;
  readonly presence: Presence;
  /** The meaning of an empty value. */
  readonly whenEmpty?: string;
  /** Another column that may be filled in instead of this required one. */
  readonly orElse?: string;
  /** The value is required once any of these columns is filled in. */
  readonly requiredWith?: readonly string[];
  /** The values that the API's specification shows, in an open set: others get a note. */
  readonly seen?: readonly string[];
  /** All values of a closed set: others are refused. */
  readonly allowed?: readonly string[];
  /** What others call the column, for proposing a mapping. */
  readonly synonyms?: Synonyms;
  /** For people: the content of the column, for templates and documentation. */
  readonly description: string;
  readonly example: string;
}

/** Whether the field's values are part of the request, or of a check. */
export function isUsed({ presence }: FieldRule): boolean {
  return presence !== 'unused' && presence !== 'not_sent';
}

/** An object that this ledger knows, or that is in the same import; `id` is null until it is created. */
export interface KnownObject {
  readonly id: string | null;
  /** A customer's country, where known: it may determine an institution's. */
  readonly country: string | null;
}

/**
 * A value that names another paybatch object and has to become that object's id before the request
 * can be written. References are resolved in the order in which a definition lists them.
 */
export interface Reference {
  readonly kind: Kind;
  /** The field that receives the id. */
  readonly fills: string;
  /** The column that gets the finding when the object does not exist. */
  readonly field: string;
  /** The finding's code when the object does not exist. */
  readonly unknownCode: FindingCode;
  /** The handle under which the other object is known, or undefined when the row has the id itself. */
  readonly handle: (record: NormalisedRecord) => string | undefined;
}

/** The content of a 2xx answer of the API, read from its JSON. */
export interface AnswerReading {
  /** The id of the created object; undefined when the answer does not have one in the expected place. */
  readonly id: string | undefined;
  /** What the answer says about the object: the JSON that contains its id; undefined without an id. */
  readonly object: unknown;
}

/** Settings of the reading that the API's specification leaves open. */
export interface AnswerSettings {
  /** Dotted paths at which a customer's id may be, tried in order. */
  readonly customerIdPaths: readonly string[];
}

/**
 * How a repeated value is compared and shown. `amount` by its value; `code` (a currency, a type) without
 * regard to case; `uuid`, `account` and `phone` without regard to case and the signs that group them; `text`
 * without regard to case and the number of blanks; the `name` of a person or an institution without regard to
 * case, accents, blanks and punctuation. Amounts, codes and UUIDs are shown, and names without digits; of other values
 * only the end.
 */
export type EchoKind = 'amount' | 'code' | 'uuid' | 'account' | 'phone' | 'text' | 'name';

/** A field of the request that the answer may repeat under its own name. */
export interface Echo {
  readonly field: string;
  readonly as: EchoKind;
  /** The request's field with the id of an institution, where the answer's field is that institution's name. */
  readonly institutionIn?: string;
}

/** The name in the API's list of the institution with an id, in any case; undefined where that is not known. */
export type InstitutionName = (id: string) => string | undefined;

/** A field that the specification shows in the answer about a kind of object. */
export interface AnswerField {
  /** Its name; within objects after a dot, and within each element of a list after `[]`: `assets[].symbol`. */
  readonly path: string;
  readonly type: 'text' | 'integer' | 'markup';
  /** Whether the specification has `null` for it, or for an object that contains it. */
  readonly isNullable?: boolean;
  /** Whether the specification has it for some of these objects only. */
  readonly isOptional?: boolean;
  /** Values that need no note, where all other values do. */
  readonly usual?: readonly string[];
}

type RequestBody = Readonly<Record<string, unknown>>;

/** The institution that a definition's rows name, and its requirements. */
export interface InstitutionUse {
  /** The account number type that fits: a bank, any mobile money provider, or the type of the row's method. */
  readonly suits: (record: NormalisedRecord) => 'bank' | 'mobile_money' | 'any';
  /** The columns that determine the institution's country, the first filled one: codes or phone numbers. */
  readonly countryFields: readonly string[];
  /** Whether the customer's country counts when none of those columns is filled in. */
  readonly orCustomersCountry: boolean;
  /** The column of a phone number that has to be of the institution's country. */
  readonly phoneField: string | null;
  /** The columns that receive the institution's id and, when they are empty, its name. */
  readonly fills: { readonly id: string; readonly name: string } | null;
}

/** A finding between fields, before its column's title is added. */
export interface RuleFinding {
  readonly field: string;
  readonly code: FindingCode;
  readonly message: Message;
}

/** The result of a check between fields: findings, notes, and values that follow from others. */
export interface RecordCheck {
  readonly findings?: readonly RuleFinding[];
  readonly notes?: readonly string[];
  readonly fills?: NormalisedRecord;
}

/** The file's names for fields, for texts that mention another column. */
export interface ColumnTitles {
  /** The field's own name where the file has no such column. */
  readonly of: (field: string) => string;
  /** The same as a part of a message. */
  readonly named: (field: string) => string | FieldPart;
}

/** @param byField the title of each field that the file has a column for */
export function columnTitles(byField: ReadonlyMap<string | undefined, string>): ColumnTitles {
  return {
    of: (field) => byField.get(field) ?? field,
    named: (field) => byField.get(field) ?? { field },
  };
}

/** Reads a phone number as the file writes them; returns `+` and digits, or undefined for another value. */
export type PhoneReading = (text: string) => string | undefined;

/** What can be imported: all properties of a kind, for any payee type of a row. */
export interface KindDefinition {
  /** In the plural, as the options and the files have it: `customers`. Sheets may be named so, too. */
  readonly name: string;
  /** For sentences about one of them; sheets may be named so, too: `customer`. */
  readonly singular: string;
  /** For headings: `Customers`. */
  readonly label: string;
  /** What it means that rows are created, and whether money was moved: a headline. */
  readonly whatWasDone: string;
  /** The field that holds paybatch's own reference, which answers and exports repeat; null where there is none. */
  readonly referenceField: string | null;
  /** One, or one for each payee type. */
  readonly definitions: readonly [ResourceDefinition, ...ResourceDefinition[]];
}

/** The fields that identify the payee and the account. */
export interface PayeeFields {
  readonly name: string;
  /** The field of an account number, IBAN or phone number. */
  readonly account: string;
  /** The field with the institution's name at the API; null where the account alone is enough. */
  readonly institution: string | null;
  /** Whether the account belongs to one person whatever the institution: a phone number does. */
  readonly isAccountUnique: boolean;
}

/** How the rows of a kind, or of one of its payee types, are checked, sent and answered. */
export interface ResourceDefinition {
  /** Unique: the kind, or `recipients/PAYEE_TYPE`. */
  readonly name: string;
  readonly kind: Kind;
  readonly payeeType: string | null;
  /** The only currency that its rows may have, ISO 4217; absent where any is possible. */
  readonly onlyCurrency?: string;
  /** The country of all its rows, ISO 3166-1; absent where any is possible. */
  readonly onlyCountry?: string;
  /** Path of the creating POST, relative to the API's base address. */
  readonly path: string;
  readonly rules: readonly FieldRule[];
  readonly references: readonly Reference[];
  readonly institution: InstitutionUse | null;
  /**
   * Checks between those fields of a record that passed by themselves; runs before references are looked
   * up. Results about a field that has a finding already are left out.
   */
  readonly checkRecord?: (
    record: NormalisedRecord,
    titles: ColumnTitles,
    readPhone: PhoneReading,
  ) => RecordCheck | undefined;
  /** What identifies the payee's account of a row, for comparing it with known payees; absent where a kind has no payees. */
  readonly payee?: PayeeFields;
  /** The fields of the request that are a person's name together; absent where there is none. */
  readonly nameFields?: readonly string[];
  /** The parts that identify the object in the real world. */
  readonly naturalKey: (record: NormalisedRecord) => readonly string[];
  /** The name by which later rows may refer to the object, or undefined when it has none. */
  readonly handle: (record: NormalisedRecord) => string | undefined;
  /** The request's body: the fields that the API's specification shows, in that order, and no more. */
  readonly body: (record: NormalisedRecord) => RequestBody;
  readonly readAnswer: (json: unknown, settings: AnswerSettings) => AnswerReading;
  /** What an answer must not contradict: a contradicting answer belongs to another request, or the API is wrong. */
  readonly echoes: readonly Echo[];
  /** What the specification shows in the answer, in its order; empty where it shows nothing. */
  readonly answerFields: readonly AnswerField[];
  /** The field by which people know a row: its external id, label, client reference or account name; one for a kind. */
  readonly ownReference: string;
}
