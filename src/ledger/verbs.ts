/*
 * The verbs of the ledger, and how they are called: on which connections, and how long they are repeated while the database
 * is unavailable.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import pRetry from 'p-retry';
import { isDatabaseUnavailable } from './connection/database-failure.ts';
import * as exported from './exported-verbs.ts';
import { execute, type Verb } from './query/sql.ts';

/* How long a verb is repeated while the database is unavailable. */

/**
 * Runs one verb, and repeats it while the database is unavailable. Only for verbs whose result is the same when they are
 * repeated.
 */
type TransientRetry = <Result>(verb: () => Promise<Result>) => Promise<Result>;

/** A restart or a failover takes seconds. This is half of a lease, which leaves time for a heartbeat afterwards. */
const defaultLimitInMs = 15_000;

/**
 * Waits for a database that is unavailable for a short time, so that a short outage at night does not end a run. After a
 * wait without success, further verbs fail at once, until one succeeds.
 * @param limitInMs how long one verb waits in total
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
 * Reads pages of rows to their end. If the database was unavailable, it continues after the last received row.
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
        // A generator that has failed is finished, so the remaining pages need a new one.
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
 * Waits for a statement that may take long, but only while the database answers another query.
 * @param ask a short query on another connection
 * @throws the error of the query, once it fails
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

/** A verb without its first argument, the database. */
type Bound<Declared> = Declared extends (database: never, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

/** The verbs among the exports of files, bound to one database. */
export type BoundVerbs<Files> = {
  readonly [Name in keyof Files as Files[Name] extends Verb ? Name : never]: Bound<Files[Name]>;
};

/** The verbs that all kinds of calls need, bound to one database. */
export type LedgerVerbs = BoundVerbs<typeof exported>;

/** The same, with the verbs of files that only some calls need. */
export type VerbsWith<Files> = LedgerVerbs & BoundVerbs<Files>;

/** A verb of the ledger whose first argument is an environment, bound to that environment. */
export type InEnvironment<Name extends keyof LedgerVerbs> = LedgerVerbs[Name] extends (
  environmentId: number,
  ...rest: infer Rest
) => infer Result
  ? (...rest: Rest) => Result
  : never;

/** Exports of these files that are not verbs are for use within the ledger. */
function isVerb(value: unknown): value is Verb {
  return typeof value === 'function' && 'policy' in value;
}

/** Binds the verbs that all kinds of calls need, see `verbBinder`. */
export function bindVerbs(...on: Parameters<typeof verbBinder>): LedgerVerbs {
  return verbBinder(...on)(exported);
}

/**
 * Binds verbs to one database, each according to its policy. They share one wait: after one verb has waited for the database
 * without success, the others fail at once.
 * @param patienceInMs how long a repeatable verb waits for an unavailable database; 15 s by default
 * @param shortStatements the same database for verbs of the pool `short`; without it every verb runs on `database`
 * @param isReadOnly whether the database accepts no writes; then verbs that only save work are omitted
 */
export function verbBinder(
  database: Knex,
  patienceInMs?: number,
  shortStatements = database,
  isReadOnly = false,
): <Files extends object>(files: Files) => BoundVerbs<Files> {
  const patience = createTransientRetry(patienceInMs);
  const bind = (act: Verb): Call => {
    const { pool, repeatable, savesWorkOnly = false } = act.policy;
    if (isReadOnly && savesWorkOnly) return async () => {};
    const chosen = pool === 'short' ? shortStatements : database;
    const once: Call = (...rest) => (act as (...all: never[]) => unknown as Call)(chosen, ...rest);
    if (typeof repeatable === 'object') {
      const at = repeatable.fromRow - 1;
      return (...rest) => {
        const pagesAfter = (row: number) => once(...Object.assign([...rest], { [at]: row })) as PagesOfRows;
        return readWithRetry(patience, pagesAfter, rest[at] as number | undefined);
      };
    }
    const call: Call =
      chosen === shortStatements ? once : (...rest) => watched(once(...rest), shortStatements);
    return repeatable ? (...rest) => patience(async () => call(...rest)) : call;
  };
  return <Files extends object>(files: Files) =>
    Object.fromEntries(
      Object.entries(files).flatMap(([name, value]) => (isVerb(value) ? [[name, bind(value)]] : [])),
    ) as BoundVerbs<Files>;
}

type Call = (...all: unknown[]) => unknown;
type PagesOfRows = AsyncGenerator<readonly { readonly row: number }[]>;

/**
 * A long statement without a reply may still be running. So a query on another connection tests whether the database is
 * available.
 */
function watched(work: unknown, shortStatements: Knex): unknown {
  return work instanceof Promise ? whileItAnswers(work, () => execute(shortStatements, 'SELECT 1')) : work;
}
