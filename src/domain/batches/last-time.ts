/* How a file differs from the last one: of its series, by its rows, and of its layout, by its columns. */

import type { CurrencySum } from '../money/sums.ts';

/* What the names of recurring files have in common: everything except dates and numbers. */

/** The names of months, in the languages that partners write; accents are left out. */
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

/** What follows the number of a day. */
const ordinals: ReadonlySet<string> = new Set(['st', 'nd', 'rd', 'th']);

/** With fewer letters, unrelated files would make a series. */
const leastLetters = 3;

/**
 * The key of a file's series, from its name and its sheet's; null where they consist of dates
 * and numbers only, and for standard input.
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

/** What files of one series have in common; null where a file has no such part. */
export interface SeriesKeys {
  /** Its name without dates and numbers. */
  readonly name: string | null;
  /** Its header, where it is read with a mapping that is remembered for that header. */
  readonly mapping: string | null;
}

/** The batch of a series that a file is compared with. */
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
  /** The payee of each row, in 8 bytes, a byte in each character. */
  readonly payees: string;
}

/** Payees, and the amounts of their rows. A payee is a customer and a name, in any spelling. */
export interface PayeeGroup {
  readonly payees: number;
  readonly sums: readonly CurrencySum[];
}

/** A file compared with the last one of its series. Rows that are invalid count in neither. */
export interface SeriesComparison {
  readonly earlier: SeriesBatch & { readonly payees: number };
  readonly payees: number;
  /** Payees of this file that are not in the earlier one. */
  readonly fresh: PayeeGroup;
  /** Payees of the earlier file that are not in this one. */
  readonly missing: PayeeGroup;
}

/* What a file's columns hold, in a bounded form, and how that differs from the last file of the same layout. */

/** In what a column differs from last time; of one column, the first of these explains the others. */
export const driftWhats = [
  'new_column',
  'total_row',
  /** Words that may stand for nothing, and that would be sent as values. */
  'no_value',
  'names_exchanged',
  /** It holds what another column held. */
  'swapped',
  /** It holds what the row above or below is about. */
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
  /** Other words than those that were used over and over. */
  'values',
  /** A kind of value, such as numbers in place of words. */
  'kind_of_value',
  'length',
  /** Known people have other values. */
  'by_person',
  'filled',
] as const;

export type DriftWhat = (typeof driftWhats)[number];

/** One difference, with samples of both sides for people. */
export interface Drift {
  /** The column's title. */
  readonly column: string;
  readonly what: DriftWhat;
  /** Empty where there was nothing. */
  readonly before: string;
  readonly now: string;
}

/** How many values there are of one form, and the row of the first of them. */
export type Counted = readonly [rows: number, firstRow: number];

/** What one column holds. Texts of cells are not kept: rows lead to them. */
export interface ColumnContent {
  readonly title: string;
  /** Its place in the file, counted from 0. */
  readonly index: number;
  readonly filled: number;
  readonly classes: Readonly<Record<string, Counted>>;
  readonly forms: Readonly<Record<string, Counted>>;
  readonly lengths: Readonly<Record<string, Counted>>;
  /** What phone numbers begin with, or their countries. */
  readonly starts: Readonly<Record<string, Counted>>;
  /** Long numbers that end in zeros. */
  readonly rounded: number;
  /** How often each value occurs, by its hash; null where there are many. */
  readonly values: Readonly<Record<string, Counted>> | null;
  /** The smallest hashes of its values, as 32-bit numbers in base64. */
  readonly vocabulary: string;
  /** Whether the vocabulary has all of its values. */
  readonly isWhole: boolean;
  /** Exact decimals; null where it has no amounts. */
  readonly amounts: { readonly least: string; readonly median: string; readonly most: string } | null;
}

/** Some people of a file, found again by one column. */
export interface PeopleSample {
  /** The place of that column among the profile's columns. */
  readonly key: number;
  /** For each person the row, and two 32-bit numbers of each column (`RowMarks`), in base64. */
  readonly people: string;
}

/** What a file held: about 25 kB of JSON, for any number of rows. */
export interface LayoutProfile {
  readonly rows: number;
  readonly columns: readonly ColumnContent[];
  readonly people: readonly PeopleSample[];
}

/** The profile of an earlier file of a layout, and its batch. */
export interface EarlierProfile {
  readonly batch: string;
  readonly profile: LayoutProfile;
}
