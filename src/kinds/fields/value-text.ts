/*
 * A value of a cell: its text without invisible characters, its translation, whether it means an empty cell, and the result
 * of its check beside the other values of its row.
 */

import { readFileSync } from 'node:fs';
import type { ValueNote } from '../../domain/rows/finding.ts';
import type { Message, ValuePart } from '../../domain/settings/message.ts';
import type { ReadingRules } from '../../domain/tables/mapping.ts';
import type { CellKind, EarlierValue } from '../../domain/tables/table.ts';
import {
  controlOf,
  countCharacters,
  isAtMost,
  mask,
  pictures,
  showBreaks,
} from '../../domain/text/characters.ts';
import type { FieldType } from '../definition.ts';
import type { FindingCode } from './finding-codes.ts';

/** What a value's check may read of the other cells of its row. */
export interface RowValues {
  /** Another field's value in its canonical form; undefined where it is empty or refused. */
  readonly valueOf: (field: string) => string | undefined;
  /**
   * The country whose numbers are written without `+` and country code, ISO 3166-1 alpha-2; null where the mapping
   * declares none, undefined where the row's column has no country.
   */
  readonly phoneCountry: () => string | null | undefined;
}

/** A value without context: nothing is declared, and the rest of its row is not known. */
export const noOtherValues: RowValues = {
  valueOf: () => undefined,
  phoneCountry: () => null,
};

/** A value that does not pass, and the sentence that states the reason. */
export interface ValueRefusal {
  readonly code: FindingCode;
  readonly message: Message;
}

/** A value that passes, with what is noted about it. */
export interface NotedValue {
  readonly value: string;
  /** Empty where there is no note besides the repair. */
  readonly notes: readonly ValueNote[];
  /** What was repaired in the cell, as a person has agreed. */
  readonly repaired?: string;
  /** How result files write a cell whose repair depends on more than the cell. */
  readonly cell?: string;
}

/** The result of a value's check: its canonical form where it passes. */
export type ValueResult = string | NotedValue | ValueRefusal;

/** The check of one value that is not empty; gets the type of its cell where that is not text, and its row. */
export type ValueCheck = (text: string, kind: CellKind | undefined, row: RowValues) => ValueResult;

/** Reads one cell: '' for an empty one, else the result of its value's checks. */
export type CellCheck = (
  raw: string,
  kind: CellKind | undefined,
  /** The cell's values in earlier rounds of a corrected row. */
  earlier?: readonly EarlierValue[],
  row?: RowValues,
) => ValueResult;

export function isValueRefusal(result: NotedValue | ValueRefusal): result is ValueRefusal {
  return 'code' in result;
}

/** The canonical value that a check returned; undefined where it is empty or refused. */
export function passedValue(result: ValueResult): string | undefined {
  if (typeof result === 'string') return result === '' ? undefined : result;
  return isValueRefusal(result) || result.value === '' ? undefined : result.value;
}

export const longestValue = 255;

const space = 0x20;
const lastPrintable = 0x7e;

const lineBreak = /\r\n|[\n\r\t\v\f\u0085\u2028\u2029]/g;
/** Noncharacters (U+FFFE, U+FDD0, ...) are no text in any file format, and some of these cannot hold them at all. */
const unwanted = new RegExp(
  `[\\p{Cc}\\p{Cs}\\p{Noncharacter_Code_Point}\\ufffd\\u2028\\u2029${pictures}]`,
  'u',
);
const picture = new RegExp(`[${pictures}]`, 'u');
const noncharacter = /^\p{Noncharacter_Code_Point}$/u;

const namesOfCharacters: Readonly<Record<string, string>> = {
  '\n': 'a line break',
  '\r': 'a line break',
  '\u2028': 'a line break',
  '\u2029': 'a line break',
  '\u0085': 'a line break',
  '\t': 'a tab',
  '\ufffd': 'a character that was damaged when the file was saved (U+FFFD)',
};

function describeCharacter(character: string): string {
  const name = namesOfCharacters[character];
  if (name !== undefined) return name;
  if (picture.test(character)) {
    return `${character}, which stands for a control character (${codePointOf(controlOf(character))})`;
  }
  const codePoint = codePointOf(character);
  if (noncharacter.test(character)) return `a code that is no character (${codePoint})`;
  return character >= '\ud800' ? `half a character (${codePoint})` : `a control character (${codePoint})`;
}

function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Most values: printable ASCII without white space around it, empty or not too long. They need no further check. */
function isPlain(text: string): boolean {
  const { length } = text;
  if (length > longestValue) return false;
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < space || code > lastPrintable) return false;
  }
  return text.charCodeAt(0) !== space && text.charCodeAt(length - 1) !== space;
}

/**
 * The text of a value: without white space around it, in Unicode's composed form (NFC), and free of
 * control characters, their visible pictures, noncharacters and halves of characters. At most
 * 255 characters.
 */
export function readText(raw: string, lineBreaks: ReadingRules['lineBreaks']): string | ValueRefusal {
  if (isPlain(raw)) return raw;
  const joined = lineBreaks === 'space' ? raw.trim().replace(lineBreak, ' ') : raw;
  const text = joined.trim().normalize('NFC');
  const found = unwanted.exec(text);
  if (found !== null) {
    const position = countCharacters(text.slice(0, found.index)) + 1;
    const message = `contains ${describeCharacter(found[0])} as its character ${position}; take it out`;
    return { code: 'invalid_characters', message };
  }
  if (!isAtMost(text, longestValue)) {
    return { code: 'too_long', message: tooLong(text, longestValue) };
  }
  return text;
}

export function tooLong(text: string, limit: number): string {
  return `has ${countCharacters(text)} characters; ${limit} is the most`;
}

/** The mapping's translation of a text: '' for empty, null for a value without a counterpart; undefined: there is none. */
export type Translate = (text: string) => string | null | undefined;

/** People do not distinguish case and blanks. */
export function foldValue(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/g, '');
}

const silent: Translate = () => undefined;

/**
 * Makes the translation of a column's values. An exact match counts first, then one that differs in case
 * and blanks only, unless two of these mean different things.
 */
export function createTranslation(values: ReadonlyMap<string, string | null> | undefined): Translate {
  if (values === undefined) return silent;
  const folded = new Map<string, string | null>();
  const unclear = new Set<string>();
  for (const [value, meaning] of values) {
    const key = foldValue(value);
    if (folded.has(key) && folded.get(key) !== meaning) unclear.add(key);
    folded.set(key, meaning);
  }
  return (text) => {
    const exact = values.get(text);
    if (exact !== undefined) return exact;
    const key = foldValue(text);
    return unclear.has(key) ? undefined : folded.get(key);
  };
}

const shownLength = 40;

/** The value in quotation marks, shortened, and without characters that would disturb a terminal or a table. */
export function shorten(value: string): string {
  const characters = [...showBreaks(value).replace(/[\p{Cc}\p{Cs}]/gu, '\ufffd')];
  if (characters.length <= shownLength) return `“${characters.join('')}”`;
  return `“${characters.slice(0, shownLength - 1).join('')}…”`;
}

/** The value that a message is about, shortened. */
export function shownValue(value: string): ValuePart {
  return { value: shorten(value), isMasked: false };
}

/** The value that a message is about, hidden but for its end. */
export function maskedValue(value: string): ValuePart {
  return { value: mask(value), isMasked: true };
}

/** The value that a message is about, without quotation marks: an amount, a code or a date. */
export function plainValue(value: string): ValuePart {
  return { value, isMasked: false };
}

/** Alternatives in a sentence: `a, b or c`. */
export function eitherOf(values: readonly string[]): string {
  if (values.length < 2) return values.join('');
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}

/* Words that people write into cells in place of nothing, and whether such a word may be a value nevertheless. */

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
