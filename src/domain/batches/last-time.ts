/*
 * How a file differs from earlier files: its rows from the last file of its series, and its columns from the last files of
 * its layout.
 */

import type { CurrencySum } from '../money/sums.ts';

/* The common part of the names of recurring files: everything except dates and numbers. */

/** The names of months, without accents, in the languages that partners write. */
const months =
  `january february march april may june july august september october november december janvier fevrier mars
  avril mai juin juillet aout septembre octobre novembre decembre enero febrero marzo abril mayo junio julio agosto
  septiembre setiembre octubre noviembre diciembre janeiro fevereiro marco maio junho julho setembro outubro novembro
  dezembro januar februar marz maerz juni juli oktober dezember janner jaenner gennaio febbraio aprile maggio giugno
  luglio settembre ottobre dicembre`.split(/\s+/);

const shortestMonth = 3;
const longestShortMonth = 4;

/** The names of months, and their abbreviations of three or four letters. */
const monthWords: ReadonlySet<string> = new Set(
  months.flatMap((month) => [
    month,
    ...[shortestMonth, longestShortMonth].map((length) => month.slice(0, length)),
  ]),
);

/** The endings after the number of a day. */
const ordinals: ReadonlySet<string> = new Set(['st', 'nd', 'rd', 'th']);

/** With fewer letters, unrelated files would form a series. */
const leastLetters = 3;

/**
 * The key of a file's series, computed from the names of the file and of its sheet. Null if the names consist only of dates
 * and numbers, and for standard input.
 */
export function seriesName(fileName: string, sheet: string | null): string | null {
  const name = lastingWords(fileName.replace(/\.[^.]*$/, ''));
  if (name.join('').length < leastLetters) return null;
  return [name, sheet === null ? [] : lastingWords(sheet)].map((words) => words.join(' ')).join(' / ');
}

function lastingWords(text: string): string[] {
  const words = text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .match(/\p{L}+|\p{N}+/gu);
  return (words ?? []).filter(
    (word, at) =>
      !/^\p{N}/u.test(word) &&
      !monthWords.has(word) &&
      !(ordinals.has(word) && /^\p{N}/u.test(words?.[at - 1] ?? '')),
  );
}

/** The values that files of one series have in common; null if a file has no such value. */
export interface SeriesKeys {
  /** Its name without dates and numbers. */
  readonly name: string | null;
  /** Its header, if it is read with a mapping that is stored for that header. */
  readonly mapping: string | null;
}

/** The batch of a series with which a file is compared. */
export interface SeriesBatch {
  readonly batch: string;
  readonly file: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** Rows of a batch, and their payees. */
export interface PayeesOfRows {
  readonly batch: string;
  readonly rows: readonly number[];
  /** The payee of each row, in 8 bytes; each character represents one byte. */
  readonly payees: string;
}

/** Payees, and the amounts of their rows. A payee is a customer and a name, in any spelling. */
export interface PayeeGroup {
  readonly payees: number;
  readonly sums: readonly CurrencySum[];
}

/** A file compared with the last file of its series. Invalid rows count in neither of them. */
export interface SeriesComparison {
  readonly earlier: SeriesBatch & { readonly payees: number };
  readonly payees: number;
  /** Payees in this file that are not in the earlier one. */
  readonly fresh: PayeeGroup;
  /** Payees in the earlier file that are not in this one. */
  readonly missing: PayeeGroup;
}

/* The content of a file's columns, in a form of limited size, and how it differs from the last files of the same layout. */

/** How a column can differ from last time. For one column, the first of these explains the others. */
export const driftWhats = [
  'new_column',
  'total_row',
  /** Words that may mean an empty value, and that would be sent as values. */
  'no_value',
  'names_exchanged',
  /** It contains the values that another column contained. */
  'swapped',
  /** Its values belong to the row above or below. */
  'one_row_off',
  /** Some characters are hidden. */
  'masked',
  /** The last digits are lost. */
  'rounded',
  'decimals',
  'date_order',
  /** The country of phone numbers. */
  'country',
  /** What numbers and references begin with. */
  'prefix',
  /** Amounts are much larger or smaller, or nearly all of them are lower. */
  'size',
  /** Other words than the ones that were repeated before. */
  'values',
  /** Another kind of value, such as numbers instead of words. */
  'kind_of_value',
  'length',
  /** Known people have other values. */
  'by_person',
  'filled',
] as const;

export type DriftWhat = (typeof driftWhats)[number];

/** One difference, with samples of both sides to show to people. */
export interface Drift {
  /** The column's title. */
  readonly column: string;
  readonly what: DriftWhat;
  /** Empty if there was no value. */
  readonly before: string;
  readonly now: string;
}

/** How many values have one form, and the row of the first of them. */
export type Counted = readonly [rows: number, firstRow: number];

/** The content of one column. The texts of cells are not stored, because row numbers lead to them. */
export interface ColumnContent {
  readonly title: string;
  /** Its index in the file, from 0. */
  readonly index: number;
  readonly filled: number;
  readonly classes: Readonly<Record<string, Counted>>;
  readonly forms: Readonly<Record<string, Counted>>;
  readonly lengths: Readonly<Record<string, Counted>>;
  /** The prefixes of numbers and references, or the countries of phone numbers. */
  readonly starts: Readonly<Record<string, Counted>>;
  /** The number of long numbers that end in zeros. */
  readonly rounded: number;
  /** How often each value occurs, by its hash; null if there are too many different values. */
  readonly values: Readonly<Record<string, Counted>> | null;
  /** The smallest hashes of its values, as 32-bit numbers in base64. */
  readonly vocabulary: string;
  /** Whether the vocabulary includes all of its values. */
  readonly isWhole: boolean;
  /** Exact decimals; null if it has no amounts. */
  readonly amounts: { readonly least: string; readonly median: string; readonly most: string } | null;
}

/** Some people of a file, who can be found in another file by one column. */
export interface PeopleSample {
  /** The index of that column among the profile's columns. */
  readonly key: number;
  /** For each person the row, and two 32-bit numbers for each column (`RowMarks`), in base64. */
  readonly people: string;
}

/** The content of a file: about 25 kB of JSON, for any number of rows. */
export interface LayoutProfile {
  readonly rows: number;
  readonly columns: readonly ColumnContent[];
  readonly people: readonly PeopleSample[];
}

/** The profile of an earlier file with the same layout, and its batch. */
export interface EarlierProfile {
  readonly batch: string;
  readonly profile: LayoutProfile;
}
