/*
 * One try of one request, and the conclusions from answers over time: where an object's id is, that a path exists, that the
 * API is down.
 */

import { classifyAnswer } from '../domain/sending/answer.ts';
import type { Attempt, CreationReading, Outcome, StopCause } from '../domain/sending/outcome.ts';
import { mayBeOutage } from '../domain/sending/retry-policy.ts';
import type { Reply } from './exchange.ts';

/** Longer answers are not kept as evidence. An API's answer about one object is far shorter. */
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

/** When a request was sent, in milliseconds after the row's first request in this claim, and how long the answer took. */
interface AttemptTimes {
  readonly sentAfterMs: number;
  readonly durationInMs: number;
}

/** One try in the form of the ledger and the run log. */
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

/** Rounds to whole milliseconds. The result is not below zero, even if a clock is set back. */
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

/** Number of confirmations without an id, if none had an id, after which the id is assumed to be in another place. */
const mostConfirmationsWithoutId = 5;

/**
 * Detects that the API creates objects whose ids are not in the expected place of the answer. If the run continued, every
 * row of the file would be in doubt. So it stops after the first few rows.
 */
export function createIdProof() {
  let isIdSeen = false;
  let withoutId = 0;
  return {
    /** @returns true when this outcome shows that ids are not in their expected place */
    record(outcome: Outcome): boolean {
      if (outcome.kind === 'created') isIdSeen = true;
      if (isIdSeen || outcome.kind !== 'unknown' || outcome.reason !== 'answer_without_id') return false;
      withoutId += 1;
      return withoutId === mostConfirmationsWithoutId;
    },
  };
}

/** Number of 404s on an unproven path that prove the path to be wrong, even while other requests are still open. */
const mostUnprovenNotFounds = 10;

type NotFoundVerdict = 'path_is_right' | 'path_is_wrong' | 'undecided';

/**
 * Distinguishes a 404 that refuses one row from a 404 for a missing path, which a wrong base URL causes for every row. Any
 * other conclusive answer on a path proves that the path exists. A 404 on a path that is not proven waits for the rows in
 * flight on the same path, since one of them may prove it:
 *
 * - another row proves the path: all waiting 404s are refusals;
 * - ten 404s are waiting, or only rows with waiting 404s are in flight: the path is wrong.
 *
 * Every row in flight either ends or starts to wait, so no 404 waits for ever.
 */
export interface PathProof {
  /** Marks the beginning of a row's tries on this path; they end with `leave`. */
  readonly enter: (path: string) => void;
  readonly leave: (path: string) => void;
  /** Records that the path gave a conclusive answer other than 404. */
  readonly prove: (path: string) => void;
  /** Decides what the 404 of a row that has entered means; `undecided` if the signal is aborted first. */
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

/*
 * Distinguishes an API that is down from rows that always fail. One row proves nothing, however often it is tried. Failures
 * of several rows show that the API may be down, and any answer to another row shows that it is up.
 */

/** Number of different rows that fail one after the other before the API is in doubt. */
const rowsForDoubt = 10;

/** Number of consecutive failed tries, of any rows, after which the API is in doubt as well; then no row is sent again. */
const triesForDoubt = 20;

/** Number of further rows that have to fail while the API is in doubt before it counts as down. */
const mostFailedProbes = 4;

/**
 * If at most this many rows are left, they are sent anyway. This takes hardly more requests than testing the API, and the
 * failing rows may be the last rows of the file.
 */
const fewRows = 30;

/** Number of different rows that have to fail before a run without any answer reports at its end that the API is down. */
const rowsForSilence = 4;

/** The pause before the first row that is sent while the API is in doubt. It doubles with each failure. */
const firstPauseInMs = 250;

/** The state that the watch keeps for a row that is being sent. */
export interface WatchedRow {
  /** Whether another row was answered after this one had failed. Its failures then say nothing about the API. */
  failsAlone: boolean;
}

/** One try that has ended. */
interface WatchedTry {
  readonly outcome: Outcome;
  readonly startedAtInMs: number;
  readonly endedAtInMs: number;
}

/**
 * Watches the tries of a run. After a number of failures without an answer, the API is in doubt. Then untested rows are
 * sent one by one, with growing pauses. The first answer ends the doubt.
 */
export class OutageWatch {
  /** Rows that have failed since the last answer. Rows that are known to fail always are not included. */
  readonly #suspects = new Set<WatchedRow>();
  #failedTriesInARow = 0;
  #inDoubtSinceInMs: number | null = null;
  #failedProbes = 0;
  #isAnswered = false;

  /** Records the result of a try of a row. */
  record(row: WatchedRow, { outcome, startedAtInMs, endedAtInMs }: WatchedTry): void {
    if (!mayBeOutage(outcome)) {
      this.#answered();
      return;
    }
    this.#failedTriesInARow += 1;
    const isOther = !row.failsAlone && !this.#suspects.has(row);
    if (isOther) this.#suspects.add(row);
    if (this.#inDoubtSinceInMs === null) {
      const isDoubtful = this.#suspects.size >= rowsForDoubt || this.#failedTriesInARow >= triesForDoubt;
      if (isDoubtful) this.#inDoubtSinceInMs = endedAtInMs;
    } else if (isOther && startedAtInMs > this.#inDoubtSinceInMs) {
      this.#failedProbes += 1;
    }
  }

  #answered(): void {
    for (const row of this.#suspects) row.failsAlone = true;
    this.#suspects.clear();
    this.#failedTriesInARow = 0;
    this.#inDoubtSinceInMs = null;
    this.#failedProbes = 0;
    this.#isAnswered = true;
  }

  /** Whether the API may be down. */
  get isInDoubt(): boolean {
    return this.#inDoubtSinceInMs !== null;
  }

  /** Whether rows are sent one by one to test whether the API is down. */
  get isProbing(): boolean {
    return this.isInDoubt && this.#failedProbes < mostFailedProbes;
  }

  /** How long all rows wait before the next one is sent while the API is in doubt. */
  get pauseInMs(): number {
    return firstPauseInMs * 2 ** this.#failedProbes;
  }

  /** Whether rows that have failed in this run may be sent again. That is useless while no row is answered. */
  get mayAskAgain(): boolean {
    return this.#failedTriesInARow < triesForDoubt;
  }

  /**
   * The reason to stop the run because the API is down; null while it may be up, or if stopping has no use.
   * @param rowsLeft how many rows were never sent
   * @param last the latest failure, for people
   */
  outage(rowsLeft: number, last: string): StopCause | null {
    if (this.#failedProbes < mostFailedProbes || rowsLeft <= fewRows) return null;
    return this.#unavailable(`different rows failed one after the other, the last with: ${last}`);
  }

  /**
   * The reason why a run reports at the end of its rows that the API is down: it got no answer, although it tried several
   * rows often enough. Null if it got an answer, or if there were too few rows or tries to prove anything.
   * @param last the latest failure, for people
   */
  silence(last: string): StopCause | null {
    if (this.#isAnswered || this.#suspects.size < rowsForSilence || this.mayAskAgain) return null;
    return this.#unavailable(`rows failed and no other one was answered, the last with: ${last}`);
  }

  #unavailable(why: string): StopCause {
    const message = `the API is not available: ${this.#suspects.size} ${why}`;
    return { reason: 'unavailable', message };
  }
}
