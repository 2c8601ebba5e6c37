/* A running use case, and the cause that stops it. */

import { OutputError } from '../disk/file-system.ts';
import { PaybatchError, type Remedies } from '../domain/failures/paybatch-error.ts';
import type { StopReason } from '../domain/sending/outcome.ts';
import { RunStop } from '../domain/sending/stops.ts';
import { capital, type Message, plainText, say } from '../domain/settings/message.ts';
import { asDatabaseFailure } from '../ledger/connection/database-failure.ts';
import { addOutcomes, type CallContext, type CallEvent, noOutcomes } from './context.ts';

/** A running use case. */
export interface Running<Result> {
  /**
   * The events of the call, until the use case ends. How it ended is only in `result`. The events can be read only once. If
   * they are not read, the newest events are kept.
   */
  readonly events: AsyncIterable<CallEvent>;
  /** Rejected with a `PaybatchError` for every expected error. */
  readonly result: Promise<Result>;
}

/** Maximum number of events that wait for their reader. */
const mostWaiting = 1_000;

/** Starts a use case, and returns its reports as an iterable. */
export function start<Result>(work: (report: CallContext['report']) => Promise<Result>): Running<Result> {
  const waiting: CallEvent[] = [];
  let hasEnded = false;
  let wake = (): void => {};
  const report = (event: CallEvent): void => {
    add(waiting, event);
    wake();
  };
  const ended = (): void => {
    hasEnded = true;
    wake();
  };
  const result = Promise.resolve()
    .then(() => work(report))
    .catch((error: unknown) => {
      throw asFailure(error);
    })
    .finally(ended);
  // A caller may read the events first and the result later. Until then, an error must not count as unhandled.
  result.catch(() => {});
  async function* events(): AsyncGenerator<CallEvent> {
    for (;;) {
      const event = waiting.shift();
      if (event !== undefined) yield event;
      else if (hasEnded) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }
  return { events: events(), result };
}

/** Adds an event. Progress since the last read is joined into one event. */
function add(waiting: CallEvent[], event: CallEvent): void {
  const last = waiting.at(-1);
  if (event.kind === 'step.advanced' && last?.kind === 'step.advanced') {
    const [one, other] = [last.outcomes, event.outcomes];
    const outcomes = addOutcomes(one ?? noOutcomes, other ?? noOutcomes);
    const isSent = one !== undefined || other !== undefined;
    const share = event.share ?? last.share;
    waiting[waiting.length - 1] = {
      kind: event.kind,
      rows: last.rows + event.rows,
      ...(share === undefined ? {} : { share }),
      ...(isSent ? { outcomes } : {}),
    };
    return;
  }
  waiting.push(event);
  if (waiting.length > mostWaiting) waiting.shift();
}

/* The cause that stops a call, as an error with one sentence, a code and a next step. */

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

/**
 * Turns every expected error into an error with one sentence, a code and a next step. An unexpected error is returned
 * unchanged.
 */
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

/** The error for unexpected errors, which are bugs in paybatch. Their details are written only to standard error. */
export const internalError = new PaybatchError(
  'internal_error',
  'An internal error, which is a bug of ours.',
  {
    action: 'again',
    remark: 'if it happens again, report it with what is on standard error',
  },
);

/** As `asFailure`, but an unexpected error becomes `internalError`. */
export function asKnownFailure(error: unknown): PaybatchError {
  const failure = asFailure(error);
  return failure instanceof PaybatchError ? failure : internalError;
}

/**
 * Turns an error of the operating system into a failure with a general sentence. Such an error is not a bug in paybatch,
 * for example too many open files, a broken disk, or a missing folder.
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

/** Turns a clause that begins with a word into a sentence. */
function sentence(clause: Message): Message {
  const [first = '', ...others] = typeof clause === 'string' ? [clause] : clause.parts;
  const begun = { parts: [typeof first === 'string' ? capital(first) : first, ...others] };
  return say`${begun}${/[.!?]$/.test(plainText(begun)) ? '' : '.'}`;
}
