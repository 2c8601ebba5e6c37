/* The state of a row after its tries, and the error that stops a run. */

import { type Message, plainText } from '../settings/message.ts';
import type { AnswerDifference, Attempt, Outcome, StopReason, UnknownReason } from './outcome.ts';

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
    ({ field, sent, answered }) => `${field} (sent ${sent}, answered ${answered})`,
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
  const said = message === null ? '' : `: ${message}`;
  return {
    state: 'unknown',
    objectId: null,
    code: code ?? 'error_in_answer',
    message: `sent, and it may exist: ${unknownMessages.error_in_answer}${said}`,
    attempts,
  };
}

/**
 * A request that conflicts with an earlier one under its own key only needs time: a later run sends it again.
 * Without such an earlier request, another object is in conflict, and a person has to look.
 */
function conflicting(history: KeyHistory, attempts: readonly Attempt[], said: string): Conclusion {
  if (mayExist(history, attempts)) return inconclusive(history, attempts);
  return {
    state: 'held',
    objectId: null,
    code: 'conflict',
    message: `the API says that this request conflicts with another one, each time it was asked: ${said}`,
    attempts,
  };
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
  return {
    state: 'held',
    objectId: null,
    code: 'contradicting_answers',
    message: `an earlier try under the same key had no conclusive answer and may have succeeded, a later one was refused: ${message}`,
    attempts,
  };
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

/**
 * The run cannot continue, for any row: no further request starts. `message` is a sentence for people;
 * it contains nothing personal and no credential.
 */
export class RunStop extends Error {
  override readonly name = 'RunStop';
  readonly reason: StopReason;
  /**
   * The state of the row whose sending was broken off: its state before the try that stopped the run where
   * that try's answer is conclusive, and else `unknown`. It has to be recorded. Null where no row was being sent.
   */
  readonly conclusion: Conclusion | null;

  /** The message in its parts. */
  readonly said: Message;

  constructor(reason: StopReason, said: Message, conclusion: Conclusion | null = null) {
    super(plainText(said));
    this.said = said;
    this.reason = reason;
    this.conclusion = conclusion;
  }
}
