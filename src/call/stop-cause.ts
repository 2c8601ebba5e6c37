/* The cause that stops a call, as an error with its one sentence, code and next step. */

import { OutputError } from '../disk/file-system.ts';
import { PaybatchError, type Remedies } from '../domain/failures/paybatch-error.ts';
import type { StopReason } from '../domain/sending/outcome.ts';
import { RunStop } from '../domain/sending/outcome.ts';
import { capital, type Message, plainText, say } from '../domain/settings/message.ts';
import { asDatabaseFailure } from '../ledger/connection/database-failure.ts';

const stopRemedies: Readonly<Record<StopReason, Remedies>> = {
  credentials: { action: 'check', settings: ['apiKey', 'mode'], next: { action: 'again' } },
  redirect: { action: 'check', settings: ['baseUrl'], remark: 'redirects are never followed' },
  not_the_api: {
    action: 'check',
    settings: ['baseUrl'],
    remark: 'something other than the API answered',
  },
  wrong_path: { action: 'check', settings: ['baseUrl'] },
  no_id: { action: 'check', settings: ['customerIdPath'], next: { action: 'again' } },
  unavailable: { action: 'again', effect: 'when the API is back' },
};

/** Gives every expected error its one sentence, code and next step. An unexpected error is returned unchanged. */
export function asFailure(error: unknown): unknown {
  if (error instanceof RunStop) {
    return new PaybatchError(error.reason, sentence(error.said), stopRemedies[error.reason]);
  }
  if (error instanceof OutputError) {
    return new PaybatchError(error.code, error.message, error.remedies);
  }
  const failure = asDatabaseFailure(error);
  return failure === error ? asSystemFailure(error) : failure;
}

/** Every unexpected error is a bug in paybatch; its report goes to standard error only. */
export const internalError = new PaybatchError(
  'internal_error',
  'An internal error, which is a bug of ours.',
  {
    action: 'again',
    remark: 'if it happens again, report it with what stands on standard error',
  },
);

/** As `asFailure`, but an unexpected error becomes an error of its own too. */
export function asKnownFailure(error: unknown): PaybatchError {
  const failure = asFailure(error);
  return failure instanceof PaybatchError ? failure : internalError;
}

/**
 * An error of the operating system is not a bug in paybatch, even where it has no sentence of its own: too many file
 * descriptors, a broken disk, a missing folder.
 */
function asSystemFailure(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error;
  const path = 'path' in error && typeof error.path === 'string' ? ` ${error.path}` : '';
  return new PaybatchError(
    'system_refused',
    `The operating system refused: ${String(error.syscall)}${path} (${String(error.code)}).`,
    { action: 'advice', text: 'mend that', next: { action: 'again' } },
  );
}

/** A clause as a sentence. It begins with a word. */
function sentence(clause: Message): Message {
  const [first = '', ...others] = typeof clause === 'string' ? [clause] : clause.parts;
  const begun = { parts: [typeof first === 'string' ? capital(first) : first, ...others] };
  return say`${begun}${/[.!?]$/.test(plainText(begun)) ? '' : '.'}`;
}
