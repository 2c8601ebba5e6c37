/* Words that people write into cells in place of nothing, and whether such a word may be a value nevertheless. */

import { readFileSync } from 'node:fs';
import type { FieldType } from '../definition.ts';

/** What `empty-words.json` has. */
export interface EmptyWords {
  /** Words and signs that people write into empty cells. */
  readonly words: readonly string[];
  /** Those that may also be values of a text field: a question mark for a missing value, or `NA` for Namibia. */
  readonly doubtful: readonly string[];
}

const empty: EmptyWords = JSON.parse(readFileSync(new URL('./empty-words.json', import.meta.url), 'utf8'));
const emptyWords: ReadonlySet<string> = new Set(empty.words);
const doubtful: ReadonlySet<string> = new Set(empty.doubtful);

/** Types whose values have digits or a fixed form, so that none of these words can be one. */
const formal: ReadonlySet<FieldType> = new Set([
  ...(['email', 'phone', 'birth_date', 'iban', 'routing_number', 'uuid', 'postal_code'] as const),
  ...(['account_number', 'us_account_number'] as const),
]);

/**
 * Whether a text means an empty cell, in any language. In amounts no text does: a dash is zero in accounting, and a
 * row without an amount is not to be paid.
 */
export function isEmptyWord(text: string, type: FieldType): boolean {
  if (type === 'amount') return false;
  const word = text.trim().toLowerCase();
  return emptyWords.has(word) && (formal.has(type) ? word !== '?' : !doubtful.has(word));
}

/** Whether a text is one of these words in some language, be it doubtful or not. */
function meansNothingSomewhere(text: string): boolean {
  return emptyWords.has(text.trim().toLowerCase());
}

/* Words of a column that may stand for nothing, while only a person knows whether they are values. */

/** Types whose values are words, of which any may be one. All others refuse or empty such a word by themselves. */
const ofWords: ReadonlySet<FieldType> = new Set<FieldType>(['text', 'identifier']);

/** Whether a word in a column of this type may be a value, and may as well stand for nothing. */
export function mayHoldFillers(type: FieldType | undefined): boolean {
  return type !== undefined && ofWords.has(type);
}

const namesOfPeople: ReadonlySet<string> = new Set([
  'account_name',
  'first_name',
  'middle_name',
  'last_name',
]);

/** One short word in small letters: no full name is written like that beside names with capitals. */
const smallWord = /^\p{Ll}{1,10}$/u;
/** Signs alone, which are no word: `~`, `..`, `***`. */
const onlySigns = /^[^\p{L}\p{N}]+$/u;
/** The share of rows with a capital in the name from which a word without one is no name. */
const mostCapitals = 0.8;
/** At least this many rows have a filler elsewhere; a single one may be the same mistake twice. */
const fewestElsewhere = 2;

/** What a word is compared with. */
interface BesideWord {
  readonly field: string;
  /** The share of the column's filled cells that have a capital letter. */
  readonly capitals: number;
  /** The words, in small letters, that stand for nothing in any column. */
  readonly said: ReadonlySet<string>;
  /** The number of rows in which another column has the word. */
  readonly elsewhere: (word: string, isFolded: boolean) => number;
}

/** Whether a text can be a filler in any file; only these have to be counted. */
export function isFillerForm(text: string, said: ReadonlySet<string>): boolean {
  return (
    meansNothingSomewhere(text) ||
    said.has(text.toLowerCase()) ||
    smallWord.test(text) ||
    onlySigns.test(text)
  );
}

/** Whether a word may stand for nothing in a column whose values are words. */
export function mayStandForNothing(text: string, { field, capitals, said, elsewhere }: BesideWord): boolean {
  if (onlySigns.test(text)) return true;
  if (meansNothingSomewhere(text) || said.has(text.toLowerCase()))
    return !isWrittenAsName(text) || elsewhere(text.toLowerCase(), true) > 0;
  const isAmongCapitals = namesOfPeople.has(field) && capitals >= mostCapitals;
  return isAmongCapitals && smallWord.test(text) && elsewhere(text, false) >= fewestElsewhere;
}

/** `Na`, as the name of a family; `NA`, `na` and `?` are written in another way than names. */
function isWrittenAsName(text: string): boolean {
  return /^\p{Lu}\p{Ll}+$/u.test(text);
}
