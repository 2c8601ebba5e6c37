import type { InputOptions } from '../rows/input-table.ts';

/** The characters that a dialect puts around values, and before a quote inside them. */
export interface Quoting {
  readonly quote: string;
  readonly escape: string;
  /** Whether blanks between a delimiter and a quote are ignored. */
  readonly skipsBlanks: boolean;
}

/** The result of reading a whole file in one dialect. Fields that name a row hold its number, or null for none. */
export interface DialectRead {
  readonly quotedValues: number;
  /** Values with blanks before or after their quotes. */
  readonly spacedQuotes: number;
  /** Quotes inside values, written with the dialect's escape. */
  readonly escapedQuotes: number;
  /** The first row in which a quote closes before other letters, is never closed, or another character is escaped. */
  readonly firstMalformed: number | null;
  /** The first such row with a backslash before a quote. */
  readonly firstWithBackslash: number | null;
  /** Rows whose number of values differs from that of most rows. */
  readonly otherWidths: number;
  /** The first row below the header with a value in single quotes that are not this dialect's quotes. */
  readonly firstWrapped: number | null;
  /** The first row with a value in double quotes, ignoring blanks, that are not this dialect's quotes. */
  readonly firstSpaced: number | null;
  /** Whether the columns with values in single quotes have no other values below the header. */
  readonly wrapsWholeColumns: boolean;
}

/** Properties of a value, as bits, since creating objects would take most of the time. */
const FILLED = 1;
const WRAPPED = 2;
const SPACED = 4;

interface Column {
  filled: number;
  wrapped: number;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** Characters of a value that are kept for finding the header. */
const TITLE_CHARACTERS = 200;

/** Reads a text in one dialect, piece by piece. It keeps counts, and the values of the first rows. */
export class DialectScan {
  readonly #skipsBlanks: boolean;
  readonly #quote: string;
  readonly #escape: string;
  readonly #delimiter: string;
  readonly #quoteCode: number;
  readonly #escapeCode: number;
  readonly #delimiterCode: number;
  readonly #headRows: number;
  #state: 'start' | 'plain' | 'quoted' | 'escaped' | 'closed' = 'start';
  #before = '';
  #row = 1;
  #hasBackslash = false;
  #values: number[] = [];
  #titles: string[] = [];
  #text = '';
  #first = '';
  #last = '';
  #length = 0;
  /** The number of characters without blanks at the ends; only zero, one and more are distinguished. */
  #marks = 0;
  #isQuoted = false;
  #isSpaced = false;
  #quotedValues = 0;
  #spacedQuotes = 0;
  #escapedQuotes = 0;
  #firstMalformed: number | null = null;
  #firstWithBackslash: number | null = null;
  #firstWrapped: number | null = null;
  #firstSpaced: number | null = null;
  readonly #widths = new Map<number, number>();
  readonly #columns: Column[] = [];
  readonly #head: {
    readonly row: number;
    readonly values: readonly number[];
    readonly titles: readonly string[];
  }[] = [];

  /** @param headRows - rows among which the header is */
  constructor(quoting: Quoting, delimiter: string, headRows: number) {
    this.#skipsBlanks = quoting.skipsBlanks;
    this.#quote = quoting.quote;
    this.#escape = quoting.escape;
    this.#delimiter = delimiter;
    this.#quoteCode = quoting.quote.charCodeAt(0);
    this.#escapeCode = quoting.escape.charCodeAt(0);
    this.#delimiterCode = delimiter.charCodeAt(0);
    this.#headRows = headRows;
  }

  take(piece: string): void {
    for (let at = 0; at < piece.length; at += 1) {
      const end = this.#state === 'plain' || this.#state === 'quoted' ? this.#endOfRun(piece, at) : at;
      if (end > at) {
        this.#add(piece.slice(at, end));
        this.#before = piece[end - 1] ?? '';
        if (end === piece.length) return;
        at = end;
      }
      const character = piece[at] ?? '';
      this.#step(character);
      this.#before = character;
    }
  }

  /** The end of a run of characters without special meaning, which are nearly all of a file. */
  #endOfRun(piece: string, from: number): number {
    let at = from;
    for (; at < piece.length; at += 1) {
      const code = piece.charCodeAt(at);
      if (code === LINE_FEED || code === CARRIAGE_RETURN) break;
      if (code === this.#quoteCode || code === this.#escapeCode || code === this.#delimiterCode) break;
    }
    return at;
  }

  /** @param isHeader - as for the whole file; without it the first row is the header */
  finish(isHeader: InputOptions['isHeader']): DialectRead {
    if (this.#state === 'quoted' || this.#state === 'escaped') this.#markMalformed();
    this.#endRecord();
    const header = this.#head.findIndex(({ titles }) => isHeader?.(titles) ?? true);
    for (const { row, values } of this.#head.slice(Math.max(header, 0) + 1)) this.#count(row, values);
    const frequencies = [...this.#widths.values()];
    return {
      quotedValues: this.#quotedValues,
      spacedQuotes: this.#spacedQuotes,
      escapedQuotes: this.#escapedQuotes,
      firstMalformed: this.#firstMalformed,
      firstWithBackslash: this.#firstWithBackslash,
      otherWidths: frequencies.reduce((sum, each) => sum + each, 0) - Math.max(0, ...frequencies),
      firstWrapped: this.#firstWrapped,
      firstSpaced: this.#firstSpaced,
      wrapsWholeColumns: this.#columns.every(({ filled, wrapped }) => wrapped === 0 || wrapped === filled),
    };
  }

  #step(character: string): void {
    if (this.#state === 'quoted' || this.#state === 'escaped') this.#stepInQuotes(character);
    else if (this.#state === 'closed' && character === this.#quote && this.#escape === this.#quote) {
      this.#escapedQuotes += 1;
      this.#state = 'quoted';
      this.#add(character);
    } else if (character === this.#delimiter) this.#endValue();
    else if (character === '\n' || character === '\r') {
      if (character === '\r' || this.#before !== '\r') this.#endRecord();
    } else if (this.#state === 'start' && character === this.#quote) {
      this.#state = 'quoted';
      this.#isQuoted = true;
      this.#isSpaced = this.#length > 0;
      this.#length = 0;
      this.#text = '';
    } else if (this.#skipsBlanks && (character === ' ' || character === '\t') && this.#state !== 'plain') {
      // Before a value it is not yet known whether a quote follows; after a value it is closed.
      if (this.#state === 'start') this.#add(character);
      else this.#isSpaced = true;
    } else {
      if (this.#state === 'closed') this.#markMalformed();
      this.#state = 'plain';
      this.#add(character);
    }
  }

  #stepInQuotes(character: string): void {
    if (this.#state === 'escaped') {
      if (character === this.#quote) this.#escapedQuotes += 1;
      else if (character !== this.#escape) this.#markMalformed();
      this.#state = 'quoted';
      this.#add(character);
    } else if (character === this.#quote) {
      this.#hasBackslash ||= this.#before === '\\';
      this.#state = 'closed';
    } else if (character === this.#escape) this.#state = 'escaped';
    else this.#add(character);
  }

  #add(run: string): void {
    const written = isBlank(run.charCodeAt(0)) || isBlank(run.charCodeAt(run.length - 1)) ? run.trim() : run;
    if (written !== '') {
      if (this.#first === '') this.#first = written[0] ?? '';
      this.#last = written[written.length - 1] ?? '';
      this.#marks += written.length;
    }
    this.#length += run.length;
    if (this.#head.length < this.#headRows && this.#text.length < TITLE_CHARACTERS) {
      this.#text += run.slice(0, TITLE_CHARACTERS);
    }
  }

  #markMalformed(): void {
    this.#firstMalformed ??= this.#row;
    if (this.#hasBackslash) this.#firstWithBackslash ??= this.#row;
  }

  #endValue(): void {
    if (this.#isQuoted) this.#quotedValues += 1;
    if (this.#isQuoted && this.#isSpaced) this.#spacedQuotes += 1;
    let bits = this.#marks === 0 ? 0 : FILLED;
    if (!this.#isQuoted && this.#marks > 1 && this.#first === this.#last) {
      if (this.#first === "'") bits |= WRAPPED;
      else if (this.#first === '"') bits |= SPACED;
    }
    this.#values.push(bits);
    if (this.#head.length < this.#headRows) {
      const title = this.#text.trim();
      this.#titles.push((bits & WRAPPED) === 0 ? title : title.slice(1, -1).trim());
    }
    this.#state = 'start';
    this.#text = '';
    this.#length = 0;
    this.#marks = 0;
    this.#first = '';
    this.#isQuoted = false;
    this.#isSpaced = false;
  }

  #endRecord(): void {
    this.#endValue();
    const [values, titles] = [this.#values, this.#titles];
    this.#values = [];
    this.#titles = [];
    this.#hasBackslash = false;
    const row = this.#row;
    this.#row += 1;
    if (values.every((bits) => bits === 0)) return;
    this.#widths.set(values.length, (this.#widths.get(values.length) ?? 0) + 1);
    if (this.#head.length < this.#headRows) this.#head.push({ row, values, titles });
    else this.#count(row, values);
  }

  #count(row: number, values: readonly number[]): void {
    for (let index = 0; index < values.length; index += 1) {
      const bits = values[index] ?? 0;
      if (bits === 0) continue;
      const column = this.#columns[index] ?? { filled: 0, wrapped: 0 };
      this.#columns[index] = column;
      column.filled += 1;
      if ((bits & WRAPPED) !== 0) {
        column.wrapped += 1;
        if (this.#firstWrapped === null || row < this.#firstWrapped) this.#firstWrapped = row;
      }
      if ((bits & SPACED) !== 0 && (this.#firstSpaced === null || row < this.#firstSpaced))
        this.#firstSpaced = row;
    }
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
