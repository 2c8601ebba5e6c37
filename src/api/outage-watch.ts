/*
 * Tells an API that is down from rows that always fail. A single row proves nothing, however often it is tried; different
 * rows do, and any answer to another row proves the opposite.
 */

import type { Outcome, StopCause } from '../domain/sending/outcome.ts';
import { mayBeOutage } from '../domain/sending/retry-policy.ts';

/** So many different rows that failed one after the other raise the doubt whether the API is there. */
const rowsForDoubt = 10;

/** So many failed tries in a row raise it as well, whichever rows they were of; then nothing is asked for once more. */
const triesForDoubt = 20;

/** So many further rows that fail while the API is in doubt end it: the API is down. */
const mostFailedProbes = 4;

/**
 * So few rows that are left are sent all the same: that takes hardly more requests than to find out, and the last rows of
 * a file may well be the bad ones.
 */
const fewRows = 30;

/** So many different rows have to have failed for a run that was never answered to say that the API is down. */
const rowsForSilence = 4;

/** The pause before the first row that is sent while the API is in doubt; it doubles with each that fails. */
const firstPauseInMs = 250;

/** What the watch knows of a row that is being sent. */
export interface WatchedRow {
  /** Other rows were answered after it had failed: what fails is the row, which says nothing about the API. */
  failsAlone: boolean;
}

/** One try that has come to its end. */
interface WatchedTry {
  readonly outcome: Outcome;
  readonly startedAtInMs: number;
  readonly endedAtInMs: number;
}

/**
 * Watches the tries of a run. Once nothing but failures is heard, the API is in doubt: then rows are sent one by one,
 * with growing pauses, of which nothing is known yet. The first that is answered ends the doubt.
 */
export class OutageWatch {
  /** Rows that have failed since the last answer, and of which nothing says that they always do. */
  readonly #suspects = new Set<WatchedRow>();
  #failedTriesInARow = 0;
  #inDoubtSinceInMs: number | null = null;
  #failedProbes = 0;
  #isAnswered = false;

  /** Notes what became of a try of a row. */
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

  /** Whether it is being found out, by rows that are sent one by one. */
  get isProbing(): boolean {
    return this.isInDoubt && this.#failedProbes < mostFailedProbes;
  }

  /** How long all rows wait before the next one is sent while the API is in doubt. */
  get pauseInMs(): number {
    return firstPauseInMs * 2 ** this.#failedProbes;
  }

  /** Whether rows that have failed in this run may be asked for again: it is vain while nothing is answered. */
  get mayAskAgain(): boolean {
    return this.#failedTriesInARow < triesForDoubt;
  }

  /**
   * Why the run has to stop since the API is down; null while it may be there, or where it is no use to stop.
   * @param rowsLeft how many rows were never sent
   * @param last the latest failure, for people
   */
  outage(rowsLeft: number, last: string): StopCause | null {
    if (this.#failedProbes < mostFailedProbes || rowsLeft <= fewRows) return null;
    return this.#unavailable(`different rows failed one after the other, the last with: ${last}`);
  }

  /**
   * Why a run that has come to the end of its rows says that the API is down: it was never answered, although it has
   * asked for several rows, and often enough. Null where it was, or where a few rows or tries prove nothing.
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
