/* What an error of the database means, and how long a verb is repeated while the database is away. */

import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import type { ErrorCode } from '../../domain/failures/error-codes.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { Remedies } from '../../domain/failures/remedy.ts';

/**
 * SQLSTATE classes and network errors that say: the database is not there right now, or cannot do it right
 * now (no resources, read only after a failover, a query cancelled by its administrator, for a deadlock, or
 * because it or a lock took longer than we wait).
 */
const unavailable =
  /^(08...|53...|57P0[1-5]|57014|55P03|58...|25006|25P0[34]|40001|40P01|ECONN\w+|ENOTFOUND|EAI_\w+|ETIMEDOUT|EPIPE|E(HOST|NET)(UNREACH|DOWN))$/;
const connectionLost =
  /Connection (terminated|ended)|timeout (exceeded|acquiring|expired)|Query read timeout|Client (has encountered a connection error|was closed)|error establishing an SSL connection/i;

/** Errors of the driver itself, which have no code. */
const passwordMissing = /^SASL: .*client password must be a/;
const tlsMissing = /server does not support SSL connections/;

/** What Node says of a certificate that it does not trust. */
const untrusted =
  /^(ERR_TLS_\w+|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_\w*(CERT|ISSUER|LEAF)\w*|CERT_\w+|ERR_SSL_\w+)$/;

/** Errors of embedded ledgers, by the folder of their ledger: the setting `databaseUrl` has nothing to do with these. */
const embeddedErrors = new WeakMap<object, string>();

/** Notes that an error came from the embedded ledger in `directory`. */
export function noteEmbeddedError(error: unknown, directory: string): void {
  if (typeof error === 'object' && error !== null) embeddedErrors.set(error, directory);
}

function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  return unavailable.test(sqlState(error)) || connectionLost.test(error.message) || isSocketGone(error);
}

/** A server that is reached through a file, its Unix-domain socket, takes that with it when it stops. */
function isSocketGone(error: Error): boolean {
  return sqlState(error) === 'ENOENT' && 'syscall' in error && error.syscall === 'connect';
}

/** The SQLSTATE or system error code of a database error; empty when there is none. */
export function sqlState(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/**
 * Gives a database error its sentence and code. Errors that are our own doing (a broken query, a
 * violated constraint) are not failures of the world and come back as they are.
 */
export function asDatabaseFailure(error: unknown): unknown {
  if (isDatabaseUnavailable(error)) return notAvailable(sqlState(error), embeddedFolderOf(error));
  if (error instanceof Error && passwordMissing.test(error.message)) {
    return refused('The database asks for a password, and the setting databaseUrl has none.');
  }
  if (error instanceof Error && tlsMissing.test(error.message)) {
    return refused('The setting databaseUrl asks for TLS (sslmode), and the database server offers none.');
  }
  if (untrusted.test(sqlState(error))) {
    return refused(`The database server's TLS certificate is not trusted (${sqlState(error)}).`);
  }
  switch (sqlState(error)) {
    case '28P01':
    case '28000':
      return refused('The database refuses the user or password of the setting databaseUrl.');
    case '3D000':
      return refused('The database that the setting databaseUrl names does not exist.');
    case '42501':
      return notPermitted(error);
    case '3F000':
      return refused('The database user of the setting databaseUrl lacks a permission that paybatch needs.');
    default:
      return error;
  }
}

/** The server's own words name the table; the statement that the driver puts before them says nothing to a person. */
function notPermitted(error: unknown): PaybatchError {
  const found = error instanceof Error ? /permission denied [\w" ]+$/.exec(error.message) : null;
  const words = found === null ? '' : `: ${found[0]}`;
  return new PaybatchError(
    'database_refused',
    `The database does not let the user of the setting databaseUrl do this${words}.`,
    [
      'log in as a member of the role that may (docs/controls.md)',
      { action: 'doctor', purpose: 'see which roles this user has' },
    ],
  );
}

function embeddedFolderOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null ? embeddedErrors.get(error) : undefined;
}

/** @param directory of the embedded ledger; undefined for a server's database */
function notAvailable(code: string, directory: string | undefined): PaybatchError {
  switch (code) {
    case '53100':
      return noRoom(directory);
    case '55P03':
      return stopped(
        'database_locked',
        'Somebody else holds a lock in the database, and did not let go of it in time (55P03).',
        {
          action: 'advice',
          text: 'end that session (docs/operations.md), or wait for its end',
          next: { action: 'again' },
        },
      );
    case '57014':
      return stopped(
        'database_unavailable',
        'The database did not come to the end of a statement in time, or somebody cancelled it (57014).',
        { action: 'again', effect: 'when the database has less to do' },
      );
    default:
      return stopped(
        'database_unavailable',
        `${directory === undefined ? 'The database of the setting databaseUrl' : `The embedded ledger in ${directory}`} is not ` +
          `available (${code || 'connection lost'}).`,
        { action: 'doctor' },
      );
  }
}

/** The call counts as stopped: its request is right, and it can continue once there is room. */
export function noRoom(directory: string | undefined): PaybatchError {
  const place =
    directory === undefined
      ? 'on the disk of the database server that the setting databaseUrl names'
      : `on the disk for the embedded ledger in ${directory}`;
  return stopped('disk_full', `There is no room ${place}.`, {
    action: 'advice',
    text: 'make room there',
    next: { action: 'again' },
  });
}

function stopped(code: ErrorCode, message: string, next: Remedies): PaybatchError {
  return new PaybatchError(code, message, next);
}

function refused(message: string): PaybatchError {
  return new PaybatchError('database_refused', message, {
    action: 'advice',
    text: 'correct the setting databaseUrl',
    next: { action: 'doctor' },
  });
}

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
