/* A request of a row, its outcome, and the state of the row after its tries. */

import { fieldName } from '../settings/message.ts';

/** The reason why a request that may have been sent has no conclusive answer. */
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

/** A field whose value in the answer differs from the value that was sent. Both values may be shown. */
export interface AnswerDifference {
  readonly field: string;
  readonly sent: string;
  readonly answered: string;
}

/** The content of a 2xx answer about the object that it confirms. */
export interface CreationReading {
  /** Undefined if the answer has no id at the expected place. */
  readonly id: string | undefined;
  /** How the answer contradicts its request; absent if it does not. */
  readonly differences?: readonly AnswerDifference[];
}

/** The result of one HTTP request, from the answer alone, without the row's history. */
export type Outcome =
  /** 2xx and whole JSON, with the object's id at the place for this endpoint. */
  | {
      readonly kind: 'created';
      readonly objectId: string;
      /** Absent if the answer contradicts nothing that was sent. */
      readonly differences?: readonly AnswerDifference[];
    }
  /** A 4xx refusal. It is conclusive only if no earlier try under the same key is unknown. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /** The request may have been sent, but no conclusive answer was received. */
  | {
      readonly kind: 'unknown';
      readonly reason: UnknownReason;
      /** The API's own code and message for an `error_in_answer`. */
      readonly apiError?: { readonly code: string | null; readonly message: string | null };
      /** Set if the answer shows a fault of the configuration, so that the run stops as well. */
      readonly stop?: StopCause;
    }
  /** 409: a request under the same key is in progress, or had other content. It is tried again a few times. */
  | { readonly kind: 'conflict'; readonly message: string }
  /** 429: the request was not carried out, and all of the run's requests wait. */
  | { readonly kind: 'throttled'; readonly waitInMs: number | null }
  /** Nothing was sent from this machine: connection refused, name not found, TLS failure. */
  | { readonly kind: 'not_sent'; readonly reason: string }
  /** The run stops. The answer is conclusive, and the row stays as it was before this try. */
  | { readonly kind: 'stop'; readonly reason: StopReason; readonly message: string };

export type OutcomeKind = Outcome['kind'];

/** The reason why the whole run has to stop: the fault is in credentials or configuration, not in a row. */
export type StopReason = 'credentials' | 'redirect' | 'not_the_api' | 'wrong_path' | 'no_id' | 'unavailable';

/** The reason why a run stops by itself. The message is a sentence for people, without personal data. */
export interface StopCause {
  readonly reason: StopReason;
  readonly message: string;
}

/** One stored request. It always has exactly these bytes, this path and this key, however often it is tried. */
export interface StoredRequest {
  readonly path: string;
  readonly idempotencyKey: string;
  readonly body: Buffer;
}

/** One HTTP request as recorded in the ledger and the run log. */
export interface Attempt {
  /** The number of the request, counted from 1 for each row over all runs. */
  readonly number: number;
  readonly outcome: OutcomeKind;
  /** A stable code: the unknown reason, the refusal's code, or the stop reason; null if the object was created. */
  readonly reason: string | null;
  readonly httpStatus: number | null;
  readonly objectId: string | null;
  readonly durationInMs: number;
  /** When it was sent, in milliseconds after the first request of its claim; absent if that was not measured. */
  readonly sentAfterMs?: number;
  /** The answer's body as text, if it was read completely and is of moderate size. It is evidence for reconciliation. */
  readonly answer: string | null;
}

/** The state of a row after the tries of one claim. A later run can continue rows that are `ready` or `unknown`. */
export interface Conclusion {
  readonly state: 'created' | 'rejected' | 'waiting' | 'unknown' | 'held' | 'ready';
  readonly objectId: string | null;
  /** For people and result files; null if the state is enough. */
  readonly code: string | null;
  readonly message: string | null;
  readonly attempts: readonly Attempt[];
}

/**
 * A row whose tries continue later, after other rows. It failed repeatedly, or its answer would not help now because the API
 * may be down.
 */
export interface SetAside {
  readonly state: 'set_aside';
  /** The state of the row if it is not tried again. */
  readonly inconclusive: Conclusion;
  /** Continues its tries after its pause. It rejects in the same cases as the sending. */
  readonly again: () => Promise<Conclusion | SetAside>;
}

/** The facts about a row's key from before this claim. */
interface KeyHistory {
  /** Whether an earlier request under the same key may have been carried out. */
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
 * @param attempts the requests of this claim, in order
 * @param last the outcome that ended the tries, because it is conclusive or because no further try is allowed; null if they
 * were broken off (the run stops, or the key became too old), or if nothing was sent at all
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

/** The code of contradicted rows, in result files and for the outcome of the run. */
export const answerDiffers = 'answer_differs';

/** The message of a created row if the answer contradicts what was sent; otherwise empty. */
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
 * A conflict with an earlier request under the same key only needs time: a later run sends the request again. Without an
 * earlier request under the key, the conflict is with another object, and a person has to look into it.
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
 * A refusal that may pass with time, such as a customer whose verification is not finished. The row waits, and is tried
 * again under a new key, since the refusal of the old key was conclusive.
 * @param waitingCodes the API's codes of such refusals
 */
export function waitingIfTimeMends(conclusion: Conclusion, waitingCodes: readonly string[]): Conclusion {
  const { state, code } = conclusion;
  const isMended = state === 'rejected' && code !== null && waitingCodes.includes(code);
  return isMended ? { ...conclusion, state: 'waiting' } : conclusion;
}

/** The state of a row without a conclusive answer. It is `unknown` if any try under its key may have been carried out. */
function inconclusive(history: KeyHistory, attempts: readonly Attempt[]): Conclusion {
  // A conflict means that a request under this key is in progress, so it counts as a doubt too.
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
