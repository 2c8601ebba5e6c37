import { setTimeout as delay } from 'node:timers/promises';

/* Work for which a page waits. If the work takes longer, the page shows that it is under way. */

/** How long a page waits before it shows that work is under way. */
export const patienceInMs = 3_000;

/** The result of a promise if it is ready soon; otherwise null. @throws the error of the promise */
export async function soon<Result>(work: Promise<Result>, waitInMs = patienceInMs): Promise<Result | null> {
  const waiting = new AbortController();
  const tooLong = delay(waitInMs, null, { signal: waiting.signal, ref: false }).catch(() => null);
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    waiting.abort();
  }
}

/** Does one piece of work at a time. A request during the work gets the same result. */
export class PatientWork<Result> {
  #work: Promise<Result> | null = null;
  #isUnderWay = false;
  readonly #waitInMs: number;

  constructor(waitInMs: number = patienceInMs) {
    this.#waitInMs = waitInMs;
  }

  /** The result of the active work, or else of new work; null if it takes longer. Then the caller has to call again. */
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
    // Perhaps no caller waits when the work fails. The next caller gets the error.
    work.catch(() => {});
    this.#work = work;
    return work;
  }

  #forget(work: Promise<Result>): void {
    if (this.#work === work) this.#work = null;
  }
}
