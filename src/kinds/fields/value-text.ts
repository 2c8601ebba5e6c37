/*
 * A value of a cell: its text without invisible characters, its translation, whether it means an empty cell, and the result
 * of its check together with other values of its row.
 */

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
import type { FindingCode } from './finding-codes.ts';

/** The data of the row's other cells that a value's check may read. */
export interface RowValues {
  /** Another field's value in its canonical form; undefined if it is empty or refused. */
  readonly valueOf: (field: string) => string | undefined;
  /**
   * The country of numbers without `+` and country code, ISO 3166-1 alpha-2; null if the mapping declares none, undefined if
   * the row's column has no country.
   */
  readonly phoneCountry: () => string | null | undefined;
}

/** A value without context: the mapping declares nothing, and the other values of its row are not known. */
export const noOtherValues: RowValues = {
  valueOf: () => undefined,
  phoneCountry: () => null,
};

/** A value that does not pass, with the sentence about the reason. */
export interface ValueRefusal {
  readonly code: FindingCode;
  readonly message: Message;
  /** Whether it is about the whole cell, which is split into several fields: one finding is enough for all of them. */
  readonly isOfCell?: true;
}

/** A value that passes, with the notes about it. */
export interface NotedValue {
  readonly value: string;
  /** Empty if there is no note besides the repair. */
  readonly notes: readonly ValueNote[];
  /** The repair of the cell to which a person has agreed. */
  readonly repaired?: string;
  /** The form of the cell in result files, if its repair depends on more than the cell. */
  readonly cell?: string;
}

/** The result of a value's check: its canonical form if it passes. */
export type ValueResult = string | NotedValue | ValueRefusal;

/** The check of one value that is not empty. It gets the type of its cell (if the cell is not text) and its row. */
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

/** The canonical value that a check returned; undefined if the value is empty or refused. */
export function passedValue(result: ValueResult): string | undefined {
  if (typeof result === 'string') return result === '' ? undefined : result;
  return isValueRefusal(result) || result.value === '' ? undefined : result.value;
}

export const longestValue = 255;

const space = 0x20;
const lastPrintable = 0x7e;

const lineBreak = /\r\n|[\n\r\t\v\f\u0085\u2028\u2029]/g;
/** Noncharacters (U+FFFE, U+FDD0, ...) are not text in any file format, and some formats cannot contain them at all. */
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

/**
 * Whether a text needs no further check, like most values: it is printable ASCII without white space around it, empty or not
 * too long.
 */
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
 * The text of a value: without white space around it, in Unicode's composed form (NFC), and without control characters,
 * their visible pictures, noncharacters and halves of characters. At most 255 characters.
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

/**
 * The mapping's translation of a text: '' for empty, null for a value without a counterpart, undefined if there is no
 * translation.
 */
export type Translate = (text: string) => string | null | undefined;

/** The text in the form for comparison, since people do not distinguish case and blanks. */
export function foldValue(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/g, '');
}

const silent: Translate = () => undefined;

/**
 * Makes the translation of a column's values. An exact match has precedence. Otherwise a match that differs only in case and
 * blanks counts, unless two such matches mean different things.
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

/** The value that a message is about, with all but its end hidden. */
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
