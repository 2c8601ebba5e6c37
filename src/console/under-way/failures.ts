/* Every error as one that a page can show. */

import { asFailure } from '../../call/stop-cause.ts';
import type { ErrorCode } from '../../domain/failures/error-codes.ts';
import { FilesRefused, PaybatchError, traceOf } from '../../domain/failures/paybatch-error.ts';

/** An error with a code and a sentence; what nobody foresaw goes to standard error with its trace, and to no page. */
export function knownFailure(error: unknown): PaybatchError {
  const failure = asFailure(error);
  if (failure instanceof PaybatchError) return failure;
  process.stderr.write(`${traceOf(error)}\n`);
  return new PaybatchError(
    'internal_error',
    'An internal error, which is a bug of ours. Its trace is where the console was started.',
    { action: 'again' },
  );
}

/** Something that is wrong with what was asked of the console itself: a sentence, and what to do about it. */
export class PageProblem extends Error {
  override readonly name = 'PageProblem';
  /** The status of the HTTP answer. */
  readonly status: number;
  readonly next: string;

  constructor(status: number, message: string, next: string) {
    super(message);
    this.status = status;
    this.next = next;
  }
}

/** Refusals of files whose columns somebody has to name: that is asked, and nothing is wrong with the file. */
const askedAbout: ReadonlySet<ErrorCode> = new Set([
  'unknown_kind',
  'unknown_column',
  'missing_column',
  'unnamed_column',
  'duplicate_column',
  'header_missing',
  'mapping_outdated',
]);

/** Whether a file, or each sheet of it, is refused only since nobody has said how it is read. */
export function isUnread(error: PaybatchError): boolean {
  return error instanceof FilesRefused
    ? error.each.every(({ code }) => askedAbout.has(code))
    : askedAbout.has(error.code);
}

/** The status of an HTTP answer that tells of an error. */
export function httpStatusOf({ kind, code }: PaybatchError): number {
  if (code === 'batch_not_found' || code === 'row_not_found') return 404;
  switch (kind) {
    case 'usage':
    case 'file_refused':
      return 422;
    case 'plan_changed':
    case 'busy':
    case 'approval_needed':
    case 'decision_needed':
      return 409;
    case 'stopped':
      return 503;
    case 'credentials_refused':
      return 502;
    case 'internal':
      return 500;
  }
}
