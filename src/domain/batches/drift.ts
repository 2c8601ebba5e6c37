/* What a file's columns hold, in a bounded form, and how that differs from the last file of the same layout. */

/** In what a column differs from last time; of one column, the first of these explains the others. */
export const driftWhats = [
  'new_column',
  'total_row',
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
