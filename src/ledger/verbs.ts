/* The verbs of the ledger, and how they are called: on which connections, and how often while the database is down. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import pRetry from 'p-retry';
import { isDatabaseUnavailable } from './connection/database-failure.ts';
import * as exported from './exported-verbs.ts';
import { execute, type Verb } from './query/sql.ts';

/* How long a verb is repeated while the database is unavailable. */

/** Runs one verb, and repeats it while the database is unavailable. Only for verbs with the same result when repeated. */
type TransientRetry = <Result>(verb: () => Promise<Result>) => Promise<Result>;

/** A restart or a failover takes seconds; half of a lease leaves time for a heartbeat after it. */
const defaultLimitInMs = 15_000;

/**
 * Waits for a database that is unavailable for a moment, so that a short outage at night does not end a run. After a
 * wait in vain, the verbs that follow fail at once, until one succeeds again.
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
 * Reads pages of rows to their end, and continues after the last received row when the database was unavailable.
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

/** The verbs that calls of every kind need, bound to one database. */
export type LedgerVerbs = BoundVerbs<typeof exported>;

/** The same, with those of files of which only some calls have need. */
export type VerbsWith<Files> = LedgerVerbs & BoundVerbs<Files>;

/** A verb of the ledger whose first argument is an environment, within that one. */
export type InEnvironment<Name extends keyof LedgerVerbs> = LedgerVerbs[Name] extends (
  environmentId: number,
  ...rest: infer Rest
) => infer Result
  ? (...rest: Rest) => Result
  : never;

/** The exports of these files that are not verbs are for the ledger's own use. */
function isVerb(value: unknown): value is Verb {
  return typeof value === 'function' && 'policy' in value;
}

/** Binds the verbs that calls of every kind need, see `verbBinder`. */
export function bindVerbs(...on: Parameters<typeof verbBinder>): LedgerVerbs {
  return verbBinder(...on)(exported);
}

/**
 * Binds verbs to one database, each according to its policy. All of them wait together: after one has waited in vain for the
 * database, the others fail at once.
 * @param patienceInMs how long a repeatable verb waits for an unavailable database; 15 s unless stated
 * @param shortStatements the same database for verbs of the pool `short`; without it every verb runs on `database`
 * @param isReadOnly whether the database takes no writes: then verbs that only save work are left out
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
 * A long statement without a reply may still be running. So a query on another connection tests
 * whether the database is available.
 */
function watched(work: unknown, shortStatements: Knex): unknown {
  return work instanceof Promise ? whileItAnswers(work, () => execute(shortStatements, 'SELECT 1')) : work;
}
