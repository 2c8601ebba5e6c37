/* A request of a row, its outcome, and the state of the row after its tries. */

import { fieldName } from '../settings/message.ts';

/** Why a request that may have left has no conclusive answer. */
export type UnknownReason =
  | 'timeout'
  | 'connection_lost'
  | 'server_error'
  | 'answer_incomplete'
  | 'answer_without_id'
  | 'answer_too_large'
  | 'error_in_answer'
  | 'redirect'
  | 'not_the_api';

/** A field that the answer repeats with another value than was sent; both values may be shown. */
export interface AnswerDifference {
  readonly field: string;
  readonly sent: string;
  readonly answered: string;
}

/** What a 2xx answer says about the object that it confirms. */
export interface CreationReading {
  /** Undefined when the answer has none in the expected place. */
  readonly id: string | undefined;
  /** Where the answer contradicts its request; absent when nowhere. */
  readonly differences?: readonly AnswerDifference[];
}

/** The result of one HTTP request; made from the answer alone, without the row's history. */
export type Outcome =
  /** 2xx, whole JSON, with the object's id in this endpoint's place for it. */
  | {
      readonly kind: 'created';
      readonly objectId: string;
      /** Absent when the answer contradicts nothing that was sent. */
      readonly differences?: readonly AnswerDifference[];
    }
  /** A 4xx refusal; conclusive only if no earlier try under the same key is unknown. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /** The request may have left, and no conclusive answer came back. */
  | {
      readonly kind: 'unknown';
      readonly reason: UnknownReason;
      /** What the API itself says about an `error_in_answer`. */
      readonly apiError?: { readonly code: string | null; readonly message: string | null };
      /** The answer shows a fault of the configuration, so the run stops as well. */
      readonly stop?: StopCause;
    }
  /** 409: a request under the same key is in progress, or had other content; try again a few times. */
  | { readonly kind: 'conflict'; readonly message: string }
  /** 429: not carried out; all of the run's requests wait. */
  | { readonly kind: 'throttled'; readonly waitInMs: number | null }
  /** Nothing left this machine: connection refused, name not found, TLS failure. */
  | { readonly kind: 'not_sent'; readonly reason: string }
  /** Stop the run; the answer is conclusive, and the row stays as it was before this try. */
  | { readonly kind: 'stop'; readonly reason: StopReason; readonly message: string };

export type OutcomeKind = Outcome['kind'];

/** Why the whole run has to stop: the fault lies in credentials or configuration, not in a row. */
export type StopReason = 'credentials' | 'redirect' | 'not_the_api' | 'wrong_path' | 'no_id' | 'unavailable';

/** Why a run stops by itself; the message is a sentence for people, with nothing personal in it. */
export interface StopCause {
  readonly reason: StopReason;
  readonly message: string;
}

/**
 * One stored request: exactly these bytes, this path and this key, however often it is tried.
 */
export interface StoredRequest {
  readonly path: string;
  readonly idempotencyKey: string;
  readonly body: Buffer;
}

/** One HTTP request as the ledger and the run log remember it. */
export interface Attempt {
  /** Counts the requests of this row from 1, over all runs. */
  readonly number: number;
  readonly outcome: OutcomeKind;
  /** A stable code: the unknown reason, the refusal's code, the stop reason; null when created. */
  readonly reason: string | null;
  readonly httpStatus: number | null;
  readonly objectId: string | null;
  readonly durationInMs: number;
  /** When it left, in milliseconds after the first request of its claim; absent where it was not measured. */
  readonly sentAfterMs?: number;
  /** The answer's body as text when it was read whole and is of moderate size; evidence for reconciliation. */
  readonly answer: string | null;
}

/** The state of a row after the tries of one claim. A later run can continue `ready` and `unknown` rows. */
export interface Conclusion {
  readonly state: 'created' | 'rejected' | 'waiting' | 'unknown' | 'held' | 'ready';
  readonly objectId: string | null;
  /** For people and result files; null where the state is enough. */
  readonly code: string | null;
  readonly message: string | null;
  readonly attempts: readonly Attempt[];
}

/**
 * A row that failed repeatedly, or whose answer would not help now because the API may be down: other rows go first, and
 * its tries continue later.
 */
export interface SetAside {
  readonly state: 'set_aside';
  /** The state of the row if it is not tried again. */
  readonly inconclusive: Conclusion;
  /** Continues its tries after its pause. Rejects as the sending does. */
  readonly again: () => Promise<Conclusion | SetAside>;
}

/** What was known about a row's key before this claim. */
interface KeyHistory {
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
  error_in_answer: 'the API confirmed the request, and named an error in the same answer',
  redirect: 'a redirect came back, and redirects are never followed',
  not_the_api: 'an HTML page came back where the API should have answered',
};

/**
 * The state of a row after the tries of one claim.
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
      return { state: 'created', objectId: last.objectId, ...noteOn(last.differences), attempts };
    case 'unknown':
      return last.apiError === undefined
        ? inconclusive(history, attempts)
        : confirmedWithError(attempts, last.apiError);
    case 'refused':
      return refused(history, attempts, last);
    case 'conflict':
      return conflicting(history, attempts, last.message);
    default:
      return inconclusive(history, attempts);
  }
}

/** A code under which contradicted rows are found: in result files, and for the outcome of the run. */
export const answerDiffers = 'answer_differs';

/** The message of a created row: none, unless its answer contradicts what was sent. */
function noteOn(differences: readonly AnswerDifference[] = []): Pick<Conclusion, 'code' | 'message'> {
  if (differences.length === 0) return { code: null, message: null };
  const fields = differences.map(
    ({ field, sent, answered }) => `${fieldName(field)} (sent ${sent}, answered ${answered})`,
  );
  return {
    code: answerDiffers,
    message: `created, but the answer contradicts what was sent: ${fields.join(', ')}`,
  };
}

function confirmedWithError(
  attempts: readonly Attempt[],
  { code, message }: { readonly code: string | null; readonly message: string | null },
): Conclusion {
  const cause = message === null ? '' : `: ${message}`;
  const said = `sent, and it may exist: ${unknownMessages.error_in_answer}${cause}`;
  return { state: 'unknown', objectId: null, code: code ?? 'error_in_answer', message: said, attempts };
}

/**
 * A request that conflicts with an earlier one under its own key only needs time: a later run sends it again.
 * Without such an earlier request, another object is in conflict, and a person has to look.
 */
function conflicting(history: KeyHistory, attempts: readonly Attempt[], said: string): Conclusion {
  if (mayExist(history, attempts)) return inconclusive(history, attempts);
  const message = `the API says that this request conflicts with another one, each time it was asked: ${said}`;
  return { state: 'held', objectId: null, code: 'conflict', message, attempts };
}

/** Whether a request under the key may have been carried out. */
function mayExist(history: KeyHistory, attempts: readonly Attempt[]): boolean {
  return history.isEarlierTryUnknown || attempts.some(({ outcome }) => outcome === 'unknown');
}

function refused(
  history: KeyHistory,
  attempts: readonly Attempt[],
  { code, message }: Extract<Outcome, { kind: 'refused' }>,
): Conclusion {
  if (!mayExist(history, attempts)) return { state: 'rejected', objectId: null, code, message, attempts };
  const both = `an earlier try under the same key had no conclusive answer and may have succeeded, a later one was refused: ${message}`;
  return { state: 'held', objectId: null, code: 'contradicting_answers', message: both, attempts };
}

/**
 * A refusal that may pass with time, such as a customer whose verification is not done: the row waits, and is tried again
 * under a new key, since the refusal of the old one was conclusive.
 * @param waitingCodes the API's codes of such refusals
 */
export function waitingIfTimeMends(conclusion: Conclusion, waitingCodes: readonly string[]): Conclusion {
  const { state, code } = conclusion;
  const isMended = state === 'rejected' && code !== null && waitingCodes.includes(code);
  return isMended ? { ...conclusion, state: 'waiting' } : conclusion;
}

/** No conclusive answer came: the row is `unknown` if any try under its key may have been carried out. */
function inconclusive(history: KeyHistory, attempts: readonly Attempt[]): Conclusion {
  // A conflict means that a request under this key is in progress, so it counts as doubt too.
  const doubtful = attempts.findLast(({ outcome }) => outcome === 'unknown' || outcome === 'conflict');
  if (doubtful !== undefined) {
    const message = `sent, and it may exist: ${doubtMessage(doubtful.reason)}`;
    return { state: 'unknown', objectId: null, code: doubtful.reason, message, attempts };
  }
  const code = attempts.at(-1)?.reason ?? null;
  const now = code === null ? null : notCarriedOutMessage(attempts.at(-1));
  if (!history.isEarlierTryUnknown) return { state: 'ready', objectId: null, code, message: now, attempts };
  const message = now === null ? null : `an earlier try may have succeeded; this time ${now}`;
  return { state: 'unknown', objectId: null, code, message, attempts };
}

function doubtMessage(reason: string | null): string {
  const messages: Readonly<Record<string, string>> = unknownMessages;
  return messages[reason ?? ''] ?? 'the API says that a request under the same key is still under way';
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
