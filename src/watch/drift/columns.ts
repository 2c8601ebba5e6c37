/* The columns of a table: their roles, what their values look like, and how a difference of one is said. */

import { hash } from 'node:crypto';
import type { Drift, DriftWhat } from '../../domain/batches/last-time.ts';
import {
  type CellTreatment,
  foldWord,
  type MappedColumn,
  type ReadingRules,
  type TableMapping,
} from '../../domain/tables/mapping.ts';
import type { FieldType } from '../../kinds/definition.ts';
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
  /** Whether it has one of few words, each of which means something to the API. */
  readonly isClosed: boolean;
  readonly decimal: '.' | ',';
  /** What the mapping says of its words, where any word may be a value that is sent. */
  readonly words?: SaidOfWords;
}

interface SaidOfWords {
  readonly field: string;
  /** In small letters. */
  readonly forNothing: readonly string[];
  /** Marks for the value above, besides the usual ones. */
  readonly marks: CellTreatment['marks'];
  /** Whether it says what a word is: nothing, or a value. */
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

/** Names that are split are checked by their parts, and the names of institutions by their list. */
function saidOfWords(
  mapping: TableMapping,
  column: MappedColumn | undefined,
  index: number,
): Pick<DriftColumn, 'words'> {
  if (column === undefined || column.split !== undefined || column.field === 'institution_name') return {};
  const { field, values } = column;
  if (!mayHoldFillers(ruleOf(mapping.kind, field)?.type) || !isSent(mapping, field)) return {};
  const { empty, kept, marks } = column.joined?.find((part) => part.index === index) ?? column;
  const translate = createTranslation(values);
  const translated = [...(values ?? [])].flatMap(([value, meaning]) => (meaning === '' ? [value] : []));
  return {
    words: {
      field,
      marks,
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

/** Payments are numbered anew each time; what identifies a person is not. */
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

/* What a value looks like, without what it says: its class, its form, and marks by which it is found again. */

/** How the values of a column are looked at. */
type Role = 'amount' | 'day' | 'phone' | 'account' | 'reference' | 'code' | 'words' | 'unread';

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

const classes: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['sci', /^[-+]?\d(?:[.,]\d+)?[eE][-+]?\d+$/],
  ['mask', /[*•·●▪]{2,}|[xX#]{3,}|…/u],
  ['digits', /^\d+$/],
  ['day', /^(?:\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})|\d{4}[./-]\d{1,2}[./-]\d{1,2})(?:[ T].*)?$/],
  ['number', /^[-(+]?(?:[\p{L}\p{Sc}]{1,4}\.? ?)?\d[\d {2}.,'’]*(?: ?[\p{L}\p{Sc}/=-]{1,4}\.?)?\)?$/u],
  ['phone', /^\+?[\d ()/-]{7,}$/],
  ['email', /^\S+@\S+\.\S+$/],
  ['code', /^(?=.*\d)[\p{L}\d._/-]+$/u],
  ['words', /^[^\d]+$/u],
];

/** The class of a value that is not empty. In a column of amounts, whole numbers and others are the same. */
export function classOf(text: string, role: Role): string {
  for (const [name, pattern] of classes) {
    if (!pattern.test(text)) continue;
    if (role === 'amount') return name === 'digits' ? 'number' : name;
    // The separators of a phone or account number say nothing.
    if (role === 'phone' || role === 'account') {
      return name === 'number' || name === 'phone' || name === 'day' ? 'digits' : name;
    }
    return name;
  }
  return 'mixed';
}

const highestMonth = 12;
const longestPrefix = 8;

/** The form of a value, as far as it means something in a column of this role. */
export function formOf(text: string, role: Role, decimal: '.' | ','): string {
  switch (role) {
    case 'amount':
      return `${digitsBehind(text, decimal)} decimals`;
    case 'day':
      return dayForm(text);
    case 'reference':
    case 'account':
      // The name in an e-mail address is no prefix.
      if (text.includes('@')) return '';
      return /^\D*(?=\d)/.exec(text)?.[0].slice(0, longestPrefix).toUpperCase() ?? '';
    default:
      return '';
  }
}

function digitsBehind(text: string, decimal: '.' | ','): number {
  const at = text.lastIndexOf(decimal);
  return at < 0 ? 0 : (/^\d*/.exec(text.slice(at + 1))?.[0].length ?? 0);
}

function dayForm(text: string): string {
  const [, first = '', separator = '', second = ''] = /^(\d{1,4})([./-])(\d{1,2})\2/.exec(text) ?? [];
  if (first.length > 2) return 'year first';
  if (separator === '') return 'other';
  if (Number(first) > highestMonth) return `day${separator}month`;
  return Number(second) > highestMonth ? `month${separator}day` : `either${separator}`;
}

const fewestDigits = 9;

/** Whether a long number ends in zeros, as one does that a spreadsheet program has rounded. */
export function isRounded(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  return digits.length >= fewestDigits && /0{3,}$/.test(digits) && /^\+?[\d \p{L}]+$/u.test(text);
}

const nameWord = /^\p{Lu}[\p{L}\p{M}'’.-]*$/u;
const mostNameWords = 4;

/** Whether a value may be somebody's name: a few words that begin with a capital. */
export function looksLikeName(text: string): boolean {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  return words.length > 0 && words.length <= mostNameWords && words.every((word) => nameWord.test(word));
}

/* Marks. They distinguish values in statistics, and no value can be read from them. */

const fnvStart = 0x811c9dc5;
const fnvPrime = 0x01000193;

/** 32 bits of a text; never 0, which means no value. */
export function markOf(text: string): number {
  let mark = fnvStart;
  for (let at = 0; at < text.length; at += 1) mark = Math.imul(mark ^ text.charCodeAt(at), fnvPrime);
  mark = Math.imul(mark ^ (mark >>> 16), 0x85ebca6b);
  mark = Math.imul(mark ^ (mark >>> 13), 0xc2b2ae35);
  return (mark ^ (mark >>> 16)) >>> 0 || 1;
}

/** The form in which values are compared: without case and repeated blanks. */
export function foldedText(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').trim();
}

/** The mark of the words of a text in any order. */
export function markOfWords(folded: string): number {
  return markOf(folded.split(/[ ,]+/).sort().join(' '));
}

/* Sizes of amounts, for statistics about many of them: never for money that is sent. */

const sizeSteps = 1e7;
const sizeOfOne = 1e8;

/** The logarithm of an amount as a whole number of 32 bits; 0 for none, zero or less. */
export function sizeOf(amount: string): number {
  const number = Number(amount);
  if (!Number.isFinite(number) || number <= 0) return 0;
  return Math.max(1, Math.round(Math.log10(number) * sizeSteps) + sizeOfOne);
}

/** The logarithm, to the base of ten, of how many times as large the second size is. */
export function growthOf(before: number, now: number): number {
  return (now - before) / sizeSteps;
}

/** The plain decimal of a number as it is written; undefined for anything else. */
export function plainNumber(text: string, decimal: '.' | ','): string | undefined {
  const number = text.replace(decimal === ',' ? /[.\s'’]/g : /[,\s'’]/g, '').replace(decimal, '.');
  return /^\d{1,15}(?:\.\d{1,8})?$/.test(number) ? number : undefined;
}

/* Says in a sentence how a column differs from last time. */

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
  no_value: 'has words that may stand for nothing',
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
