/* Cuts CSV text into records, within limits and at any size. */

import { CsvError, type Options, Parser } from 'csv-parse';
import { cutFile, describeBytes, InputError, type InputLimits, limitExceeded } from '../file/input-error.ts';
import type { RawRow, RawRows } from '../rows/header.ts';
import { type Delimiter, type Dialect, standardDialect } from './dialect.ts';

/** What a first reading of the whole text found at its end. */
export interface TextEnd {
  /** Whether its last line has a line end; an empty text has no last line. */
  readonly hasLineEnd: boolean;
}

const STARTS_WITH_QUOTE = ['begins with a quotation mark that is part of the value'];

function parserOptions(delimiter: Delimiter, dialect: Dialect, limits: InputLimits): Options {
  return {
    delimiter: delimiter.character,
    quote: dialect.quote,
    escape: dialect.escape,
    trim: dialect.skipsBlanks,
    // Automatic detection would silently merge rows where a header ends with CRLF and rows with LF.
    record_delimiter: ['\r\n', '\n', '\r'],
    // A quote inside an unquoted value is a letter: 5" pipe.
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: limits.recordBytes,
    bom: false,
  };
}

function unclosedQuote(row: number, details: { cause?: unknown }): InputError {
  return new InputError(
    'quote_not_closed',
    `In row ${row} a quotation mark opens a value and is not closed where the value ends.`,
    'correct the quotation marks of that row: close it, or write "" for one inside a quoted value',
    { row, ...details },
  );
}

/** @param before the records that the parser did not get to see  @param isCut whether the text ends in a quoted value of its last line */
function parseError(error: unknown, before: number, isCut: boolean, limits: InputLimits): unknown {
  if (!(error instanceof CsvError)) return error;
  // Blank lines are records too, so records are rows.
  const row = before + Number(error['records']) + 1;
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') {
    return isCut
      ? cutFile(`it ends in the middle of a quoted value of row ${row}, the last one`, { row, cause: error })
      : unclosedQuote(row, { cause: error });
  }
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    return limitExceeded(
      `row ${row} is longer than ${describeBytes(limits.recordBytes)}`,
      'look for a quotation mark in that row that is never closed',
      { row, cause: error },
    );
  }
  return new InputError('not_csv', `Row ${row} cannot be read as CSV.`, 'save the file again as CSV UTF-8', {
    row,
    cause: error,
  });
}

/**
 * The parser returns a value unchanged, opening quote included, when its quote closes before other letters. If it
 * contains a line break, it has swallowed the beginning of the next row.
 */
function checkQuotes(cells: readonly string[], row: number, dialect: Dialect): readonly string[] | undefined {
  // The whole file showed another dialect, in which no quote closes before other letters.
  if (dialect !== standardDialect) return undefined;
  let notes: readonly string[] | undefined;
  for (const cell of cells) {
    if (!cell.startsWith(dialect.quote)) continue;
    if (cell.includes('\n') || cell.includes('\r')) throw unclosedQuote(row, {});
    notes = STARTS_WITH_QUOTE;
  }
  return notes;
}

function checkWidth(cells: string[], row: number, limits: InputLimits): void {
  if (cells.length <= limits.columns) return;
  while (cells.length > limits.columns && cells[cells.length - 1] === '') cells.pop();
  if (cells.length <= limits.columns) return;
  throw limitExceeded(
    `row ${row} has more than ${limits.columns} columns`,
    'check the delimiter, and remove the columns that do not belong to the list',
    { row },
  );
}

function takeRows(parser: Parser, counted: number, dialect: Dialect, limits: InputLimits): RawRow[] {
  const rows: RawRow[] = [];
  for (let cells: string[] | null = parser.read(); cells !== null; cells = parser.read()) {
    const number = counted + rows.length + 1;
    checkWidth(cells, number, limits);
    const notes = checkQuotes(cells, number, dialect);
    rows.push(notes === undefined ? { number, cells } : { number, cells, notes });
  }
  return rows;
}

function plainRows(records: readonly string[][], counted: number, limits: InputLimits): RawRow[] {
  return records.map((cells, at) => {
    checkWidth(cells, counted + at + 1, limits);
    return { number: counted + at + 1, cells };
  });
}

/** Passes a chunk (or the end) to the parser, and resolves when it is ready for the next one. */
function feed(parser: Parser, chunk: Buffer | null): Promise<unknown> {
  return new Promise((resolve) => {
    const done = (error?: Error | null) => resolve(error ?? undefined);
    if (chunk === null) parser.end(done);
    else parser.write(chunk, done);
  });
}

/**
 * Every record of a CSV text, blank ones included.
 *
 * @param text - UTF-8, without a byte order mark
 * @param end - what a first reading found at its end
 * @throws InputError when a quote is not closed or a limit is exceeded
 */
export async function* csvRows(
  text: AsyncIterable<Buffer>,
  delimiter: Delimiter,
  dialect: Dialect,
  limits: InputLimits,
  { hasLineEnd }: TextEnd,
): RawRows & AsyncGenerator<RawRow[]> {
  const lastLine = new QuotesOfLastLine(dialect.quote);
  const parser = new Parser(parserOptions(delimiter, dialect, limits));
  const plain = new PlainRecords(delimiter.character, dialect.quote, limits.recordBytes);
  let isPlain = true;
  let counted = 0;
  let countedPlain = 0;
  // Failures reach `feed` as well. Without this listener they would end the program.
  parser.on('error', () => {});
  const feedAndTake = async (chunk: Buffer | null): Promise<RawRow[]> => {
    const fed = feed(parser, chunk);
    // The parser accepts no more input before its rows are read, so rows are read before waiting, and again after.
    const rows = takeRows(parser, counted, dialect, limits);
    const error = await fed;
    rows.push(...takeRows(parser, counted + rows.length, dialect, limits));
    counted += rows.length;
    if (error !== undefined) throw parseError(error, countedPlain, !hasLineEnd && lastLine.isOpen, limits);
    return rows;
  };
  const read = async (chunk: Buffer): Promise<RawRow[]> => {
    if (!isPlain) return feedAndTake(chunk);
    const { records, rest } = plain.cut(chunk);
    const rows = plainRows(records, counted, limits);
    counted += rows.length;
    countedPlain = counted;
    if (rest === null) return rows;
    isPlain = false;
    return feedAndTake(rest);
  };
  try {
    for await (const chunk of withoutInstruction(text, delimiter.instructionLength)) {
      if (!hasLineEnd) lastLine.take(chunk);
      const rows = await read(chunk);
      if (rows.length > 0) yield rows;
    }
    if (isPlain) {
      const rows = await feedAndTake(plain.begun);
      if (rows.length > 0) yield rows;
    }
    const last = await feedAndTake(null);
    const ending = last.pop();
    if (ending !== undefined) yield [...last, hasLineEnd ? ending : { ...ending, cut: 'possible' }];
  } finally {
    parser.destroy();
  }
}

/** Counts the quotation marks after the text's last line break. After an odd number, a value is still open. */
class QuotesOfLastLine {
  readonly #quote: number;
  #count = 0;

  constructor(quote: string) {
    this.#quote = quote.charCodeAt(0);
  }

  take(chunk: Buffer): void {
    const lineBreak = Math.max(chunk.lastIndexOf(LINE_FEED), chunk.lastIndexOf(CARRIAGE_RETURN));
    if (lineBreak >= 0) this.#count = 0;
    for (let at = chunk.indexOf(this.#quote, lineBreak + 1); at >= 0; at = chunk.indexOf(this.#quote, at + 1))
      this.#count += 1;
  }

  get isOpen(): boolean {
    return this.#count % 2 === 1;
  }
}

/** The instruction line is cut as text and not as bytes, since its delimiter may be a non-ASCII character. */
export async function* withoutInstruction(
  text: AsyncIterable<Buffer>,
  characters: number,
): AsyncGenerator<Buffer> {
  let start: Buffer | null = characters === 0 ? null : Buffer.alloc(0);
  for await (const chunk of text) {
    if (start === null) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < characters * 4) continue;
    yield cutStart(start, characters);
    start = null;
  }
  if (start !== null) yield cutStart(start, characters);
}

function cutStart(text: Buffer, characters: number): Buffer {
  const instruction = text
    .subarray(0, characters * 4)
    .toString()
    .slice(0, characters);
  return text.subarray(Buffer.byteLength(instruction));
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Records that were cut out of a text, and where the parser has to continue. */
interface CutRecords {
  readonly records: readonly string[][];
  /** The beginning of a record and all text read after it; null as long as records can be cut. */
  readonly rest: Buffer | null;
}

/**
 * Cuts CSV into records as long as it has no quotation mark. A record is then a line, and its values are the texts
 * between delimiters. csv-parse reads everything else; it would take four times as long here.
 */
class PlainRecords {
  readonly #delimiter: string;
  readonly #quote: string;
  readonly #recordBytes: number;
  #begun: Buffer = Buffer.alloc(0);

  /** @param recordBytes a record that is longer is left to the parser, which refuses it */
  constructor(delimiter: string, quote: string, recordBytes: number) {
    this.#delimiter = delimiter;
    this.#quote = quote;
    this.#recordBytes = recordBytes;
  }

  /** The last, incomplete record of the text so far. */
  get begun(): Buffer {
    return this.#begun;
  }

  cut(chunk: Buffer): CutRecords {
    const bytes = this.#begun.length === 0 ? chunk : Buffer.concat([this.#begun, chunk]);
    if (chunk.includes(this.#quote)) return { records: [], rest: bytes };
    // A carriage return at the very end may be the first half of a line break.
    const end = Math.max(bytes.lastIndexOf(LINE_FEED), bytes.lastIndexOf(CARRIAGE_RETURN, -2)) + 1;
    const lines = linesOf(bytes.toString('utf8', 0, end));
    this.#begun = bytes.subarray(end);
    if (this.#isTooLong(lines, end)) return { records: [], rest: bytes };
    return { records: lines.map((line) => line.split(this.#delimiter)), rest: null };
  }

  #isTooLong(lines: readonly string[], bytes: number): boolean {
    if (this.#begun.length >= this.#recordBytes) return true;
    return bytes >= this.#recordBytes && lines.some((line) => Buffer.byteLength(line) >= this.#recordBytes);
  }
}

/** The lines of a text that ends with a line break. */
function linesOf(text: string): string[] {
  const lines = text.includes('\r') ? text.split(/\r\n|\n|\r/) : text.split('\n');
  lines.pop();
  return lines;
}
