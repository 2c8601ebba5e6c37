/* Turns every error into one that a page can show. */

import { asFailure } from '../../call/start.ts';
import { PaybatchError, traceOf } from '../../domain/failures/paybatch-error.ts';

/**
 * An error with a code and a sentence, for a page. An unexpected error becomes an internal error. Its trace goes to
 * standard error and to no page.
 */
export function knownFailure(error: unknown): PaybatchError {
  const failure = asFailure(error);
  if (failure instanceof PaybatchError) return failure;
  process.stderr.write(`${traceOf(error)}\n`);
  return new PaybatchError(
    'internal_error',
    'An internal error: a bug in paybatch. Its trace is where the console was started.',
    { action: 'again' },
  );
}

/** An error in a request to the console itself, with a sentence and what to do about it. */
export class PageProblem extends Error {
  override readonly name = 'PageProblem';
  /** The status of the HTTP answer. */
  readonly status: number;
  readonly next: string;
  /** The name of the form's field with the error; null for the request as a whole. */
  readonly field: string | null;

  constructor(status: number, message: string, next: string, field: string | null = null) {
    super(message);
    this.field = field;
    this.status = status;
    this.next = next;
  }
}

/** The HTTP status for an error. */
export function httpStatusOf({ kind, code }: PaybatchError): number {
  if (code === 'batch_not_found' || code === 'row_not_found') return 404;
  switch (kind) {
    case 'usage':
    case 'file_refused':
      return 422;
    case 'plan_changed':
    case 'busy':
    case 'approval_needed':
    case 'content_not_approved':
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
