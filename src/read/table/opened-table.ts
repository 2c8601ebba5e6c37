/* The result of opening a file of any format: the file, and its tables. */

import type { Table, TableRow } from '../../domain/tables/table.ts';
import type { InputLimits } from '../file/input-error.ts';

/** Cells that are shown as one, which has the value of its first; rows and columns are counted from 1. */
export interface MergedRange {
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
}

/** The beginning of a table, as it is in the file, for choosing its header rows. */
interface TableTop {
  /** The first filled rows, whichever of them is the header. */
  readonly rows: readonly TableRow[];
  /** Ranges that begin near the top; none where the format has no merged cells. */
  readonly merged: readonly MergedRange[];
}

/** A table of an opened file. */
export interface OpenedTable extends Table {
  /** The share of its content that the newest reading of its rows has passed, from 0 to 1. */
  readonly readShare: () => number;
  readonly top: () => Promise<TableTop>;
  /**
   * The same table under the header that a person has named: one row, or two, one below the other.
   * @throws InputError (`header_missing`) when they are empty
   */
  readonly below: (headerRows: readonly number[]) => Promise<OpenedTable>;
}

/** How the characters of a CSV file are to be read. */
export interface TableDialect {
  readonly delimiter?: string;
  readonly encoding?: string;
}

/** An encoding that a text may be in, with values of the text as they read in it. */
export interface EncodingCandidate {
  /** The encoding's label, as `encoding` takes it. */
  readonly encoding: string;
  /** The same values in every candidate. */
  readonly samples: readonly string[];
}

export interface InputFile {
  /** As stated; `-` for standard input. */
  readonly path: string;
  /** The base name without its extension (`.csv.gz` is one extension); `stdin` for `-`. */
  readonly name: string;
  readonly format: 'csv' | 'xlsx' | 'ods' | 'xls' | 'xlsb' | 'html' | 'mht';
  /** SHA-256 of the file's bytes, hexadecimal. */
  readonly contentHash: string;
  /** Size of the file as it is. */
  readonly bytes: number;
  readonly tables: readonly OpenedTable[];
  /** The encoding that `chooseEncoding` has chosen; absent where it was not called. */
  readonly chosenEncoding?: string;
  /** Whether the last line of a CSV file has a line end; absent for a workbook. */
  readonly hasLineEnd?: boolean;
  /** The same file, reopened in another dialect; a workbook that is no text returns itself. Close only the returned file. */
  inDialect(dialect: TableDialect): Promise<InputFile>;
  /** Removes temporary data (standard input's copy). The tables cannot be read afterwards. */
  close(): Promise<void>;
}

/** The delimiter and the encoding are detected where they are absent. */
export interface InputOptions extends TableDialect {
  /**
   * Texts only (CSV, web pages): chooses a file's encoding where it cannot be determined; null where it stays unknown.
   * @param headerIn the header's titles as decoded with an encoding
   */
  readonly chooseEncoding?: (
    candidates: readonly EncodingCandidate[],
    headerIn: (encoding: string) => Promise<readonly string[]>,
  ) => Promise<string | null>;
  /** Workbooks only: the sheet to read, in any case; every sheet when absent. */
  readonly sheet?: string;
  /**
   * Says whether a row (its cells without white space around them) is a header. Without it, or if it accepts none of
   * the first 30 rows, the first filled row is the header.
   */
  readonly isHeader?: (cells: readonly string[]) => boolean;
  readonly limits?: Partial<InputLimits>;
  /** The stream that `-` reads; the program's own standard input when absent. */
  readonly stdin?: NodeJS.ReadableStream;
}
