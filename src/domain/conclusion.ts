import type { Attempt, Conclusion, Outcome, UnknownReason } from './outcome.ts';

/** What was known about a row's key before this claim. */
export interface KeyHistory {
  /** An earlier request under the same key may have been carried out. */
  readonly isEarlierTryUnknown: boolean;
}

const unknownMessages: Readonly<Record<UnknownReason, string>> = {
  timeout: 'no answer came in time',
  connection_lost: 'the connection was lost before the answer came',
  server_error: 'the API reported a fault of its own',
  answer_incomplete: 'the answer was not complete',
  answer_without_id: 'the API confirmed the request, but its answer holds no id where one belongs',
  answer_too_large: 'the answer was larger than allowed',
};

/**
 * Where a row stands after the tries of one claim.
 *
 * @param attempts the requests of this claim, in order
 * @param last the outcome that ended the tries, because it is conclusive or because no further try is
 *   granted after it; null when they were broken off (the run stops, or the key grew too old), or when
 *   nothing was sent at all
 */
export function conclude(
  history: KeyHistory,
  attempts: readonly Attempt[],
  last: Outcome | null,
): Conclusion {
  switch (last?.kind) {
    case 'created':
      return { state: 'created', objectId: last.objectId, code: null, message: null, attempts };
    case 'refused':
      return refused(history, attempts, last);
    case 'conflict':
      return {
        state: 'held',
        objectId: null,
        code: 'conflict',
        message: `the API says that this request conflicts with another one, each time it was asked: ${last.message}`,
        attempts,
      };
    default:
      return asItStands(history, attempts);
  }
}

function refused(
  history: KeyHistory,
  attempts: readonly Attempt[],
  { code, message }: Extract<Outcome, { kind: 'refused' }>,
): Conclusion {
  const mayExist = history.isEarlierTryUnknown || attempts.some((attempt) => attempt.outcome === 'unknown');
  if (!mayExist) return { state: 'rejected', objectId: null, code, message, attempts };
  return {
    state: 'held',
    objectId: null,
    code: 'contradicting_answers',
    message: `an earlier try under the same key had no conclusive answer and may have succeeded, a later one was refused: ${message}`,
    attempts,
  };
}

/** Nothing conclusive came: the row is `unknown` if any try of its key may have been carried out. */
function asItStands(history: KeyHistory, attempts: readonly Attempt[]): Conclusion {
  // A conflict says that something under this key is under way, so it counts as doubt too.
  const doubtful = attempts.findLast(({ outcome }) => outcome === 'unknown' || outcome === 'conflict');
  if (doubtful !== undefined) {
    return {
      state: 'unknown',
      objectId: null,
      code: doubtful.reason,
      message: `sent, and it may exist: ${doubtMessage(doubtful.reason)}`,
      attempts,
    };
  }
  const code = attempts.at(-1)?.reason ?? null;
  const message = code === null ? null : notCarriedOutMessage(attempts.at(-1));
  if (!history.isEarlierTryUnknown) return { state: 'ready', objectId: null, code, message, attempts };
  return {
    state: 'unknown',
    objectId: null,
    code,
    message: message === null ? null : `an earlier try may have succeeded; this time ${message}`,
    attempts,
  };
}

function doubtMessage(reason: string | null): string {
  return reason !== null && isUnknownReason(reason)
    ? unknownMessages[reason]
    : 'the API says that a request under the same key is still under way';
}

function isUnknownReason(reason: string): reason is UnknownReason {
  return Object.hasOwn(unknownMessages, reason);
}

function notCarriedOutMessage(attempt: Attempt | undefined): string {
  switch (attempt?.outcome) {
    case 'throttled':
      return 'the API asked to wait, and the tries for this run are used up';
    case 'not_sent':
      return 'the API could not be reached, nothing was sent';
    default:
      return 'the run stopped before this row had its answer';
  }
}
