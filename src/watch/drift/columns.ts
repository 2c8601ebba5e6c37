/* The columns of a table that are compared with last time, and how a difference of a column is described. */

import { hash } from 'node:crypto';
import type { Drift, DriftWhat } from '../../domain/batches/last-time.ts';
import {
  foldWord,
  type MappedColumn,
  type ReadingRules,
  type TableMapping,
} from '../../domain/tables/mapping.ts';
import type { FieldType } from '../../kinds/definition.ts';
import { isDittoMark } from '../../kinds/fields/cell-repairs.ts';
import { mayHoldFillers } from '../../kinds/fields/empty-words.ts';
import { createTranslation, shorten } from '../../kinds/fields/value-text.ts';
import { definitionsOf, normaliseHeader, ownReferenceOf, ruleOf } from '../../kinds/registry.ts';

/** A column as it is compared with last time. */
export interface DriftColumn {
  readonly title: string;
  /** Its place in the file, counted from 0. */
  readonly index: number;
  readonly role: Role;
  readonly type: FieldType | undefined;
  /** The field whose value is that of the whole cell; null where there is none. */
  readonly field: string | null;
  /** Whether any field takes its value from the column. */
  readonly isRead: boolean;
  /** Whether a known person keeps the value from file to file. */
  readonly isLasting: boolean;
  /** Whether its values are from a small set of words, each of which has a meaning for the API. */
  readonly isClosed: boolean;
  readonly decimal: '.' | ',';
  /** What the mapping says of its words, where any word may be a value that is sent. */
  readonly words?: SaidOfWords;
}

interface SaidOfWords {
  readonly field: string;
  /** In small letters. */
  readonly forNothing: readonly string[];
  /** Whether the mapping reads a word as the value above. */
  readonly isValueAbove: (text: string) => boolean;
  /** Whether the mapping says of a word if it is an empty cell or a value. */
  readonly isDecided: (text: string) => boolean;
}

/** Further columns are not compared. */
const mostColumns = 40;

/** The columns of a table; those that are read come first where there are too many. */
export function driftColumnsOf(
  header: readonly string[],
  mapping: TableMapping,
  { decimal }: Pick<ReadingRules, 'decimal'>,
): readonly DriftColumn[] {
  const columns = header.map((title, index): DriftColumn => {
    const readers = mapping.columns.filter((column) => placesOf(column).includes(index));
    const [first] = readers;
    const whole = first?.index === index && first.split === undefined ? first.field : null;
    const type = first === undefined ? undefined : ruleOf(mapping.kind, first.field)?.type;
    const fields = readers.map(({ field }) => field);
    return {
      ...{ title, index, role: roleOf(type), type, field: whole, decimal },
      isRead: readers.length > 0,
      isLasting: fields.some((field) => isLasting(mapping, field)),
      isClosed: fields.some((field) => closedFields.has(field)),
      ...saidOfWords(mapping, first, index),
    };
  });
  const named = columns.filter(({ title }) => title !== '');
  if (named.length <= mostColumns) return named;
  return named.sort((one, other) => Number(other.isRead) - Number(one.isRead)).slice(0, mostColumns);
}

/**
 * What the mapping says of a column's words. It is empty for names that are split, which are checked by their parts,
 * and for names of institutions, which are checked by their list.
 */
function saidOfWords(
  mapping: TableMapping,
  column: MappedColumn | undefined,
  index: number,
): Pick<DriftColumn, 'words'> {
  if (column === undefined || column.split !== undefined || column.field === 'institution_name') return {};
  const { field, values } = column;
  if (!mayHoldFillers(ruleOf(mapping.kind, field)?.type) || !isSent(mapping, field)) return {};
  const { empty, kept, marks, repairs } = column.joined?.find((part) => part.index === index) ?? column;
  const translate = createTranslation(values);
  const translated = [...(values ?? [])].flatMap(([value, meaning]) => (meaning === '' ? [value] : []));
  return {
    words: {
      field,
      isValueAbove: (text) => repairs?.has('ditto') === true && isDittoMark(text, marks),
      forNothing: [...(empty ?? []), ...translated].map((word) => word.toLowerCase()),
      isDecided: (text) =>
        empty?.has(foldWord(text)) === true ||
        kept?.has(foldWord(text)) === true ||
        translate(text) !== undefined,
    },
  };
}

/** Whether a payee type that the rows may have sends the field. */
function isSent({ kind, columns }: TableMapping, field: string): boolean {
  const payeeType = columns.find((column) => column.field === 'payee_type')?.constant;
  return definitionsOf(kind)
    .filter((definition) => payeeType === undefined || definition.payeeType === payeeType)
    .flatMap(({ rules }) => rules.filter((rule) => rule.field === field))
    .some(({ presence }) => presence !== 'not_sent' && presence !== 'unused');
}

function placesOf({ index, joined = [] }: MappedColumn): readonly number[] {
  return index === null ? joined.map((part) => part.index) : [index];
}

const closedFields: ReadonlySet<string> = new Set([
  ...['institution_name', 'institution_id', 'bank_name', 'currency', 'country', 'institution_country'],
  ...['payee_type', 'account_type', 'account_owner_type', 'type', 'methods', 'source_type'],
]);

const lastingTexts: ReadonlySet<string> = new Set([
  ...['account_name', 'first_name', 'middle_name', 'last_name'],
  ...['institution_name', 'bank_name'],
]);

/** Whether a known person keeps the value of a field. The reference of a payment is new each time. */
function isLasting({ kind, columns }: TableMapping, field: string): boolean {
  const type = ruleOf(kind, field)?.type;
  const isOfPayment =
    field === ownReferenceOf(kind) &&
    type === 'identifier' &&
    columns.some((column) => ruleOf(kind, column.field)?.type === 'amount');
  if (isOfPayment) return false;
  const role = roleOf(type);
  return (
    role === 'account' ||
    role === 'phone' ||
    role === 'reference' ||
    role === 'day' ||
    lastingTexts.has(field)
  );
}

/**
 * The key of a layout: the kind of its rows and the titles that are read, in any order. A file with further columns has the
 * same one.
 */
export function layoutKeyOf(header: readonly string[], { kind, columns }: TableMapping): string {
  const places = new Set(columns.flatMap(placesOf));
  const titles = [...places].map((index) => normaliseHeader(header[index] ?? '')).sort();
  return hash('sha256', JSON.stringify([kind, titles]), 'hex');
}

/** How the values of a column are looked at. */
export type Role = 'amount' | 'day' | 'phone' | 'account' | 'reference' | 'code' | 'words' | 'unread';

const roles: Readonly<Record<FieldType, Role>> = {
  text: 'words',
  list: 'code',
  identifier: 'reference',
  postal_code: 'code',
  account_number: 'account',
  us_account_number: 'account',
  routing_number: 'account',
  iban: 'account',
  email: 'reference',
  phone: 'phone',
  birth_date: 'day',
  country: 'code',
  state: 'code',
  currency: 'code',
  uuid: 'reference',
  amount: 'amount',
};

/** @param type undefined for a column that is not read */
function roleOf(type: FieldType | undefined): Role {
  return type === undefined ? 'unread' : roles[type];
}

/* How a column differs from last time. */

/** A difference, before its samples are shown to a person. */
export interface Difference {
  /** The column's place among the compared columns. */
  readonly column: number;
  readonly what: DriftWhat;
  /** Whether nothing may be sent before a person has looked at it. */
  readonly stops: boolean;
  /** Rows of the earlier file that show what was there, and the column there in which it was. */
  readonly earlier: { readonly rows: readonly number[]; readonly column: number } | null;
  /** Cells of this file. */
  readonly now: readonly string[];
  /** The extent of the difference in figures: `in 35 of 60 rows`. */
  readonly remark?: { readonly before?: string; readonly now?: string };
}

const sentences: Readonly<Record<DriftWhat, string>> = {
  kind_of_value: 'has another kind of value',
  country: 'has numbers of another country',
  prefix: 'has values that begin in another way',
  length: 'has values of another length',
  masked: 'has values of which a part is hidden',
  rounded: 'has numbers whose last digits are lost',
  decimals: 'has decimals that it never had',
  date_order: 'has its days in another order',
  values: 'has other words than before',
  filled: 'is filled in another way',
  size: 'has amounts of another size',
  by_person: 'has other values for known people',
  swapped: 'holds what another column held',
  names_exchanged: 'has its names in another order',
  one_row_off: 'is one row too low or too high',
  total_row: 'has a total among its rows',
  no_value: 'has words that may stand for nothing or for the value above',
  new_column: 'is new',
};

/** What is different, as the second half of a sentence. */
export function driftSentence({ what }: Pick<Drift, 'what'>): string {
  return sentences[what];
}

/** One difference in a sentence, without its full stop. */
export function driftText({ column, what, before, now }: Drift): string {
  const sides = [...(before === '' ? [] : [`before ${before}`]), ...(now === '' ? [] : [`now ${now}`])];
  return `${shorten(column)} ${sentences[what]}${sides.length === 0 ? '' : `: ${sides.join('; ')}`}`;
}
