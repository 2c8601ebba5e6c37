import { exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';

/**
 * SQLSTATE classes and network errors that say: the database is not there right now, or cannot do it right
 * now (no resources, read only after a failover, a query cancelled by its administrator or for a deadlock).
 */
const unavailable =
  /^(08...|53...|57P0[1-5]|57014|58...|25006|25P0[34]|40001|40P01|ECONN\w+|ENOTFOUND|EAI_\w+|ETIMEDOUT|EPIPE|E(HOST|NET)(UNREACH|DOWN))$/;
const connectionLost =
  /Connection terminated|timeout (exceeded|acquiring)|Client has encountered a connection error/i;

const diskFull = '53100';

/** The driver's own error, which has no code. */
const passwordMissing = /^SASL: .*client password must be a/;

/** Errors of embedded ledgers, by the folder of their ledger: `DATABASE_URL` has nothing to do with these. */
const embeddedErrors = new WeakMap<object, string>();

/** Notes that an error came from the embedded ledger in `directory`. */
export function noteEmbeddedError(error: unknown, directory: string): void {
  if (typeof error === 'object' && error !== null) embeddedErrors.set(error, directory);
}

export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  return unavailable.test(sqlState(error)) || connectionLost.test(error.message);
}

/** The SQLSTATE or system error code of a database error; empty when there is none. */
export function sqlState(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/**
 * Gives a database error its sentence and exit code. Errors that are our own doing (a broken query, a
 * violated constraint) are not failures of the world and come back as they are.
 */
export function asDatabaseFailure(error: unknown): unknown {
  const directory = typeof error === 'object' && error !== null ? embeddedErrors.get(error) : undefined;
  if (sqlState(error) === diskFull) return noRoom(directory);
  if (directory !== undefined && isDatabaseUnavailable(error)) {
    return new Failure(
      exitCodes.stopped,
      'database_unavailable',
      `The embedded ledger in ${directory} is not available (${sqlState(error) || 'connection lost'}).`,
      'run the same command again; paybatch doctor looks at the ledger',
    );
  }
  if (isDatabaseUnavailable(error)) {
    return new Failure(
      exitCodes.stopped,
      'database_unavailable',
      `The database of DATABASE_URL is not available (${sqlState(error) || 'connection lost'}).`,
      'paybatch doctor',
    );
  }
  if (error instanceof Error && passwordMissing.test(error.message)) {
    return refused('The database asks for a password, and DATABASE_URL has none.');
  }
  switch (sqlState(error)) {
    case '28P01':
    case '28000':
      return refused('The database refuses the user or password of DATABASE_URL.');
    case '3D000':
      return refused('The database that DATABASE_URL names does not exist.');
    case '42501':
    case '3F000':
      return refused('The database user of DATABASE_URL lacks a permission that paybatch needs.');
    default:
      return error;
  }
}

/** Exit 4: nothing is wrong with what was asked, and it goes on once there is room. */
export function noRoom(directory: string | undefined): Failure {
  const place =
    directory === undefined
      ? 'on the disk of the database server that DATABASE_URL names'
      : `on the disk for the embedded ledger in ${directory}`;
  return new Failure(
    exitCodes.stopped,
    'disk_full',
    `There is no room ${place}.`,
    'make room there, then run the same command again',
  );
}

function refused(message: string): Failure {
  return new Failure(
    exitCodes.usage,
    'database_refused',
    message,
    'correct DATABASE_URL, then: paybatch doctor',
  );
}
