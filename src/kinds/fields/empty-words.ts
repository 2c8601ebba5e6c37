/* Words that people write into cells to show that there is no value, and the decision whether such a word may be a value. */

import { readFileSync } from 'node:fs';
import type { FieldType } from '../definition.ts';

/** The content of `empty-words.json`. */
export interface EmptyWords {
  /** Words and signs that people write into empty cells. */
  readonly words: readonly string[];
  /** Words among them that may also be values of a text field: a question mark for a missing value, or `NA` for Namibia. */
  readonly doubtful: readonly string[];
}

const empty: EmptyWords = JSON.parse(readFileSync(new URL('./empty-words.json', import.meta.url), 'utf8'));
const emptyWords: ReadonlySet<string> = new Set(empty.words);
const doubtful: ReadonlySet<string> = new Set(empty.doubtful);

/** Types whose values have digits or a fixed form, so that none of these words can be a value. */
const formal: ReadonlySet<FieldType> = new Set([
  ...(['email', 'phone', 'birth_date', 'iban', 'routing_number', 'uuid', 'postal_code'] as const),
  ...(['account_number', 'us_account_number'] as const),
]);

/** A word in brackets, as programs print nothing: `(null)`, `[empty]`, `<none>`. */
const inBrackets = /^(?:\((.*)\)|\[(.*)\]|<(.*)>|\{(.*)\})$/su;
/** A word between hyphens, as lists of choices in programs have it: `- None -`, `--Select--`. It is never a value. */
const inHyphens = /^([-–—]+)\s*(\p{L}.*\p{L})\s*\1$/su;

/** The word in lower case, without brackets or hyphens around it. */
function bareWord(text: string): string {
  const word = text.trim().toLowerCase();
  const [, ...inside] = inBrackets.exec(word) ?? [];
  return inside.find((part) => part !== undefined)?.trim() ?? inHyphens.exec(word)?.[2] ?? word;
}

/** Whether a word has signs around it. A pivot table writes `(blank)`; a single `(x)` is a mark. */
function isOfProgram(text: string): boolean {
  const word = bareWord(text);
  return [...word].length > 1 && word !== text.trim().toLowerCase();
}

/**
 * Whether a text means an empty cell, in any language. In amounts no text does: in accounting a dash means zero, and a row
 * without an amount must not be paid.
 */
export function isEmptyWord(text: string, type: FieldType): boolean {
  if (type === 'amount') return false;
  const word = bareWord(text);
  if (!emptyWords.has(word)) return false;
  return formal.has(type) ? word !== '?' : !doubtful.has(word) || isOfProgram(text);
}

/** Whether a text is one of these words in any language, doubtful or not. */
function meansNothingSomewhere(text: string): boolean {
  return emptyWords.has(bareWord(text));
}

/* Words of a column that may mean an empty value, if only a person knows whether they are values. */

/**
 * Types whose values are words, so that any word may be a value. All other types refuse such a word, or read it as empty.
 */
const ofWords: ReadonlySet<FieldType> = new Set<FieldType>(['text', 'identifier']);

/** Whether a word in a column of this type may be a value, but may also mean an empty value. */
export function mayHoldFillers(type: FieldType | undefined): boolean {
  return type !== undefined && ofWords.has(type);
}

const namesOfPeople: ReadonlySet<string> = new Set([
  'account_name',
  'first_name',
  'middle_name',
  'last_name',
]);

/** One short word in lower case. Among names with capitals, no full name is written like that. */
const smallWord = /^\p{Ll}{1,10}$/u;
/** Signs alone, which are no word: `~`, `..`, `***`. */
const onlySigns = /^[^\p{L}\p{N}]+$/u;
/** If at least this share of a column's cells has capitals, a word without a capital is not a name. */
const mostCapitals = 0.8;
/** The minimum number of rows with the word in another column. A single row may repeat one mistake. */
const fewestElsewhere = 2;

/** The data with which a word is compared. */
interface BesideWord {
  readonly field: string;
  /** The share of the column's filled cells that have a capital letter. */
  readonly capitals: number;
  /** The words, in lower case, that mean an empty value in any column. */
  readonly said: ReadonlySet<string>;
  /** The number of rows in which another column has the word. */
  readonly elsewhere: (word: string, isFolded: boolean) => number;
}

/** Whether a text can be a filler word in any file. Only such texts have to be counted. */
export function isFillerForm(text: string, said: ReadonlySet<string>): boolean {
  return (
    meansNothingSomewhere(text) ||
    said.has(text.toLowerCase()) ||
    smallWord.test(text) ||
    onlySigns.test(text)
  );
}

/** Whether a word may mean an empty value in a column whose values are words. */
export function mayStandForNothing(text: string, { field, capitals, said, elsewhere }: BesideWord): boolean {
  if (onlySigns.test(text)) return true;
  if (meansNothingSomewhere(text) || said.has(text.toLowerCase()))
    return !isWrittenAsName(text) || elsewhere(text.toLowerCase(), true) > 0;
  const isAmongCapitals = namesOfPeople.has(field) && capitals >= mostCapitals;
  return isAmongCapitals && smallWord.test(text) && elsewhere(text, false) >= fewestElsewhere;
}

/** Whether a text is written like a family name, as `Na` is. `NA`, `na` and `?` are not. */
function isWrittenAsName(text: string): boolean {
  return /^\p{Lu}\p{Ll}+$/u.test(text);
}
