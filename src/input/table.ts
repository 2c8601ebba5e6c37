import type { InputLimits } from './limits.ts';

/**
 * What a cell was in its file, where that is more than text. CSV cells are always text and have no entry.
 *
 * - `number`: a numeric cell; its text is the value to 15 significant digits, as a plain decimal
 * - `shown_number`: a numeric cell of at most 15 digits whose own number format is made of zeros,
 *   at least as many as the value has digits; its text is what is displayed (`00420`)
 * - `date`: its text is `YYYY-MM-DD`, followed by ` HH:MM:SS` when there is a time of day
 * - `boolean`: its text is `TRUE` or `FALSE`
 * - `error`: its text is the error as displayed (`#REF!`)
 * - `formula_without_value`: a formula whose result is not stored; its text is empty
 */
export type CellKind = 'number' | 'shown_number' | 'date' | 'boolean' | 'error' | 'formula_without_value';

/** One row of a table, as text. */
export interface InputRow {
  /**
   * The row's number as a spreadsheet program shows it: the header is usually 1, blank rows count, and a
   * quoted line break inside a CSV value does not add a row.
   */
  readonly number: number;
  /** Padded with '' to the header's width; cells beyond it are kept only if something is in them. */
  readonly cells: readonly string[];
  /** By column index (from 0); absent when every cell is text. */
  readonly kinds?: ReadonlyMap<number, CellKind>;
  /** What is worth knowing about the row: `hidden row`. */
  readonly notes?: readonly string[];
  /** Hidden by hand, by a group or by a filter; workbooks only. */
  readonly isHidden?: true;
}

/** A CSV file's only table, or one sheet of a workbook. */
export interface InputTable {
  /** The sheet's name; null for CSV. */
  readonly sheet: string | null;
  /** Whether the whole sheet is hidden; workbooks only. */
  readonly isHidden?: boolean;
  /** The header's cells, without white space around them. */
  readonly header: readonly string[];
  readonly headerRow: number;
  /**
   * What is worth knowing about the table: its encoding, hidden sheets and columns, rows above the header.
   * Complete once `rows()` has been read to its end: a workbook says some of it below its rows.
   */
  readonly notes: readonly string[];
  /**
   * The rows below the header, in groups of up to 1,000, without blank ones. Every call reads the file anew.
   *
   * @throws InputError when the file turns out to be damaged, beyond a limit, or (`file_changed`) other than
   *   it was when it was opened; rows that came out before are then not to be relied on.
   */
  rows(): AsyncIterable<readonly InputRow[]>;
}

export interface InputFile {
  /** As given; `-` for standard input. */
  readonly path: string;
  /** The base name without its ending (`.csv.gz` is one ending); `stdin` for `-`. */
  readonly name: string;
  readonly format: 'csv' | 'xlsx' | 'ods' | 'xls' | 'xlsb';
  /** SHA-256 of the bytes as given, hexadecimal. */
  readonly contentHash: string;
  /** Size of the file as given. */
  readonly bytes: number;
  readonly tables: readonly InputTable[];
  /** Removes what was put aside (standard input's copy); the tables cannot be read any more. */
  close(): Promise<void>;
}

export interface InputOptions {
  /** CSV only: the one character between values; found by itself when absent. */
  readonly delimiter?: string;
  /** CSV only: the encoding's name (`utf-8`, `windows-1252`, `utf-16le`, ...); found by itself when absent. */
  readonly encoding?: string;
  /** Workbooks only: the sheet to read, in any case; every sheet when absent. */
  readonly sheet?: string;
  /**
   * Says whether a row (its cells without white space around them) is a header. Without it, or where it says
   * so of none of the first 30 rows, the first row with something in it is the header.
   */
  readonly isHeader?: (cells: readonly string[]) => boolean;
  readonly limits?: Partial<InputLimits>;
  /** What `-` reads; the program's own standard input when absent. */
  readonly stdin?: NodeJS.ReadableStream;
}
