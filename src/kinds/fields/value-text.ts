/*
 * A value of a cell: its text without invisible characters, its translation, and the result of its check beside
 * the other values of its row.
 */

import type { ReadingRules } from '../../domain/tables/mapping.ts';
import type { CellKind, EarlierValue } from '../../domain/tables/table.ts';
import {
  controlOf,
  countCharacters,
  isAtMost,
  pictures,
  showBreaks,
  withPlainDigits,
} from '../../domain/text/characters.ts';

/* Days written year first: the one order of a date that nobody confuses with another, whatever signs stand between its parts. */

/** The words behind year, month and day: of Chinese and Japanese, and of Korean. */
const inWords = /^(\d{4}) ?([年년]) ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日일]$/u;
const withSigns = /^(\d{4}) ?([./-]) ?(\d{1,2}) ?\2 ?(\d{1,2})\.?$/;

/** An era of a calendar: its names, the Gregorian year of its first one, and its first and last day as YYYYMMDD. */
interface Era {
  readonly names: readonly string[];
  readonly first: number;
  readonly from: number;
  readonly to: number;
}

/** The eras of Japan since it has the Gregorian months (people date the day of a change by both), and the calendar of Taiwan. */
const eras: readonly Era[] = [
  { names: ['明治', 'M'], first: 1868, from: 18730101, to: 19120730 },
  { names: ['大正', 'T'], first: 1912, from: 19120730, to: 19261225 },
  { names: ['昭和', 'S'], first: 1926, from: 19261225, to: 19890108 },
  { names: ['平成', 'H'], first: 1989, from: 19890108, to: 20190501 },
  { names: ['令和', 'R'], first: 2019, from: 20190501, to: 99991231 },
  { names: ['民國', '民国'], first: 1912, from: 19120101, to: 99991231 },
];
const eraInWords = /^(\p{sc=Han}{2}) ?(\d{1,3}|元) ?年 ?(\d{1,2}) ?月 ?(\d{1,2}) ?日$/u;
const eraWithSigns = /^(\p{sc=Han}{2}|[MTSHR]) ?(\d{1,3}|元)([./-])(\d{1,2})\3(\d{1,2})$/u;

/** A day of an era: `昭和57年6月10日`, `S57.6.10`; undefined for a day that the era does not have. */
function eraDay(text: string): YearFirstDay | undefined {
  const words = eraInWords.exec(text);
  const signs = eraWithSigns.exec(text);
  const [name, number, sign, month, day] =
    words === null
      ? [signs?.[1], signs?.[2], signs?.[3], signs?.[4], signs?.[5]]
      : [words[1], words[2], '年', words[3], words[4]];
  const era = eras.find(({ names }) => name !== undefined && names.includes(name));
  if (era === undefined || sign === undefined || month === undefined || day === undefined) return undefined;
  const year = era.first + (number === '元' ? 1 : Number(number)) - 1;
  const date = year * 10_000 + Number(month) * 100 + Number(day);
  const isOfEra = number !== '0' && date >= era.from && date <= era.to;
  return isOfEra ? { year: String(year), sign, month, day } : undefined;
}

/** A day written year first: its parts as they are written, and the sign or word behind its year. */
interface YearFirstDay {
  readonly year: string;
  readonly sign: string;
  readonly month: string;
  readonly day: string;
}

/**
 * The parts of a day with a year of four digits first, such as `1985/3/9` or `1990年1月5日`, or with the year of an era;
 * undefined for another text.
 */
export function yearFirstDay(text: string): YearFirstDay | undefined {
  const plain = withPlainDigits(text.trim());
  const [, year, sign, month, day] = withSigns.exec(plain) ?? inWords.exec(plain) ?? [];
  if (year === undefined || sign === undefined || month === undefined || day === undefined)
    return eraDay(plain);
  return { year, sign, month, day };
}

/** Whether a declared format has the year, then the month, then the day, as YYYY/M/D does. */
export function isYearFirstFormat(format: string): boolean {
  return /^[^YMD]*YYYY[^YMD]*MM?[^YMD]*DD?[^YMD]*$/.test(format);
}

/**
 * Every code that a finding may have, with its text from docs/findings.md, in this order. The codes are public
 * and stable: scripts and spreadsheets filter by them, so codes may be added, but not changed or removed.
 */
export const catalogue = {
  invalid_characters:
    'A control character, line break or tab (a mapping may say `"lineBreaks": "space"`), damage (U+FFFD), a noncharacter (U+FFFE), or what result files show for one (`␛`).',
  too_long: 'Longer than 255 characters, or than the rules file allows.',
  too_short: 'Shorter than the rules file requires.',
  required: 'A value that the row needs is empty. Of two columns in the message, either will do.',
  unexpected_value:
    'A value in a column that this payee type does not have, or beyond the last column (an unquoted comma?). Or the row repeats the header.',
  unknown_value: 'Not one of the possible values, which the message names.',
  damaged_number:
    'A spreadsheet program took an identifier for a number (`1.23457E+11`). Format the column as "Text" and enter it again from its source.',
  spreadsheet_error: 'A formula that has an error (`#N/A`) or no result.',
  pattern_mismatch: 'Does not have the form that the rules file requires.',
  invalid_email: 'Not exactly one e-mail address.',
  invalid_phone: 'Not a possible number such as `+254712345678`; others need `phoneCountry` in the mapping.',
  invalid_date: 'Not `YYYY-MM-DD`; other forms need `dateFormat` in the mapping.',
  date_in_future: 'A date of birth after today (UTC).',
  date_too_early: 'A date of birth before 1900.',
  invalid_country: 'Not a code of ISO 3166-1 (`GB`, not `UK`); a mapping allows names.',
  invalid_state: "Not a code of ISO 3166-2 (`US-CA`) of the row's country; a mapping allows names.",
  invalid_postal_code:
    "Does not have the form of the country's postal codes (five digits in Germany). A leading zero may be lost.",
  invalid_currency: 'Not a code of ISO 4217 in use (`KES`, not `KSH`).',
  invalid_uuid: 'Not a UUID. Copy it from a result file, or name the object in its other column.',
  invalid_amount: 'Not a positive decimal (`1000.00`). A mapping may declare separators and signs.',
  too_many_decimals: 'More decimals than the currency has (`100.5` JPY).',
  invalid_iban: 'Wrong country, length, form or check digits.',
  not_sepa_country: 'An IBAN of a country outside SEPA: use another payee type.',
  invalid_routing_number: 'Not nine digits with the ABA checksum. A leading zero may be lost.',
  invalid_account_number:
    'Does not have the form of account numbers in its country: 4 to 17 digits in the United States, 10 in Nigeria.',
  currency_mismatch: 'Not a currency of the payee type or the institution.',
  country_mismatch: "The phone's country is not that of the mobile money provider.",
  conflicting_values:
    'Two columns should name the same and do not, such as `customer_id` and `customer_external_id`.',
  customer_unknown:
    'Neither in this environment nor in the same import. Import it first, or give `customer_id`.',
  account_unknown:
    'Neither in this environment nor in the same import. Import it first, or give `destination_id`.',
  institution_unknown:
    "Not in the country's list. The message names the nearest ones; `institutions` lists all of them.",
  ambiguous_institution: 'Several institutions of the country have this name: give `institution_id`.',
  institution_type_mismatch: 'A bank where a mobile money provider is needed, or the reverse.',
  institution_unverifiable:
    "Held: the country's list could not be read in full. Send the batch again later, or decide (`resolve`).",
  file_may_be_cut:
    'Held: the file ends in this row without a line end, which earlier files of this header had, or with fewer cells than all others have. Import the whole file, or decide (`resolve`).',
  marked_row:
    'Held: the row is marked in the file (struck through, coloured, or by the value of a column), and a person has said that such rows are held. Decide (`resolve`).',
  below_minimum: 'Less than the institution takes.',
  above_maximum: 'More than the institution takes: split the amount.',
  conflicting_duplicate:
    'An earlier row of the file is about the same object with other values: delete the wrong one.',
  corrected_twice:
    'An earlier row of the file corrects the same row with other values: delete the wrong one.',
  differs_from_created:
    'Held: the object was created with other values; the message names the fields. Decide (`resolve`).',
  unknown_elsewhere:
    'Held: a row of another batch about the same object is in doubt. Go on with that batch first (`resume`).',
  corrects_in_doubt:
    'Held: the row that it corrects, or another correction of that row, is in doubt. It is sent once that row is refused, or decided `not-created`.',
  corrects_created:
    'Held: the row that it corrects, or another correction of that row, is created. Decide (`resolve`): `existing`, or `send` to create it as well.',
  payee_details_changed:
    'The same customer and name had another account before. Ask the payee, but not by a contact from the file. The row is held if the setting `changes` is `hold`; then decide (`resolve`).',
  account_shared:
    'The account, IBAN or phone belongs to another customer or name. The row is held if the setting `changes` is `hold`; then decide (`resolve`).',
  closed:
    'A person closed the batch before the row was sent (`close`). The row is sent once its failed file is imported.',
  superseded:
    'Corrected in another file, which the message names. It is no longer sent, and is done once the correction is.',
} as const satisfies Record<string, string>;

/** The code of a finding; one that the catalogue does not list does not compile. */
export type FindingCode = keyof typeof catalogue;

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
  readonly message: string;
}

/** A value that passes, with a note about it; the column's title is added to the note. */
export interface NotedValue {
  readonly value: string;
  /** Empty where there is no note besides the repair. */
  readonly note: string;
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

/** Alternatives in a sentence: `a, b or c`. */
export function eitherOf(values: readonly string[]): string {
  if (values.length < 2) return values.join('');
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}
