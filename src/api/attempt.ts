/*
 * One try of one request, and what answers prove over time: where an object's id is, that a path exists,
 * that the API is down.
 */

import { classifyAnswer } from '../domain/sending/answer.ts';
import type { Attempt, CreationReading, Outcome, StopCause } from '../domain/sending/outcome.ts';
import { mayBeOutage } from '../domain/sending/retry-policy.ts';
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

/*
 * Distinguishes an API that is down from rows that always fail. A single row proves nothing, however often it is tried;
 * different rows do, and any answer to another row proves the opposite.
 */

/** Number of different rows that fail one after the other before the API is in doubt. */
const rowsForDoubt = 10;

/** Number of failed tries in a row, of any rows, before the API is in doubt as well; then no row is sent again. */
const triesForDoubt = 20;

/** Number of further rows that fail while the API is in doubt before it counts as down. */
const mostFailedProbes = 4;

/**
 * If no more rows than this are left, they are sent anyway: that takes hardly more requests than finding out, and the
 * last rows of a file may well be the bad ones.
 */
const fewRows = 30;

/** Number of different rows that have to fail before a run without any answer reports that the API is down. */
const rowsForSilence = 4;

/** The pause before the first row that is sent while the API is in doubt; it doubles with each failure. */
const firstPauseInMs = 250;

/** What the watch knows of a row that is being sent. */
export interface WatchedRow {
  /** Other rows were answered after this one had failed: its failures say nothing about the API. */
  failsAlone: boolean;
}

/** One try that has ended. */
interface WatchedTry {
  readonly outcome: Outcome;
  readonly startedAtInMs: number;
  readonly endedAtInMs: number;
}

/**
 * Watches the tries of a run. After only failures, the API is in doubt: then untested rows are sent one by one, with
 * growing pauses. The first answer ends the doubt.
 */
export class OutageWatch {
  /** Rows that have failed since the last answer, and that are not known to fail always. */
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

  /** Whether this is being tested, by rows that are sent one by one. */
  get isProbing(): boolean {
    return this.isInDoubt && this.#failedProbes < mostFailedProbes;
  }

  /** How long all rows wait before the next one is sent while the API is in doubt. */
  get pauseInMs(): number {
    return firstPauseInMs * 2 ** this.#failedProbes;
  }

  /** Whether rows that have failed in this run may be sent again: that is useless while nothing is answered. */
  get mayAskAgain(): boolean {
    return this.#failedTriesInARow < triesForDoubt;
  }

  /**
   * Why the run has to stop since the API is down; null while it may be up, or where stopping has no use.
   * @param rowsLeft how many rows were never sent
   * @param last the latest failure, for people
   */
  outage(rowsLeft: number, last: string): StopCause | null {
    if (this.#failedProbes < mostFailedProbes || rowsLeft <= fewRows) return null;
    return this.#unavailable(`different rows failed one after the other, the last with: ${last}`);
  }

  /**
   * Why a run at the end of its rows reports that the API is down: it got no answer, although it tried several rows, and
   * often enough. Null where it got one, or where a few rows or tries prove nothing.
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
