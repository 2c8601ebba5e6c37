/* The error of a file that is refused as a whole. */

import type { ErrorCode } from '../../domain/failures/error-codes.ts';
import { type Remedies, type Remedy, remediesOf } from '../../domain/failures/paybatch-error.ts';

/* What a file may ask of this machine: the limits, and their sizes in words. */

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** Bounds on what a file may ask of this machine. Byte limits count real bytes, never what a file claims. */
export interface InputLimits {
  /** Bytes of the file as given. */
  readonly fileBytes: number;
  /** Bytes that come out of a compressed file, all its parts together. */
  readonly inflatedBytes: number;
  /** How many times its size a compressed part may grow, counted once it is beyond a few megabytes. */
  readonly inflationRatio: number;
  /** Bytes of one CSV record, its quoted line breaks included. */
  readonly recordBytes: number;
  /** Columns up to the last cell with something in it. */
  readonly columns: number;
  /** Rows in which a header is looked for. */
  readonly headerRows: number;
  /** Parts inside a workbook's archive. */
  readonly archiveEntries: number;
  /** Characters of one workbook cell, and of any other run of text in a workbook. */
  readonly cellCharacters: number;
  /** Characters of a workbook's table of shared texts, all of them together. */
  readonly sharedTextCharacters: number;
  /** Entries of a workbook's table of shared texts. */
  readonly sharedTexts: number;
  /** Cells of an `.ods` file that stand in it only as repetitions of others. */
  readonly repeatedCells: number;
  /** Bytes of a file that has to be read as a whole (`.xls`, `.xlsb`). */
  readonly wholeFileBytes: number;
  /** Bytes that come out of a zipped file that has to be read as a whole. */
  readonly wholeFileInflatedBytes: number;
  /** Time for reading a file as a whole, waiting included. */
  readonly wholeFileTimeInMs: number;
  /** Processor time for reading a file as a whole, and how much more for each MiB in it. */
  readonly wholeFileCpuInMs: number;
  readonly wholeFileCpuPerMibInMs: number;
  /** Memory of that program's data, in MiB, and how many times what is in the file it may take beyond. */
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

/** The size above which the inflation ratio is looked at: small files may well be very regular. */
export const RATIO_FREE_BYTES = 8 * MIB;

/** A byte count for people: `64 MiB`, `1 GiB`. */
export function describeBytes(bytes: number): string {
  if (bytes >= GIB) return `${Math.round(bytes / GIB)} GiB`;
  if (bytes >= MIB) return `${Math.round(bytes / MIB)} MiB`;
  if (bytes >= KIB) return `${Math.round(bytes / KIB)} KiB`;
  return `${bytes} bytes`;
}

/** What an `InputError` may say beside its sentence. */
export interface InputErrorDetails {
  /** The row, as a spreadsheet program counts, where the trouble was seen. */
  readonly row?: number;
  readonly cause?: unknown;
}

/**
 * A file that is refused as a whole: `message` says in a sentence what is wrong, `remedies` what to do about
 * it, and `code` is stable, for programs. None of these ever holds a value out of the file.
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

/** The error of a damaged file: cut off, with changed bytes, or not of the format that it claims. */
export function damagedFile(what: string, details: InputErrorDetails = {}): InputError {
  return new InputError(
    'file_damaged',
    `The file is damaged: ${what}.`,
    'get the file again from where it came from, or open it in a spreadsheet program and save it again',
    details,
  );
}

/** The error of a file that ends too early: it was copied in part, or its writer has not come to its end. */
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
