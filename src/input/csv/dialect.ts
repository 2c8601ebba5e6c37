import { InputError } from '../file/input-error.ts';
import type { InputLimits } from '../file/limits.ts';
import type { InputOptions } from '../table/opened-table.ts';
import { type DialectRead, DialectScan, type Quoting } from './dialect-scan.ts';

/** How a CSV file writes what stands between its delimiters. */
export interface Dialect extends Quoting {
  readonly notes: readonly string[];
}

/** The dialect of RFC 4180: values in double quotes, a double quote in them written twice. */
export const standardDialect: Dialect = { quote: '"', escape: '"', notes: [] };

const BACKSLASHES = 'quotation marks inside values are written with a backslash, and read without it';
const SINGLE_QUOTES = 'values are in single quotes, and read without them';

/** In the order in which they are taken where several are possible. */
const otherDialects: readonly Dialect[] = [
  { quote: '"', escape: '\\', notes: [BACKSLASHES] },
  { quote: "'", escape: "'", notes: [SINGLE_QUOTES] },
  { quote: "'", escape: '\\', notes: [SINGLE_QUOTES, BACKSLASHES] },
];

/** What of other dialects is anywhere in a text; without any of it, the standard one needs no proof. */
class Signs {
  /** `\\"`: a backslash before a quote. */
  hasBackslash = false;
  /** A value begins with a single quote: so does one that is guarded against being taken for a formula. */
  #begins = false;
  /** A value ends with one. */
  #ends = false;
  readonly #edges: readonly string[];
  #last: string;

  constructor(delimiter: string) {
    this.#edges = [delimiter, '\n', '\r'];
    this.#last = '\n';
  }

  get hasSingleQuotes(): boolean {
    return this.#begins && this.#ends;
  }

  take(piece: string): void {
    const text = this.#last + piece;
    this.#last = text.slice(-1);
    this.hasBackslash ||= text.includes('\\"');
    if (!text.includes("'")) return;
    this.#begins ||= this.#edges.some((edge) => text.includes(`${edge}'`));
    this.#ends ||= this.#edges.some((edge) => text.includes(`'${edge}`));
  }

  /** The end of the text ends a value too. */
  finish(): void {
    this.#ends ||= this.#last === "'";
  }
}

async function signsIn(text: AsyncIterable<Buffer>, delimiter: string): Promise<Signs> {
  const signs = new Signs(delimiter);
  const decoder = new TextDecoder();
  for await (const chunk of text) signs.take(decoder.decode(chunk, { stream: true }));
  signs.finish();
  return signs;
}

function unclearQuotes(row: number, cause: string): InputError {
  return new InputError(
    'unclear_quotes',
    `In row ${row} ${cause}, and the file does not say by its other values what that means.`,
    'Save the file again as CSV UTF-8, or put the values of that row into double quotes, with "" for one inside.',
    { row },
  );
}

function isPossible(dialect: Quoting, read: DialectRead, standard: DialectRead): boolean {
  if (read.firstMalformed !== null || read.quotedValues === 0) return false;
  if (dialect.escape === '\\' && read.escapedQuotes === 0) return false;
  if (dialect.quote === '"') return true;
  // Single quotes are quotes where all values of a column have them, or where delimiters stand between them.
  return (
    standard.quotedValues === 0 && (standard.wrapsWholeColumns || read.otherWidths < standard.otherWidths)
  );
}

/** @throws InputError with the row, where the standard reading would be wrong and no other one is right */
function choose(reads: ReadonlyMap<Dialect, DialectRead>, standard: DialectRead): Dialect {
  const other = otherDialects.find((dialect) => {
    const read = reads.get(dialect);
    return read !== undefined && isPossible(dialect, read, standard);
  });
  const otherWidths = other === undefined ? 0 : (reads.get(other)?.otherWidths ?? 0);
  const isRight = standard.firstMalformed === null && standard.firstWrapped === null;
  if (other !== undefined && (!isRight || otherWidths < standard.otherWidths)) return other;
  const { firstWithBackslash, firstWrapped } = standard;
  if (firstWithBackslash !== null) {
    throw unclearQuotes(firstWithBackslash, 'there is a backslash before a quotation mark');
  }
  if (firstWrapped !== null) throw unclearQuotes(firstWrapped, 'a value stands in single quotes');
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
  const signs = await signsIn(read(), delimiter);
  const possible = otherDialects.filter(({ quote }) =>
    quote === '"' ? signs.hasBackslash : signs.hasSingleQuotes,
  );
  if (possible.length === 0) return standardDialect;
  const scanOf = (dialect: Quoting) => new DialectScan(dialect, delimiter, headerRows);
  const standard = scanOf(standardDialect);
  const others = new Map(possible.map((dialect) => [dialect, scanOf(dialect)]));
  const decoder = new TextDecoder();
  for await (const chunk of read()) {
    const text = decoder.decode(chunk, { stream: true });
    for (const scan of [standard, ...others.values()]) scan.take(text);
  }
  const reads = new Map([...others].map(([dialect, scan]) => [dialect, scan.finish(isHeader)]));
  return choose(reads, standard.finish(isHeader));
}
