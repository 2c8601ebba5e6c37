/* How a file compares with the last one of its series. */

import type { CurrencySum } from '../money/expectation.ts';

/* What the names of recurring files have in common: everything except dates and numbers. */

/** The beginnings of the names of months, in the languages that partners write; accents are left out. */
const months = [
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october'],
  ...['november', 'december', 'janvier', 'fevrier', 'mars', 'avril', 'mai', 'juin', 'juillet', 'aout'],
  ...['septembre', 'octobre', 'novembre', 'decembre', 'enero', 'febrero', 'marzo', 'abril', 'mayo', 'junio'],
  ...[
    'julio',
    'agosto',
    'septiembre',
    'setiembre',
    'octubre',
    'noviembre',
    'diciembre',
    'janeiro',
    'fevereiro',
  ],
  ...['marco', 'maio', 'junho', 'julho', 'setembro', 'outubro', 'novembro', 'dezembro', 'januar', 'februar'],
  ...['marz', 'maerz', 'juni', 'juli', 'oktober', 'dezember', 'janner', 'jaenner', 'gennaio', 'febbraio'],
  ...['aprile', 'maggio', 'giugno', 'luglio', 'settembre', 'ottobre', 'dicembre'],
];

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
  /** Of each row its payee, in 8 bytes, a byte in each character. */
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
