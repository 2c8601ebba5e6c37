/* How long a verb is repeated while the database is away. */

import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import { isDatabaseUnavailable } from './database-failure.ts';

/** Runs one verb, and again while the database is away. Only for verbs that come to the same when repeated. */
type TransientRetry = <Result>(verb: () => Promise<Result>) => Promise<Result>;

/** A restart or a failover takes seconds; half of a lease leaves time to show a sign of life after it. */
const defaultLimitInMs = 15_000;

/**
 * Bears a database that is away for a moment, so that a hiccup at night does not end a run. Once it has
 * been waited for in vain, the verbs that follow fail at once, until one succeeds again.
 * @param limitInMs how long one verb waits in all
 */
export function createTransientRetry(limitInMs = defaultLimitInMs): TransientRetry {
  let isUsedUp = false;
  return async (verb) => {
    try {
      const result = await pRetry(verb, {
        retries: Number.POSITIVE_INFINITY,
        minTimeout: 100,
        maxTimeout: 1_000,
        maxRetryTime: limitInMs,
        randomize: true,
        shouldRetry: ({ error }) => !isUsedUp && isDatabaseUnavailable(error),
      });
      isUsedUp = false;
      return result;
    } catch (error) {
      if (isDatabaseUnavailable(error)) isUsedUp = true;
      throw error;
    }
  };
}

/**
 * Reads pages of rows to their end, going on after the last row that came when the database was away.
 * @param pagesAfter the pages of the rows after a row number
 * @param fromAfter the row number after which to begin
 */
export async function* readWithRetry<Row extends { readonly row: number }>(
  patience: TransientRetry,
  pagesAfter: (afterRow: number) => AsyncIterator<readonly Row[]>,
  fromAfter = 0,
): AsyncGenerator<readonly Row[]> {
  let lastRow = fromAfter;
  let pages = pagesAfter(lastRow);
  for (;;) {
    const page = await patience(async () => {
      try {
        return await pages.next();
      } catch (error) {
        // A generator that has failed is finished: the remaining pages need a new one.
        pages = pagesAfter(lastRow);
        throw error;
      }
    });
    if (page.done === true) return;
    yield page.value;
    lastRow = page.value.at(-1)?.row ?? lastRow;
  }
}

const askEveryInMs = 15_000;

/**
 * Waits for a statement that may take long, but only while the database answers another question.
 * @param ask a short question on another connection
 * @throws the error of the question, once it fails
 */
export async function whileItAnswers<Result>(
  work: Promise<Result>,
  ask: () => Promise<unknown>,
  everyInMs = askEveryInMs,
): Promise<Result> {
  const ended = new AbortController();
  const asking = async (): Promise<never> => {
    for (;;) {
      await sleep(everyInMs, undefined, { signal: ended.signal });
      await ask();
    }
  };
  try {
    return await Promise.race([work, asking()]);
  } finally {
    ended.abort();
  }
}
