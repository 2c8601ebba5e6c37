/* The error of a file that is refused as a whole. */

import type { ErrorCode } from '../../domain/failures/error-codes.ts';
import { type Remedies, type Remedy, remediesOf } from '../../domain/failures/paybatch-error.ts';

/* Limits on the resources that reading a file may use, and sizes in words. */

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** Limits on the resources that reading a file may use. Byte limits count real bytes, never declared sizes. */
export interface InputLimits {
  /** Bytes of the file as it is. */
  readonly fileBytes: number;
  /** Unpacked bytes of a compressed file, all its parts together. */
  readonly inflatedBytes: number;
  /** The largest ratio of unpacked to compressed bytes of a part; checked beyond a few megabytes. */
  readonly inflationRatio: number;
  /** Bytes of one CSV record, its quoted line breaks included. */
  readonly recordBytes: number;
  /** Columns up to the last filled cell. */
  readonly columns: number;
  /** Rows that are searched for a header. */
  readonly headerRows: number;
  /** Parts inside a workbook's archive. */
  readonly archiveEntries: number;
  /** Characters of one workbook cell, and of any other run of text in a workbook. */
  readonly cellCharacters: number;
  /** Characters of all texts in a workbook's table of shared texts. */
  readonly sharedTextCharacters: number;
  /** Entries of a workbook's table of shared texts. */
  readonly sharedTexts: number;
  /** Cells of an `.ods` file that are only repetitions of others. */
  readonly repeatedCells: number;
  /** Bytes of a file that has to be read as a whole (`.xls`, `.xlsb`). */
  readonly wholeFileBytes: number;
  /** Unpacked bytes of a zipped file that has to be read as a whole. */
  readonly wholeFileInflatedBytes: number;
  /** Time for reading a file as a whole, waiting included. */
  readonly wholeFileTimeInMs: number;
  /** Processor time for reading a file as a whole, and how much more for each MiB in it. */
  readonly wholeFileCpuInMs: number;
  readonly wholeFileCpuPerMibInMs: number;
  /** Memory of the converter's data, in MiB, and the additional multiple of the file's content that it may take. */
  readonly wholeFileMemoryInMib: number;
  readonly wholeFileMemoryPerMib: number;
}

export const defaultLimits: InputLimits = {
  fileBytes: 4 * GIB,
  inflatedBytes: 4 * GIB,
  inflationRatio: 200,
  recordBytes: MIB,
  columns: 1000,
  headerRows: 30,
  archiveEntries: 2000,
  cellCharacters: 64 * KIB,
  sharedTextCharacters: 64 * MIB,
  sharedTexts: 4_000_000,
  repeatedCells: 5_000_000,
  wholeFileBytes: 16 * MIB,
  wholeFileInflatedBytes: 16 * MIB,
  wholeFileTimeInMs: 60_000,
  wholeFileCpuInMs: 500,
  wholeFileCpuPerMibInMs: 500,
  wholeFileMemoryInMib: 96,
  wholeFileMemoryPerMib: 24,
};

/** The size above which the inflation ratio is checked, since small files may be very regular. */
export const RATIO_FREE_BYTES = 8 * MIB;

/** A byte count for people: `64 MiB`, `1 GiB`. */
export function describeBytes(bytes: number): string {
  if (bytes >= GIB) return `${Math.round(bytes / GIB)} GiB`;
  if (bytes >= MIB) return `${Math.round(bytes / MIB)} MiB`;
  if (bytes >= KIB) return `${Math.round(bytes / KIB)} KiB`;
  return `${bytes} bytes`;
}

/** What an `InputError` may hold besides its message. */
export interface InputErrorDetails {
  /** The row of the error, counted as in a spreadsheet program. */
  readonly row?: number;
  readonly cause?: unknown;
}

/**
 * A file that is refused as a whole: `message` says what is wrong, `remedies` what to do about it, and `code` is
 * stable, for programs. None of these ever contains a value of the file.
 */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly code: ErrorCode;
  readonly remedies: readonly Remedy[];
  readonly row?: number;

  constructor(code: ErrorCode, message: string, remedies: Remedies, details: InputErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.remedies = remediesOf(remedies);
    if (details.row !== undefined) this.row = details.row;
  }
}

/** The error of a damaged file: cut off, with changed bytes, or not of the format that it declares. */
export function damagedFile(what: string, details: InputErrorDetails = {}): InputError {
  return new InputError(
    'file_damaged',
    `The file is damaged: ${what}.`,
    'get the file again from where it came from, or open it in a spreadsheet program and save it again',
    details,
  );
}

/** The error of a file that ends too early: it was copied in part, or is still being written. */
export function cutFile(what: string, details: InputErrorDetails = {}): InputError {
  return new InputError(
    'file_may_be_cut',
    `The file is cut off: ${what}.`,
    'wait until it is copied, or copy it again: under another name first, and then rename it',
    details,
  );
}

/** The error of a file that goes beyond one of the limits; `what` names the limit and its size. */
export function limitExceeded(what: string, advice: string, details: InputErrorDetails = {}): InputError {
  return new InputError(
    'limit_exceeded',
    `The file is too large to be read safely: ${what}.`,
    advice,
    details,
  );
}
