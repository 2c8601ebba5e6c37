const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Records that were cut out of a text, and from where on somebody else has to read it. */
export interface CutRecords {
  readonly records: readonly string[][];
  /** The beginning of a record and all that is known behind it; null as long as records can be cut. */
  readonly rest: Buffer | null;
}

/**
 * Cuts CSV into records as long as there is no quotation mark in it: then a record is a line, and its values are
 * what stands between the delimiters. csv-parse, which reads everything else, takes four times as long for that.
 */
export class PlainRecords {
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

  /** The record that the text so far breaks off in. */
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
