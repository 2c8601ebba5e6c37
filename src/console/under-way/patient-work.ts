import { setTimeout as delay } from 'node:timers/promises';

/* Work that a page waits for; if it takes longer, the page shows that it is under way. */

/** How long a page waits before it shows that work is under way. */
export const patienceInMs = 3_000;

/** The result of a promise if it is ready soon; null otherwise. @throws what the promise throws */
export async function soon<Result>(work: Promise<Result>, waitInMs = patienceInMs): Promise<Result | null> {
  const waiting = new AbortController();
  const tooLong = delay(waitInMs, null, { signal: waiting.signal, ref: false }).catch(() => null);
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    waiting.abort();
  }
}

/** Runs one piece of work at a time. A request during the work gets the same result. */
export class PatientWork<Result> {
  #work: Promise<Result> | null = null;
  #isUnderWay = false;
  readonly #waitInMs: number;

  constructor(waitInMs: number = patienceInMs) {
    this.#waitInMs = waitInMs;
  }

  /** The result of the active work, else of new work; null if it takes longer, to be called again. */
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
    // Nothing may be waiting when it fails; the next caller gets the error.
    work.catch(() => {});
    this.#work = work;
    return work;
  }

  #forget(work: Promise<Result>): void {
    if (this.#work === work) this.#work = null;
  }
}
