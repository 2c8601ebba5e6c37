/* Work that a page waits for, and shows that it is under way where it takes longer. */

import { setTimeout as delay } from 'node:timers/promises';

/** How long a page waits before it says that something is under way. */
export const patienceInMs = 3_000;

/** What a promise gives, if it gives it soon; null where it does not. @throws what the promise throws */
export async function soon<Result>(work: Promise<Result>, waitInMs = patienceInMs): Promise<Result | null> {
  const waiting = new AbortController();
  const tooLong = delay(waitInMs, null, { signal: waiting.signal, ref: false }).catch(() => null);
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    waiting.abort();
  }
}

/** One piece of work at a time. Whoever asks for it while it is under way gets the same. */
export class PatientWork<Result> {
  #work: Promise<Result> | null = null;
  #isUnderWay = false;
  readonly #waitInMs: number;

  constructor(waitInMs: number = patienceInMs) {
    this.#waitInMs = waitInMs;
  }

  /** The result of the work that is under way, else of new work; null where it takes longer: ask again. */
  async take(begin: () => Promise<Result>): Promise<Result | null> {
    const work = this.#work ?? this.#begin(begin);
    try {
      const done = await soon(work, this.#waitInMs);
      if (done !== null) this.#forget(work);
      return done;
    } catch (error) {
      this.#forget(work);
      throw error;
    }
  }

  isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  #begin(begin: () => Promise<Result>): Promise<Result> {
    this.#isUnderWay = true;
    const work = begin().finally(() => {
      this.#isUnderWay = false;
    });
    // Nobody may be waiting when it fails: whoever asks next is told.
    work.catch(() => {});
    this.#work = work;
    return work;
  }

  #forget(work: Promise<Result>): void {
    if (this.#work === work) this.#work = null;
  }
}
