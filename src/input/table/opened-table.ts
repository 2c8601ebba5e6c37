import type { Table } from '../../domain/tables/table.ts';
import type { InputLimits } from '../file/limits.ts';

/** A table of an opened file. */
export interface OpenedTable extends Table {
  /** How much of its content the newest reading of its rows has passed, from 0 to 1. */
  readonly readShare: () => number;
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
