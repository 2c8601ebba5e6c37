/*
 * What others call paybatch's own columns, by language: the one table of them, read from `column-names.json`. Case, accents,
 * spaces and signs do not count (`A/C No.`, `a c no`), and `#` reads as `no`. A name may belong to several columns: then the
 * values of the column, the other columns of the file, or a person decide.
 */

import { readFileSync } from 'node:fs';

/** The languages in which columns are named; Norwegian is listed with Danish, and Chinese has both its scripts. */
export const languages = [
  'bg',
  'cs',
  'da',
  'de',
  'el',
  'en',
  'es',
  'fi',
  'fr',
  'hr',
  'hu',
  'it',
  'ja',
  'ko',
  'nl',
  'pl',
  'pt',
  'ro',
  'sv',
  'sw',
  'tl',
  'tr',
  'vi',
  'zh',
] as const;

type Language = (typeof languages)[number];

/** The names of one column, by language; a language without a name of its own is left out. */
export type Synonyms = Readonly<Partial<Record<Language, readonly string[]>>>;

/** Names of columns as data files have them: by language, separated by semicolons. */
export type NameTable = Readonly<Partial<Record<Language, string>>>;

/** What `column-names.json` has. */
export type ColumnNames = Readonly<Record<string, NameTable>>;

/** The names of a list as data files have it: separated by semicolons, which keeps a table readable. */
export function namesIn(list: string): readonly string[] {
  return list.split(';').map((name) => name.trim());
}

/** The names of a table, language by language. */
export function synonymsOf(table: NameTable): Synonyms {
  return Object.fromEntries(Object.entries(table).map(([language, names]) => [language, namesIn(names)]));
}

const tables: ColumnNames = JSON.parse(readFileSync(new URL('./column-names.json', import.meta.url), 'utf8'));

const namesByColumn = new Map(
  Object.entries(tables).map(([column, table]) => [column, synonymsOf(table)] as const),
);

/** The names of a column, by its line in the table. @throws Error for one that has no line */
export function namesOf(column: string): Synonyms {
  const names = namesByColumn.get(column);
  if (names === undefined) throw new Error(`column-names.json has no "${column}"`);
  return names;
}
