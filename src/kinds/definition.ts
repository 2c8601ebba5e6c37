/* What a definition of a kind or payee type is made of, and the check that is made from it. */

import type { Kind } from '../domain/batches/batch.ts';
import type { InstitutionList } from '../domain/institution.ts';
import type { Finding } from '../domain/rows/finding.ts';
import type { NormalisedRecord } from '../domain/rows/ledger-row.ts';
import type { Cells } from '../domain/tables/table.ts';
import type { Synonyms } from './column-names.ts';
import type { FindingCode } from './fields/value-text.ts';

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
 * Whether a value has to be there and what becomes of it. `required` and `optional` values serve the
 * request; `checked` ones serve a check and are never sent; `not_sent` ones only describe (a value gives a
 * note); `unused` ones would identify somebody else (a value is a finding).
 */
export type Presence = 'required' | 'optional' | 'checked' | 'not_sent' | 'unused';

/** One line of a kind's or payee type's table of rules. */
export interface FieldRule {
  readonly field: string;
  readonly type: FieldType;
  readonly presence: Presence;
  /** What an empty value means. */
  readonly whenEmpty?: string;
  /** Another column that may be filled in instead of this required one. */
  readonly orElse?: string;
  /** The value is required once any of these columns is filled in. */
  readonly requiredWith?: readonly string[];
  /** The values that the API's specification shows, in a set that it leaves open: others get a note. */
  readonly seen?: readonly string[];
  /** All values of a closed set: others are refused. */
  readonly allowed?: readonly string[];
  /** What others call the column, for proposing a mapping. */
  readonly synonyms?: Synonyms;
  /** For people: what belongs into the column, for templates and documentation. */
  readonly description: string;
  readonly example: string;
}

/** An object that this ledger knows, or that is in the same import; `id` is null while it is not created. */
export interface KnownObject {
  readonly id: string | null;
  /** A customer's country, where known: it may tell an institution's. */
  readonly country: string | null;
}

/**
 * A value that names another object of ours and has to become that object's id before the request
 * can be written. References are resolved in the order in which a definition lists them.
 */
export interface Reference {
  readonly kind: Kind;
  /** The field that receives the id. */
  readonly fills: string;
  /** The column to blame when the object is not there. */
  readonly field: string;
  /** The finding's code when the object is not there. */
  readonly unknownCode: FindingCode;
  /** The handle under which the other object is known, or undefined when the row gives the id itself. */
  readonly handle: (record: NormalisedRecord) => string | undefined;
}

/** What an answer of the API with a 2xx status says, read from its JSON. */
export interface AnswerReading {
  /** The id of the created object; undefined when the answer does not hold one where it belongs. */
  readonly id: string | undefined;
  /** What the answer says about the object: the JSON that its id stands in; undefined without an id. */
  readonly object: unknown;
}

/** Settings of the reading that the API's specification leaves open. */
export interface AnswerSettings {
  /** Dotted paths at which a customer's id may stand, tried in order. */
  readonly customerIdPaths: readonly string[];
}

/**
 * How a repeated value is compared and shown. `amount` by its value; `code` (a currency, a type) without
 * regard to case; `uuid`, `account` and `phone` without regard to case and the signs that group them; `text`
 * without regard to case and the number of blanks; the `name` of a person or an institution without regard to
 * case, accents, blanks and punctuation. Amounts, codes and UUIDs are shown, and names without digits; of others
 * the end.
 */
export type EchoKind = 'amount' | 'code' | 'uuid' | 'account' | 'phone' | 'text' | 'name';

/** A field of the request that the answer repeats under its own name, where it repeats it. */
export interface Echo {
  readonly field: string;
  readonly as: EchoKind;
  /** The request's field with the id of an institution, where the answer's field is that institution's name. */
  readonly institutionIn?: string;
}

/** The name that the API's list gives to the institution of an id, in any case; undefined where that is not known. */
export type InstitutionName = (id: string) => string | undefined;

/** A field that the specification shows in the answer about a kind of object. */
export interface AnswerField {
  /** Its name; within objects after a dot, and within each element of a list after `[]`: `assets[].symbol`. */
  readonly path: string;
  readonly type: 'text' | 'integer' | 'markup';
  /** Whether the specification has `null` for it, or for what it stands in. */
  readonly isNullable?: boolean;
  /** Whether the specification has it for some of these objects only. */
  readonly isOptional?: boolean;
  /** Values that need no note, where all others do. */
  readonly usual?: readonly string[];
}

type RequestBody = Readonly<Record<string, unknown>>;

/** The institution that a definition's rows name, and what it has to be. */
export interface InstitutionUse {
  /** The account number type that suits: a bank, any mobile money provider, or what the row's method says. */
  readonly suits: (record: NormalisedRecord) => 'bank' | 'mobile_money' | 'any';
  /** The columns that give the institution's country, the first that is filled in: codes or phone numbers. */
  readonly countryFields: readonly string[];
  /** Whether the customer's country counts when none of those columns is filled in. */
  readonly orCustomersCountry: boolean;
  /** The column of a phone number that has to be of the institution's country. */
  readonly phoneField: string | null;
  /** The columns that receive the institution's id and, when they are empty, its name. */
  readonly fills: { readonly id: string; readonly name: string } | null;
}

/** A finding between fields, before it is given its column's title. */
export interface RuleFinding {
  readonly field: string;
  readonly code: FindingCode;
  readonly message: string;
}

/** What a check between fields gives: findings, notes, and values that follow from others. */
export interface RecordCheck {
  readonly findings?: readonly RuleFinding[];
  readonly notes?: readonly string[];
  readonly fills?: NormalisedRecord;
}

/** Gives a field the name that the file has for it, for messages that mention another column. */
export type ColumnTitle = (field: string) => string;

/** Reads a phone number as the file writes them; as `+` and digits, or undefined for another value. */
export type PhoneReading = (text: string) => string | undefined;

/** What can be imported: everything that is true of a kind, whatever the payee type of a row. */
export interface KindDefinition {
  /** In the plural, as the options and the files have it: `customers`. Sheets may be named so, too. */
  readonly name: string;
  /** For sentences about one of them; sheets may be named so, too: `customer`. */
  readonly singular: string;
  /** For headings: `Customers`. */
  readonly label: string;
  /** What it means that rows are created, and whether money was moved: a headline. */
  readonly whatWasDone: string;
  /** The field that holds our own reference, which answers and exports repeat; null where there is none. */
  readonly referenceField: string | null;
  /** One, or one for each payee type. */
  readonly definitions: readonly [ResourceDefinition, ...ResourceDefinition[]];
}

/** The fields that tell who is paid, and where. */
export interface PayeeFields {
  readonly name: string;
  /** The field of an account number, IBAN or phone number. */
  readonly account: string;
  /** The field that says at which institution, as the API names it; null where the account says it all. */
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
  /** Path of the creating POST, relative to the API's base address. */
  readonly path: string;
  readonly rules: readonly FieldRule[];
  readonly references: readonly Reference[];
  readonly institution: InstitutionUse | null;
  /**
   * Checks between those fields of a record that passed by themselves; runs before references are looked
   * up. What it says about a field that has a finding already is left out.
   */
  readonly checkRecord?: (
    record: NormalisedRecord,
    title: ColumnTitle,
    readPhone: PhoneReading,
  ) => RecordCheck | undefined;
  /** What tells where the money of a row goes, for comparing it with what is known; absent where a kind pays nobody. */
  readonly payee?: PayeeFields;
  /** The parts that make the object the same object in the real world. */
  readonly naturalKey: (record: NormalisedRecord) => readonly string[];
  /** The name by which later rows may refer to the object, or undefined when it has none. */
  readonly handle: (record: NormalisedRecord) => string | undefined;
  /** The request's body: what the API's specification shows for it, in that order, and no more. */
  readonly body: (record: NormalisedRecord) => RequestBody;
  readonly readAnswer: (json: unknown, settings: AnswerSettings) => AnswerReading;
  /** What an answer must not contradict: one that does belongs to another request, or the API has it wrong. */
  readonly echoes: readonly Echo[];
  /** What the specification shows in the answer, in its order; empty where it shows nothing. */
  readonly answerFields: readonly AnswerField[];
  /** The field by which people know a row: its external id, label, client reference or account name; one for a kind. */
  readonly ownReference: string;
}

/** The objects that this ledger or the same import knows, of those that were asked for. */
export interface FoundObjects {
  readonly object: (kind: Kind, handle: string) => KnownObject | undefined;
  readonly customerById: (id: string) => KnownObject | undefined;
}

/** What a row's check may look up; filled for a whole group of rows beforehand, so it is synchronous. */
export interface Lookups extends FoundObjects {
  readonly institutions: (country: string) => InstitutionList | undefined;
}

/** One row after its own check: before (`checkFields`) or after (`checkReferences`) what it names was looked up. */
export interface CheckedRow {
  /** Null when the payee type is missing or unknown. */
  readonly definition: ResourceDefinition | null;
  /** The row's own: `checkReferences` fills it in. */
  readonly record: Record<string, string>;
  /** In the order of the file's columns, those between fields and rows last. */
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
  /** How result files write the cells that were mended, by column; absent where none was. */
  readonly mended?: ReadonlyMap<number, string>;
}

/** Takes down what has to be looked up before `checkReferences` can judge a group of rows; repetitions are welcome. */
export interface NeededLookups {
  readonly object: (kind: Kind, handle: string) => void;
  readonly customerById: (id: string) => void;
  readonly institutions: (country: string) => void;
}

/** The check of one table's rows; made once for its header, so that each row costs little. */
export interface RowChecker {
  /** Takes the cells as they are meant: without the apostrophe by which result files guard a formula's sign. */
  readonly checkFields: (row: Cells) => CheckedRow;
  /** The cells of a row as result files have them: read again in the same way, they mean the same. */
  readonly keptCells: (row: Cells, checked: Pick<CheckedRow, 'findings' | 'mended'>) => readonly string[];
  /**
   * Says what to look up for a row. Some of it follows only from what was found (an account belongs to a
   * customer's id, an institution's country may be the customer's), so rows for which this returns true are
   * asked again, with the objects that they named the first time.
   */
  readonly needs: (row: CheckedRow, needed: NeededLookups, found?: FoundObjects) => boolean;
  /**
   * Institutions, limits, customers and accounts; fills what it found into the row's record, and returns the
   * row with its findings. Works for rows with findings too, and leaves out what those already cover. Throws
   * when the institutions of a country that `needs` named were not looked up.
   */
  readonly checkReferences: (row: CheckedRow, lookups: Lookups) => CheckedRow;
  /**
   * Only where the mapping derives the payee type: what the institution that a row names says of it. Rows are
   * checked once without it, looked up, and checked again with it. Undefined where no single one follows.
   */
  readonly payeeTypeOf?: (row: CheckedRow, lookups: Lookups) => string | undefined;
}
