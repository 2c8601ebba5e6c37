/* The error of a file that is refused as a whole. */

import type { ErrorCode } from '../../domain/failures/error-codes.ts';
import { type Remedies, type Remedy, remediesOf } from '../../domain/failures/paybatch-error.ts';

/* Limits on the resources that reading a file may use, and sizes in words. */

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** Limits on the resources that reading a file may use. Byte limits count real bytes, never declared sizes. */
export type InputLimits = Readonly<typeof defaultLimits>;

export const defaultLimits = {
  /** Bytes of the file as it is. */
  fileBytes: 4 * GIB,
  /** Unpacked bytes of a compressed file, all its parts together. */
  inflatedBytes: 4 * GIB,
  /** The largest ratio of unpacked to compressed bytes of a part; checked beyond a few megabytes. */
  inflationRatio: 200,
  /** Bytes of one CSV record, its quoted line breaks included. */
  recordBytes: MIB,
  /** Columns up to the last filled cell. */
  columns: 1000,
  /** Rows that are searched for a header. */
  headerRows: 30,
  /** Parts inside a workbook's archive. */
  archiveEntries: 2000,
  /** Characters of one workbook cell, and of any other run of text in a workbook. */
  cellCharacters: 64 * KIB,
  /** Characters of all texts in a workbook's table of shared texts. */
  sharedTextCharacters: 64 * MIB,
  /** Entries of a workbook's table of shared texts. */
  sharedTexts: 4_000_000,
  /** Cells of an `.ods` file that are only repetitions of others. */
  repeatedCells: 5_000_000,
  /** Bytes of a file that has to be read as a whole (`.xls`, `.xlsb`). */
  wholeFileBytes: 16 * MIB,
  /** Unpacked bytes of a zipped file that has to be read as a whole. */
  wholeFileInflatedBytes: 16 * MIB,
  /** Time for reading a file as a whole, waiting included. */
  wholeFileTimeInMs: 60_000,
  /** Processor time for reading a file as a whole, and how much more for each MiB in it. */
  wholeFileCpuInMs: 500,
  wholeFileCpuPerMibInMs: 500,
  /** Memory of the converter's data, in MiB, and the additional multiple of the file's content that it may take. */
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
