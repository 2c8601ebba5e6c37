/*
 * Words about how files are read, for people who know their files and not the API, on pages and terminals. They cover
 * kinds, fields and payee types, in the order in which these people think; the questions of the mapping dialogue; and
 * the expected rows.
 */

import { readFileSync } from 'node:fs';
import type { Kind } from '../../domain/batches/batch.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import { capital, fieldName } from '../../domain/settings/message.ts';
import { ignoredPart, type Repair } from '../../domain/tables/mapping.ts';
import { leaveOutRows, otherValues } from '../../domain/tables/row-marks.ts';
import { kindNamed } from '../../kinds/registry.ts';

/** The words for the names that the API uses. */
export interface FieldWords {
  readonly kinds: Readonly<Record<string, string>>;
  readonly payeeTypes: Readonly<Record<string, string>>;
  /**
   * The words for each field, by kind of rows and then by the question that the fields answer. Both orders are the
   * order in which they are shown.
   */
  readonly fields: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
}

const {
  kinds: kindWords,
  payeeTypes,
  fields,
}: FieldWords = JSON.parse(readFileSync(new URL('./mapping-words.json', import.meta.url), 'utf8'));

/** A group of fields that answer one question. */
interface FieldGroup {
  /** The question; null for fields that have no words of their own. */
  readonly title: string | null;
  readonly fields: readonly string[];
}

/** Puts fields into groups, in the order in which they are shown. @param kind of the rows */
export function fieldGroups(kind: string, wanted: readonly string[]): readonly FieldGroup[] {
  const groups = Object.entries(fields[kind] ?? {}).map(([title, words]) => ({
    title,
    fields: Object.keys(words).filter((field) => wanted.includes(field)),
  }));
  const known = new Set(groups.flatMap((group) => group.fields));
  const others = { title: null, fields: wanted.filter((field) => !known.has(field)) };
  return [...groups, others].filter((group) => group.fields.length > 0);
}

/** Uses of columns that are not fields of a row. */
const otherUses: Readonly<Record<string, string>> = {
  marked_rows: 'its values say which rows are sent',
  [ignoredPart]: 'a part that is left out',
};

/** The parts of a name or an address that one column may contain; fields are separated by `+`. */
export const usesOfSeveralFields: readonly string[] = [
  'first_name+last_name',
  'first_name+middle_name+last_name',
  'address_line1+city+postal_code',
  'address_line1+city+state+postal_code',
  'city+postal_code',
  'city+state+postal_code',
];

/** A field in words: `your customer number`. */
export function fieldWord(kind: string, field: string): string {
  const found = Object.values(fields[kind] ?? {}).find((words) => Object.hasOwn(words, field));
  return found?.[field] ?? otherUses[field] ?? fieldName(field);
}

/** A field in words, with the API's name behind it: `your customer number (customer_external_id)`. */
export function namedField(kind: string, field: string): string {
  const word = fieldWord(kind, field);
  return word === field ? word : `${word} (${field})`;
}

/** What the rows of a kind are, such as `people and businesses who are paid`. */
export function kindWord(kind: string): string {
  return Object.hasOwn(kindWords, kind) ? (kindWords[kind] ?? kind) : kind;
}

/** The fields that a column is read as: `First name + last name`. @param ids separated by `+` */
export function fieldsWord(kind: string, ids: string): string {
  return capital(
    ids
      .split('+')
      .map((field) => fieldWord(kind, field))
      .join(' + '),
  );
}

/** A payee type, or another value of the API's own lists, in words. */
export function valueWord(field: string, value: string): string {
  return (field === 'payee_type' ? payeeTypeWord(value) : undefined) ?? valueName(value);
}

/** A payee type in words; undefined if the text is not a payee type. */
export function payeeTypeWord(type: string): string | undefined {
  return Object.hasOwn(payeeTypes, type) ? payeeTypes[type] : undefined;
}

/** `1 collection`, `1,200 customers`. */
export function rowsOfKind(kind: Kind, rows: number): string {
  return countOf(rows, kindNamed(kind).singular);
}

/* The answers and questions of the mapping dialogue. */

/** A repair in a word or two: `lost zeros`. */
export function repairName(repair: Repair): string {
  return repair.replaceAll('_', ' ');
}

/** A value for people. The values of the API's own lists are names for programs, such as `mobile_money`. */
export function valueName(value: string): string {
  return /^[a-z]+(?:_[a-z]+)+$/.test(value) ? value.replaceAll('_', ' ') : value;
}

/** A value of a column whose values say which rows are sent. */
export function markedValueName(value: string): string {
  if (value === otherValues) return 'every other value';
  return value === '' ? '(empty)' : value;
}

/** The meaning of a value of the file. */
export function meaningText(meaning: string | null): string {
  if (meaning === null) return 'nothing yet: its rows are refused';
  if (meaning === leaveOutRows) return 'leave these rows out';
  return meaning === '' ? '(empty)' : meaning;
}

/**
 * Says how many of the rows that are set apart an answer sends: `11 of 47 rows would be sent`.
 * @param sent the number as it is shown
 * @param isUntried whether no row passes yet for other reasons
 */
export function sentText(
  sent: string,
  { all, isUntried }: { readonly all: number; readonly isUntried: boolean },
): string {
  return `${sent} of ${countOf(all, 'row')} would be sent${isUntried ? ', once nothing else is wrong with them' : ''}`;
}

/** The expected results of a file's rows. */
interface ExpectedRows {
  readonly pass: number;
  readonly refused: number;
  readonly left_out: number;
}

/**
 * `591 of 612 rows would pass`, `9 are refused`, `12 lines are no rows`. The last two parts are left out if their
 * number is zero.
 */
export function forecastParts({ pass, refused, left_out: leftOut }: ExpectedRows): readonly string[] {
  return [
    `${groupedNumber(pass)} of ${countOf(pass + refused, 'row')} would pass`,
    ...(refused === 0 ? [] : [`${groupedNumber(refused)} ${refused === 1 ? 'is' : 'are'} refused`]),
    ...(leftOut === 0
      ? []
      : [`${groupedNumber(leftOut)} ${leftOut === 1 ? 'line is no row' : 'lines are no rows'}`]),
  ];
}

/** The data of a question of the mapping dialogue that its heading needs. */
type HeadedQuestion =
  | { readonly kind: 'review' | 'column' | 'constant' | 'reading'; readonly about: string }
  | { readonly kind: 'values' | 'refused'; readonly about: string; readonly field: string }
  | { readonly kind: 'repair'; readonly about: string; readonly repair: Repair };

/**
 * The heading of a question. Titles of columns are unescaped.
 * @param nameOf the name of a field for people
 */
export function questionHeading(
  question: HeadedQuestion,
  nameOf: (field: string) => string = fieldName,
): string {
  const { about } = question;
  switch (question.kind) {
    case 'review':
      return 'How the file is read';
    case 'column':
      return `What is the column "${about}"?`;
    case 'values':
      if (question.field === 'marked_rows')
        return about === 'marked_rows'
          ? 'What becomes of the rows that are set apart?'
          : `What becomes of rows by their value of "${about}"?`;
      return `What do the values of "${about}" mean?`;
    case 'refused':
      return `What do these values of "${about}" mean?`;
    case 'constant':
      return `What is the ${nameOf(about)} of all rows?`;
    case 'repair':
      return `Repair "${about}"?`;
    case 'reading':
      return readingHeadings[about] ?? `How is "${about}" written?`;
  }
}

const readingHeadings: Readonly<Record<string, string>> = {
  encoding: 'In which encoding is the file?',
  sheet: 'Which sheet has the rows?',
  kind: 'What are the rows?',
  header_rows: 'Which line is the header?',
  hidden: 'Are the hidden rows meant?',
  payee_type: 'What kind of recipients are they?',
  phone_country: 'Of which country are the phone numbers without +?',
  amounts: 'Do the amounts matter?',
  non_rows: 'Are headings and totals left out?',
};
