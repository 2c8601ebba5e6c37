/*
 * Distinguishes an API that is down from rows that always fail. A single row proves nothing, however often it is tried;
 * different rows do, and any answer to another row proves the opposite.
 */

import { mayBeOutage } from '../domain/sending/answer.ts';
import type { Outcome, StopCause } from '../domain/sending/outcome.ts';

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
