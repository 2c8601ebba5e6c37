import { InputError } from '../file/input-error.ts';
import type { InputLimits } from '../file/limits.ts';
import type { InputOptions } from '../table/opened-table.ts';
import { type DialectRead, DialectScan, type Quoting } from './dialect-scan.ts';

/** How a CSV file writes what stands between its delimiters. */
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

/** More than anybody puts between a delimiter and a quote. */
const BLANKS_KEPT = 100;

/** What of other dialects is anywhere in a text; without any of it, the standard one needs no proof. */
class Signs {
  readonly #begins: RegExp;
  readonly #ends: RegExp;
  readonly #besideBlanks: RegExp;
  #hasBackslash = false;
  #hasBlanks = false;
  /** A value begins with a single quote: so does one that is guarded against being taken for a formula. */
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

  /** The dialects, besides the standard one, that the text may be in; in the order in which they are taken. */
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

async function possibleDialects(text: AsyncIterable<Buffer>, delimiter: string): Promise<Dialect[]> {
  const signs = new Signs(delimiter);
  const decoder = new TextDecoder();
  for await (const chunk of text) signs.take(decoder.decode(chunk, { stream: true }));
  return signs.finish();
}

function unclearQuotes(row: number, cause: string): InputError {
  return new InputError(
    'unclear_quotes',
    `In row ${row} ${cause}, and the file does not say by its other values what that means.`,
    'Save the file again as CSV UTF-8, or put the values of that row into double quotes, with "" for one inside.',
    { row },
  );
}

function explains(dialect: Dialect, read: DialectRead, standard: DialectRead): boolean {
  if (read.firstMalformed !== null || read.quotedValues === 0) return false;
  if (dialect === spaced) return read.spacedQuotes > 0;
  if (dialect.escape === '\\' && read.escapedQuotes === 0) return false;
  if (dialect.quote === '"') return true;
  // Single quotes are quotes where all values of a column have them, or where delimiters stand between them.
  return (
    standard.quotedValues === 0 && (standard.wrapsWholeColumns || read.otherWidths < standard.otherWidths)
  );
}

/** @throws InputError with the row, where the standard reading would be wrong and no other one is right */
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
  if (firstWrapped !== null) throw unclearQuotes(firstWrapped, 'a value stands in single quotes');
  if (firstSpaced !== null) throw unclearQuotes(firstSpaced, 'there are blanks beside the quotation marks');
  return standardDialect;
}

/**
 * Finds how a file writes quotation marks, from the whole of it: with one reading or another a name would get
 * quotes and backslashes, or swallow the next value.
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
  // The one character may be two units of UTF-16, which no scan looks for.
  if (delimiter.length > 1) return standardDialect;
  const possible = await possibleDialects(read(), delimiter);
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
