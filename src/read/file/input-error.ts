/* The error of a file that is refused as a whole. */

import type { ErrorCode } from '../../domain/failures/error-codes.ts';
import { type Remedies, type Remedy, remediesOf } from '../../domain/failures/remedy.ts';

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
