/* What every format is opened as: a file, and its tables. */

import type { Table, TableRow } from '../../domain/tables/table.ts';
import type { InputLimits } from '../file/input-error.ts';

/** Cells that are shown as one, which has the value of its first; rows and columns are counted from 1. */
export interface MergedRange {
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
}

/** The beginning of a table, as the file has it: for choosing which rows are its header. */
interface TableTop {
  /** The first rows with something in them, whichever of them is the header. */
  readonly rows: readonly TableRow[];
  /** Ranges that begin near the top; none where the format has no merged cells. */
  readonly merged: readonly MergedRange[];
}

/** A table of an opened file. */
export interface OpenedTable extends Table {
  /** How much of its content the newest reading of its rows has passed, from 0 to 1. */
  readonly readShare: () => number;
  readonly top: () => Promise<TableTop>;
  /**
   * The same table under the header that a person has named: one row, or two, one below the other.
   * @throws InputError (`header_missing`) when there is nothing in them
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
  /** As given; `-` for standard input. */
  readonly path: string;
  /** The base name without its ending (`.csv.gz` is one ending); `stdin` for `-`. */
  readonly name: string;
  readonly format: 'csv' | 'xlsx' | 'ods' | 'xls' | 'xlsb';
  /** SHA-256 of the bytes as given, hexadecimal. */
  readonly contentHash: string;
  /** Size of the file as given. */
  readonly bytes: number;
  readonly tables: readonly OpenedTable[];
  /** The encoding that `chooseEncoding` has chosen; absent where it was not asked. */
  readonly chosenEncoding?: string;
  /** Whether the last line of a CSV file has a line end; absent for a workbook. */
  readonly hasLineEnd?: boolean;
  /** The same file, read anew with other characters; itself where it is a workbook. Only this file is to be closed. */
  inDialect(dialect: TableDialect): Promise<InputFile>;
  /** Removes what was put aside (standard input's copy); the tables cannot be read any more. */
  close(): Promise<void>;
}

/** What is absent of the dialect is found by itself: the one character between values, and the encoding's name. */
export interface InputOptions extends TableDialect {
  /**
   * CSV only: asked which encoding a file is in where nothing tells it; null where nobody knows.
   * @param headerIn the header's titles, as they read in an encoding
   */
  readonly chooseEncoding?: (
    candidates: readonly EncodingCandidate[],
    headerIn: (encoding: string) => Promise<readonly string[]>,
  ) => Promise<string | null>;
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
