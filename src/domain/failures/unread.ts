/* Refusals of files that are not wrong: a person has not said yet how they are read. */

import type { ErrorCode } from './error-codes.ts';
import { FilesRefused, type PaybatchError } from './paybatch-error.ts';

const askedAbout: ReadonlySet<string> = new Set<ErrorCode>([
  'unknown_kind',
  'unknown_column',
  'missing_column',
  'unnamed_column',
  'duplicate_column',
  'header_missing',
  'mapping_open',
  'mapping_outdated',
]);

/** Whether a file is refused only because it is not decided how it is read. @param code of the refusal */
export function isOfReading(code: string): boolean {
  return askedAbout.has(code);
}

/** Whether a file, or each sheet of it, is refused only because it is not decided how it is read. */
export function isUnread(error: PaybatchError): boolean {
  return error instanceof FilesRefused
    ? error.each.every(({ code }) => isOfReading(code))
    : isOfReading(error.code);
}
