/* Which dialect a CSV file is in: its delimiter, its quotes, and how its rows are separated. */

import { defaultLimits, InputError, type InputLimits } from '../file/input-error.ts';
import type { InputOptions } from '../rows/input-table.ts';
import { type DialectRead, DialectScan, type Quoting } from './dialect-scan.ts';

/** How a CSV file separates its values. */
export interface Delimiter {
  readonly character: string;
  /** Characters of a `sep=;` line at the start, which is an instruction and not a row; 0 without one. */
  readonly instructionLength: number;
}

const CANDIDATES = [',', ';', '\t', '|'];
/** Delimiters of programs of older times. They count only in a file that the usual ones do not cut, or cut far less. */
const RARE_CANDIDATES = ['^', '~', '¦', '\u001f'];
const RECORDS_LOOKED_AT = 100;
const INSTRUCTION = /^"?sep=([^"\r\n])"?(?:\r\n|\n|\r|$)/i;

/** @throws InputError when it is not one character that can separate values */
export function statedDelimiter(delimiter: string): string {
  if (delimiter === '\\t') return '\t';
  if ([...delimiter].length === 1 && !/["\r\n\0\uFFFD]/.test(delimiter)) return delimiter;
  throw new InputError(
    'invalid_delimiter',
    'The stated delimiter cannot be used.',
    'state the one character between values: , or ; or | or \\t for a tab',
  );
}

/** The values of the first records that are not empty, cut at delimiters outside quotes. */
function firstRecords(text: string, delimiter: string): string[][] {
  const records: string[][] = [];
  let values: string[] = [];
  let value = '';
  let inQuotes = false;
  const endValue = () => {
    values.push(value);
    value = '';
  };
  const endRecord = () => {
    endValue();
    if (values.length > 1 || values[0] !== '') records.push(values);
    values = [];
  };
  for (let at = 0; at < text.length && records.length < RECORDS_LOOKED_AT; at += 1) {
    const character = text[at] ?? '';
    if (inQuotes) {
      if (character === '"') inQuotes = false;
    } else if (character === '\n' || character === '\r') {
      endRecord();
      continue;
    } else if (character === delimiter) {
      endValue();
      continue;
      // A quote right after a closing one is an escaped quote, and its value continues.
    } else if (character === '"' && (value === '' || text[at - 1] === '"')) inQuotes = true;
    value += character;
  }
  // The sample may end in the middle of a record. An incomplete record counts if it is the only one.
  if (records.length === 0) endRecord();
  return records;
}

const numberBefore = String.raw`"?[-+]?(?:\d[\d .'\u00a0\u202f]*)?\d`;
const fractionBehind = String.raw`\d{1,4}[ \u00a0]?[-%]?"?`;
/**
 * Decimal commas: those of a number between other delimiters, or between one and an end of the line. Where each row has an
 * amount, they are as regular as delimiters.
 */
const decimalComma = new RegExp(
  `(?<=[;\\t|]${numberBefore}),(?=${fractionBehind}(?:[;\\t|\\r\\n]|$))|(?<=^${numberBefore}),(?=${fractionBehind}[;\\t|])`,
  'gm',
);

/** The most frequent count of delimiters that is not 0, and the share of records that have it. */
function regularity(records: readonly string[][]): { share: number; count: number } {
  const frequencies = new Map<number, number>();
  for (const values of records) {
    const count = values.length - 1;
    if (count > 0) frequencies.set(count, (frequencies.get(count) ?? 0) + 1);
  }
  let best = { share: 0, count: 0 };
  for (const [count, frequency] of frequencies) {
    const share = frequency / records.length;
    if (share > best.share || (share === best.share && count > best.count)) best = { share, count };
  }
  return best;
}

/** A value as a title: without the quotes around it, double or single. */
function titleOf(value: string): string {
  return value
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .trim();
}

/**
 * Finds the delimiter: an instruction line `sep=;`, as spreadsheet programs write and honour it; else the one of `,`
 * `;` tab `|` that makes one of the first rows a header; else the one with the same count in most of the first
 * records, outside quotes. Decimal commas between other delimiters do not count. `^` and other rare delimiters count where they
 * cut the rows into far more values.
 *
 * @param sample - the text's beginning
 * @param isHeader - recognises a header by its titles; this takes precedence over the counts of delimiters
 */
export function findDelimiter(sample: string, isHeader?: InputOptions['isHeader']): Delimiter {
  const instruction = INSTRUCTION.exec(sample);
  if (instruction?.[1] !== undefined) {
    return { character: statedDelimiter(instruction[1]), instructionLength: instruction[0].length };
  }
  const all = CANDIDATES.map((character) => ({
    character,
    records: firstRecords(character === ',' ? sample.replace(decimalComma, '.') : sample, character),
  }));
  const withHeader = all.filter(({ records }) =>
    records.slice(0, defaultLimits.headerRows).some((values) => isHeader?.(values.map(titleOf)) ?? false),
  );
  const regular = (withHeader.length > 0 ? withHeader : all).map(({ character, records }) => ({
    character,
    ...regularity(records),
  }));
  const [first] = [...regular].sort((one, other) => other.share - one.share || other.count - one.count);
  const rare = RARE_CANDIDATES.map((character) => ({
    character,
    ...regularity(firstRecords(sample, character)),
  })).find(
    ({ share, count }) => share >= nearlyAsRegular && count > 1 && count >= (first?.count ?? 0) * farMore,
  );
  if (rare !== undefined) return { character: rare.character, instructionLength: 0 };
  if (first === undefined || first.count === 0) return { character: ',', instructionLength: 0 };
  const best = regular.find(
    ({ share, count }) => share >= first.share * nearlyAsRegular && count >= first.count * farMore,
  );
  return { character: (best ?? first).character, instructionLength: 0 };
}

/**
 * A character that cuts rows into far more values, nearly as regularly, is the delimiter instead. Titles and notes do
 * not contain a delimiter, and addresses may have a comma in every row.
 */
const nearlyAsRegular = 0.85;
const farMore = 3;

/** The instruction line is not a row, even where the delimiter was stated. */
export function instructionLength(sample: string): number {
  return INSTRUCTION.exec(sample)?.[0].length ?? 0;
}

/** How a CSV file writes the values between its delimiters. */
export interface Dialect extends Quoting {
  readonly notes: readonly string[];
}

/** The dialect of RFC 4180: values in double quotes, a double quote in them written twice. */
export const standardDialect: Dialect = { quote: '"', escape: '"', skipsBlanks: false, notes: [] };

const BLANKS = 'blanks between delimiters and quotation marks are part of no value';
const BACKSLASHES = 'quotation marks inside values are written with a backslash, and read without it';
const SINGLE_QUOTES = 'values are in single quotes, and read without them';

const spaced: Dialect = { ...standardDialect, skipsBlanks: true, notes: [BLANKS] };
const withBackslashes: Dialect = { quote: '"', escape: '\\', skipsBlanks: true, notes: [BACKSLASHES] };
const singleQuoted: readonly Dialect[] = [
  { quote: "'", escape: "'", skipsBlanks: true, notes: [SINGLE_QUOTES] },
  { quote: "'", escape: '\\', skipsBlanks: true, notes: [SINGLE_QUOTES, BACKSLASHES] },
];

/** More blanks than are ever written between a delimiter and a quote. */
const BLANKS_KEPT = 100;

/** Looks for signs of other dialects in a text. Without any, the standard dialect needs no further check. */
class Signs {
  readonly #begins: RegExp;
  readonly #ends: RegExp;
  readonly #besideBlanks: RegExp;
  #hasBackslash = false;
  #hasBlanks = false;
  /** A value begins with a single quote, as does a value that is guarded against being read as a formula. */
  #hasBeginning = false;
  #hasEnd = false;
  #last = '\n';

  constructor(delimiter: string) {
    const edge = `[\\r\\n${delimiter.replace(/[\\\]^-]/, '\\$&')}]`;
    this.#begins = new RegExp(`${edge}[ \\t]*'`);
    this.#ends = new RegExp(`'[ \\t]*${edge}`);
    this.#besideBlanks = new RegExp(`${edge}[ \\t]+"|"[ \\t]+${edge}`);
  }

  take(piece: string): void {
    const text = this.#last + piece;
    this.#last = text.slice(-BLANKS_KEPT);
    this.#hasBackslash ||= text.includes('\\"');
    this.#hasBlanks ||= text.includes('"') && this.#besideBlanks.test(text);
    if (!text.includes("'")) return;
    this.#hasBeginning ||= this.#begins.test(text);
    this.#hasEnd ||= this.#ends.test(text);
  }

  /** The dialects, besides the standard one, that the text may be in, in order of preference. */
  finish(): Dialect[] {
    // The end of the text ends a value too.
    this.take('\n');
    return [
      ...(this.#hasBlanks ? [spaced] : []),
      ...(this.#hasBackslash ? [withBackslashes] : []),
      ...(this.#hasBeginning && this.#hasEnd ? singleQuoted : []),
    ];
  }
}

function unclearQuotes(row: number, cause: string): InputError {
  return new InputError(
    'unclear_quotes',
    `In row ${row} ${cause}, and the file does not say by its other values what that means.`,
    'save the file again as CSV UTF-8, or put the values of that row into double quotes, with "" for one inside',
    { row },
  );
}

function explains(dialect: Dialect, read: DialectRead, standard: DialectRead): boolean {
  if (read.firstMalformed !== null || read.quotedValues === 0) return false;
  if (dialect === spaced) return read.spacedQuotes > 0;
  if (dialect.escape === '\\' && read.escapedQuotes === 0) return false;
  if (dialect.quote === '"') return true;
  // Single quotes count as quotes where all values of a column have them, or where they enclose delimiters.
  return (
    standard.quotedValues === 0 && (standard.wrapsWholeColumns || read.otherWidths < standard.otherWidths)
  );
}

/** @throws InputError with the row, where neither the standard dialect nor another one fits */
function choose(reads: readonly (readonly [Dialect, DialectRead])[], standard: DialectRead): Dialect {
  const { firstMalformed, firstWithBackslash, firstWrapped, firstSpaced } = standard;
  const isRight = firstMalformed === null && firstWrapped === null && firstSpaced === null;
  const found = reads.find(([dialect, read]) => explains(dialect, read, standard));
  if (found !== undefined) {
    const [dialect, { otherWidths, spacedQuotes }] = found;
    if (!isRight || otherWidths < standard.otherWidths) return { ...dialect, skipsBlanks: spacedQuotes > 0 };
  }
  if (firstWithBackslash !== null) {
    throw unclearQuotes(firstWithBackslash, 'there is a backslash before a quotation mark');
  }
  if (firstWrapped !== null) throw unclearQuotes(firstWrapped, 'a value is in single quotes');
  if (firstSpaced !== null) throw unclearQuotes(firstSpaced, 'there are blanks beside the quotation marks');
  return standardDialect;
}

/**
 * Finds how a file writes quotation marks by reading all of it. In a wrong dialect, a name would contain quotes and
 * backslashes, or swallow the next value.
 *
 * @param read - reads the text as UTF-8 from its beginning; called anew for each reading
 * @throws InputError with the row, where no dialect explains it
 */
export async function findDialect(
  read: () => AsyncIterable<Buffer>,
  delimiter: string,
  isHeader: InputOptions['isHeader'],
  { headerRows }: InputLimits,
): Promise<Dialect> {
  // The one character may be two units of UTF-16, which the scans do not support.
  if (delimiter.length > 1) return standardDialect;
  const signs = new Signs(delimiter);
  const ofSigns = new TextDecoder();
  for await (const chunk of read()) signs.take(ofSigns.decode(chunk, { stream: true }));
  const possible = signs.finish();
  if (possible.length === 0) return standardDialect;
  const scanOf = (dialect: Dialect) => new DialectScan(dialect, delimiter, headerRows);
  const standard = scanOf(standardDialect);
  const others = possible.map((dialect) => [dialect, scanOf(dialect)] as const);
  const decoder = new TextDecoder();
  for await (const chunk of read()) {
    const text = decoder.decode(chunk, { stream: true });
    standard.take(text);
    for (const [, scan] of others) scan.take(text);
  }
  const reads = others.map(([dialect, scan]) => [dialect, scan.finish(isHeader)] as const);
  return choose(reads, standard.finish(isHeader));
}
