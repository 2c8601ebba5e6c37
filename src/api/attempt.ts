/* One try of one request, and what answers prove over time: where to find the id of an object, and that a path exists. */

import { classifyAnswer } from '../domain/sending/answer.ts';
import type { Attempt, CreationReading, Outcome } from '../domain/sending/outcome.ts';
import type { Reply } from './exchange.ts';

/** Longer answers are not kept as evidence: an API's answer about one object is far shorter. */
const mostEvidenceCharacters = 64 * 1024;

/** The meaning of a reply, including a missing one. */
export function outcomeOf(reply: Reply, readAnswer: (json: unknown) => CreationReading, now: Date): Outcome {
  switch (reply.kind) {
    case 'answer':
      return classifyAnswer(reply, readAnswer, now);
    case 'maybe_sent':
      return { kind: 'unknown', reason: reply.reason };
    case 'not_sent':
      return { kind: 'not_sent', reason: reply.reason };
  }
}

/** When a request was sent, in ms after the first one of its claim, and how long its answer took. */
interface AttemptTimes {
  readonly sentAfterMs: number;
  readonly durationInMs: number;
}

/** One request in the form of the ledger and the run log. */
export function attemptOf(number: number, reply: Reply, outcome: Outcome, times: AttemptTimes): Attempt {
  const text = reply.kind === 'answer' && reply.body.state === 'whole' ? reply.body.text : null;
  return {
    number,
    outcome: outcome.kind,
    reason: reasonOf(outcome),
    httpStatus: reply.kind === 'answer' ? reply.status : null,
    objectId: outcome.kind === 'created' ? outcome.objectId : null,
    durationInMs: wholeMs(times.durationInMs),
    sentAfterMs: wholeMs(times.sentAfterMs),
    answer: text !== null && text.length <= mostEvidenceCharacters ? text : null,
  };
}

/** Not below zero, even if a clock is set back. */
function wholeMs(ms: number): number {
  return Math.max(0, Math.round(ms));
}

function reasonOf(outcome: Outcome): string | null {
  switch (outcome.kind) {
    case 'created':
      return null;
    case 'refused':
      return outcome.code;
    case 'conflict':
    case 'throttled':
      return outcome.kind;
    default:
      return outcome.reason;
  }
}

/** This many confirmations without an id, and none with one, mean that the id is looked for in the wrong place. */
const mostConfirmationsWithoutId = 5;

/**
 * Notices that the API creates objects whose ids are not found in their expected place. If the run continued, every row
 * of the file would be in doubt, so it stops after the first few.
 */
interface IdProof {
  /** @returns true when this outcome shows that ids are not in their expected place */
  readonly record: (outcome: Outcome) => boolean;
}

export function createIdProof(): IdProof {
  let isIdSeen = false;
  let withoutId = 0;
  return {
    record(outcome) {
      if (outcome.kind === 'created') isIdSeen = true;
      if (isIdSeen || outcome.kind !== 'unknown' || outcome.reason !== 'answer_without_id') return false;
      withoutId += 1;
      return withoutId === mostConfirmationsWithoutId;
    },
  };
}

/** This many first 404s on a path mean that the path is wrong, even while other requests are still open. */
const mostUnprovenNotFounds = 10;

type NotFoundVerdict = 'path_is_right' | 'path_is_wrong' | 'undecided';

/**
 * Distinguishes a 404 that refuses one row from a 404 for a missing path, which a wrong base URL gives for every row. A
 * path is proven by any other conclusive answer on it. A 404 on a path that is not proven waits for the rows that are
 * under way on the same path, since one of them may prove it:
 *
 * - another row proves the path: all waiting 404s are refusals;
 * - ten 404s are waiting, or nothing but waiting 404s is under way: the path is wrong.
 *
 * Every row under way either ends or starts waiting, so no 404 waits for ever.
 */
export interface PathProof {
  /** A row's tries on this path begin; they end with `leave`. */
  readonly enter: (path: string) => void;
  readonly leave: (path: string) => void;
  /** The path gave a conclusive answer other than 404. */
  readonly prove: (path: string) => void;
  /** Judges a 404 of a row that has entered; `undecided` when the signal aborts first. */
  readonly judge: (path: string, signal: AbortSignal) => Promise<NotFoundVerdict>;
}

interface PathState {
  isProven: boolean;
  underWay: number;
  waiting: ((verdict: NotFoundVerdict) => void)[];
}

/** @param isProvenAlready whether the path gave a conclusive answer in an earlier run */
export function createPathProof(isProvenAlready: (path: string) => boolean = () => false): PathProof {
  const states = new Map<string, PathState>();
  const stateOf = (path: string): PathState => {
    const known = states.get(path);
    if (known !== undefined) return known;
    const fresh = { isProven: isProvenAlready(path), underWay: 0, waiting: [] };
    states.set(path, fresh);
    return fresh;
  };
  return {
    enter(path) {
      stateOf(path).underWay += 1;
    },
    leave(path) {
      const state = stateOf(path);
      state.underWay -= 1;
      condemnIfHopeless(state);
    },
    prove(path) {
      const state = stateOf(path);
      state.isProven = true;
      tellAll(state, 'path_is_right');
    },
    judge(path, signal) {
      const state = stateOf(path);
      if (state.isProven) return Promise.resolve('path_is_right');
      if (signal.aborted) return Promise.resolve('undecided');
      return new Promise((resolve) => {
        const onAbort = () => resolve('undecided');
        signal.addEventListener('abort', onAbort, { once: true });
        state.waiting.push((verdict) => {
          signal.removeEventListener('abort', onAbort);
          resolve(verdict);
        });
        condemnIfHopeless(state);
      });
    },
  };
}

function condemnIfHopeless(state: PathState): void {
  const { length } = state.waiting;
  if (length > 0 && (length >= mostUnprovenNotFounds || length >= state.underWay)) {
    tellAll(state, 'path_is_wrong');
  }
}

function tellAll(state: PathState, verdict: NotFoundVerdict): void {
  for (const tell of state.waiting.splice(0)) tell(verdict);
}
