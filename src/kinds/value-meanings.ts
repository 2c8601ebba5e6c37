/*
 * What people write in columns of few values, in the languages of their files, and the word that it means. It is
 * evidence for a proposal: a word that the API's specification does not show is sent only after a person has confirmed it.
 * Case, accents and signs do not count.
 */

import { readFileSync } from 'node:fs';
import { dataOf } from '../domain/text/data-file.ts';

/** Fields with the same words, and for each meaning the words that have it. */
export interface FieldMeanings {
  readonly fields: readonly string[];
  readonly meanings: Readonly<Record<string, readonly string[]>>;
}

const tables = dataOf<readonly FieldMeanings[]>(
  readFileSync(new URL('./value-meanings.json', import.meta.url), 'utf8'),
);

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

const meaningsByField = new Map(
  tables.flatMap(({ fields, meanings }) => {
    const meaningByWord: ReadonlyMap<string, string> = new Map(
      Object.entries(meanings).flatMap(([meaning, words]) =>
        [meaning, ...words].map((word): [string, string] => [plain(word), meaning]),
      ),
    );
    return fields.map((field) => [field, meaningByWord] as const);
  }),
);

/** Whether a field's values are a small set, closed or by convention. */
export function hasMeanings(field: string): boolean {
  return meaningsByField.has(field);
}

/** The word that a value of a field means, undefined where it is not known. */
export function meaningOf(field: string, value: string): string | undefined {
  return meaningsByField.get(field)?.get(plain(value));
}

/**
 * The same for the values of one column, where one value explains another: `M` is a woman beside `H` (hombre, mujer), and
 * may be either beside `V` (varón, mujer; man, vrouw), unless an `F` shows that it is a man.
 */
export function meaningsIn(field: string, values: readonly string[]): (value: string) => string | undefined {
  const letters = new Set(values.map(plain).filter((value) => value.length === 1));
  const isWomanM = field === 'gender' && letters.has('h') && letters.has('m') && !letters.has('f');
  const isUnclear = field === 'gender' && letters.has('v') && letters.has('m') && !letters.has('f');
  return (value) => {
    const letter = plain(value);
    if (isUnclear && (letter === 'm' || letter === 'v')) return undefined;
    return isWomanM && letter === 'm' ? 'female' : meaningOf(field, value);
  };
}

/** The words that the values of a field may mean, whether or not the API's specification has shown them. */
export function knownMeanings(field: string): readonly string[] {
  return tables.flatMap(({ fields, meanings }) => (fields.includes(field) ? Object.keys(meanings) : []));
}
