/* An opened file with its tables, and a table to be imported: its rows, how they are read, and its batch. */

import { batchId, type Environment, type HiddenChoice } from '../../domain/batches/batch.ts';
import type { SeriesKeys } from '../../domain/batches/last-time.ts';
import type { Message } from '../../domain/settings/message.ts';
import type { TableMapping } from '../../domain/tables/mapping.ts';
import { type SourceTable, type Table, type TableRow, tableLike } from '../../domain/tables/table.ts';
import type { RuleChanges } from '../../kinds/rule-changes.ts';
import type { InputLimits } from '../file/input-error.ts';
import type { MappingFile } from '../mapping/mapping-schema.ts';
import type { ControlLine } from './rows-to-read.ts';

/** What is known of the layout of a table that a mapping reads. */
interface LayoutUse {
  /** The remembered mapping that reads it, and titles that this does not know; their columns are left out. */
  readonly remembered: {
    readonly name: string;
    readonly header: readonly string[];
    readonly newTitles: readonly string[];
  } | null;
  /** Whether a person has agreed to the mapping for exactly this content. */
  readonly isAgreed: boolean;
  /** The codes of differences that a person has accepted. */
  readonly accepted: readonly string[];
}

/** One table to be imported: what identifies its batch, and how its rows are validated. */
export interface InputTable {
  readonly fileName: string;
  /** As a command accepts it; `-` for standard input. */
  readonly path: string;
  /** The share of the table whose rows were read, from 0 to 1. */
  readonly readShare: () => number;
  /** For a corrected failed file: the first input of its chain of batches, which files are named after. */
  readonly firstInput?: { readonly fileName: string; readonly sheet: string | null } | undefined;
  /** The number of its rows that were read as rows of that input; known once the table was read to its end. */
  readonly corrected: { rows: number };
  readonly contentHash: string;
  /** SHA-256 over everything that changes how the bytes are read. */
  readonly readingHash: string;
  readonly table: SourceTable;
  readonly mapping: TableMapping;
  /** The table's mapping: its own, or that of the batch whose rows it corrects. */
  readonly reading: MappingFile;
  readonly rules: RuleChanges;
  /** The encoding that a person chose because it could not be determined; absent otherwise. */
  readonly encoding?: string | undefined;
  /** Whether the last line of a CSV file has a line end; absent for a workbook. */
  readonly hasLineEnd?: boolean | undefined;
  /** The hidden rows among those that were read; complete once the table was read to its end. */
  readonly hidden: { readonly count: number; readonly numbers: string };
  readonly hiddenChoice: HiddenChoice | null;
  /** Present where the mapping declares one. */
  readonly control?: ControlLine | undefined;
  /** Present where a mapping reads it, so that earlier files of the same layout say what its columns hold. */
  readonly layout?: LayoutUse | undefined;
  /** The keys that it shares with other files of its series; absent for rows that belong to another file. */
  readonly series?: SeriesKeys | undefined;
}

/** The names from which an input's batch and files are named. */
export function namedInput({ firstInput, fileName, table }: InputTable): {
  readonly fileName: string;
  readonly sheet: string | null;
} {
  return firstInput ?? { fileName, sheet: table.sheet };
}

/** The id of a table's batch in an environment. */
export function batchIdOf(inputTable: InputTable, environment: Environment): string {
  return batchId(identityOf(inputTable, environment));
}

export function identityOf(inputTable: InputTable, environment: Environment): Parameters<typeof batchId>[0] {
  return {
    environment,
    kind: inputTable.mapping.kind,
    sheet: namedInput(inputTable).sheet,
    contentHash: inputTable.contentHash,
    readingHash: inputTable.readingHash,
  };
}

/** The inputs of a call, each content once, and notes on those that are left out. */
interface DistinctInputTables {
  readonly inputTables: readonly InputTable[];
  readonly notes: readonly Message[];
}

/**
 * The same content, read in the same way, is the same batch, whatever its file's name. The first name counts; the
 * others are reported in the notes of the first.
 */
export function distinctInputTables(inputTables: readonly InputTable[]): DistinctInputTables {
  const first = new Map<string, { readonly inputTable: InputTable; readonly others: string[] }>();
  const notes: string[] = [];
  for (const inputTable of inputTables) {
    const key = JSON.stringify([
      inputTable.contentHash,
      inputTable.table.sheet,
      inputTable.mapping.kind,
      inputTable.readingHash,
    ]);
    const known = first.get(key);
    if (known === undefined) {
      first.set(key, { inputTable, others: [] });
      continue;
    }
    known.others.push(inputTable.fileName);
    const [name, other] = [nameOf(inputTable), nameOf(known.inputTable)];
    notes.push(
      `${name}: the same content as ${other}; it counts once, and its files are named after ${other}.`,
    );
  }
  return {
    inputTables: [...first.values()].map(({ inputTable, others }) => noting(inputTable, others)),
    notes,
  };
}

function nameOf({ fileName, table: { sheet } }: InputTable): string {
  const file = fileName === '-' ? 'standard input' : fileName;
  return sheet === null ? file : `${file}, sheet "${sheet}"`;
}

function noting(inputTable: InputTable, others: readonly string[]): InputTable {
  if (others.length === 0) return inputTable;
  const note = `the same content was given as ${others.join(', ')} too; it counts once`;
  return {
    ...inputTable,
    table: tableLike(inputTable.table, { notes: () => [note, ...inputTable.table.notes] }),
  };
}

/* The result of opening a file of any format: the file, and its tables. */

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
  readonly delimiter?: string | undefined;
  readonly encoding?: string | undefined;
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
  readonly chosenEncoding?: string | undefined;
  /** What separates the values of a CSV file, and its encoding: as stated, else as found; absent for other formats. */
  readonly dialect?: { readonly delimiter: string; readonly encoding: string } | undefined;
  /** Whether the last line of a CSV file has a line end; absent for a workbook. */
  readonly hasLineEnd?: boolean;
  /** The same file, reopened in another dialect; a workbook that is no text returns itself. Close only the returned file. */
  inDialect(dialect: TableDialect): Promise<InputFile>;
  /** Removes temporary data (standard input's copy). The tables cannot be read afterwards. */
  close(): Promise<void>;
}

/**
 * Chooses a file's encoding where it cannot be determined; null where it stays unknown.
 * @param headerIn the header's titles as decoded with an encoding
 */
export type ChooseEncoding = (
  candidates: readonly EncodingCandidate[],
  headerIn: (encoding: string) => Promise<readonly string[]>,
) => Promise<string | null>;

/** The delimiter and the encoding are detected where they are absent. */
export interface InputOptions extends TableDialect {
  /** Texts only (CSV, web pages). */
  readonly chooseEncoding?: ChooseEncoding | undefined;
  /** Workbooks only: the sheet to read, in any case; every sheet when absent. */
  readonly sheet?: string | undefined;
  /**
   * Says whether a row (its cells without white space around them) is a header. Without it, or if it accepts none of
   * the first 30 rows, the first filled row is the header.
   */
  readonly isHeader?: (cells: readonly string[]) => boolean;
  readonly limits?: Partial<InputLimits>;
  /** The stream that `-` reads; the program's own standard input when absent. */
  readonly stdin?: NodeJS.ReadableStream;
}
