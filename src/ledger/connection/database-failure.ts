/* Translates the database's errors into the errors of this program. */

import { PaybatchError, type Remedy } from '../../domain/failures/paybatch-error.ts';
import { type Message, plainText, say } from '../../domain/settings/message.ts';

/**
 * SQLSTATE classes and network errors which mean that the database is unavailable now, or cannot execute the statement now:
 * no resources, read-only after a failover, a query cancelled by its administrator, because of a deadlock, or because the
 * statement or a lock took longer than the timeout.
 */
const unavailable =
  /^(08...|53...|57P0[1-5]|57014|55P03|58(?!P01)...|25006|25P0[34]|40001|40P01|72000|ECONN\w+|ENOTFOUND|EAI_\w+|ETIMEDOUT|EPIPE|E(HOST|NET)(UNREACH|DOWN))$/;
const connectionLost =
  /Connection (terminated|ended)|timeout (exceeded|acquiring|expired)|Query read timeout|Client (has encountered a connection error|was closed)|error establishing an SSL connection/i;

/** Errors of the driver itself, which have no SQLSTATE. */
const passwordMissing = /^SASL: .*client password must be a/;
const tlsMissing = /server does not support SSL connections/;

/** Node's errors about a certificate that is not trusted. */
const untrusted =
  /^(ERR_TLS_\w+|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_\w*(CERT|ISSUER|LEAF)\w*|CERT_\w+|ERR_SSL_\w+)$/;

/** A server of the address that was tried, with the reason why it cannot be used. */
export interface TriedServer {
  /** Its host and port. */
  readonly name: string;
  /** For example `is a standby`. */
  readonly problem: string;
  /** False if the server did not answer. Then it may be the required one. */
  readonly isThere: boolean;
}

/** No server of the address could be reached and is of the required kind. */
export class NoServerFound extends Error {
  override readonly name = 'NoServerFound';
  /** The SQLSTATE of a failed connection, since a later attempt may succeed. */
  readonly code = '08001';
  /** The value of `target_session_attrs`. */
  readonly target: string;
  /** Whether the required server may be among those that did not answer. */
  readonly isAnyAway: boolean;
  /** The problem, as a sentence. */
  readonly said: Message;

  constructor(target: string, tried: readonly TriedServer[]) {
    const each = new Set(tried.map(({ name, problem }) => `${name} ${problem}`));
    const asked = target === 'any' ? '' : ` with target_session_attrs=${target}`;
    const said = say`No server of ${{ setting: 'databaseUrl' }} can be used${asked}: ${[...each].join(', ')}.`;
    super(plainText(said));
    this.said = said;
    this.target = target;
    this.isAnyAway = tried.some(({ isThere }) => !isThere);
  }
}

/** Errors of embedded ledgers, with the folder of the ledger. The setting `databaseUrl` is not their cause. */
const embeddedErrors = new WeakMap<object, string>();

/** Records that an error came from the embedded ledger in `directory`. */
export function noteEmbeddedError(error: unknown, directory: string): void {
  if (typeof error === 'object' && error !== null) embeddedErrors.set(error, directory);
}

/** Whether the call may succeed when it is repeated. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  return unavailable.test(sqlState(error)) || connectionLost.test(error.message) || isSocketGone(error);
}

/** A server that is reached through a Unix-domain socket removes the socket's file when it stops. */
function isSocketGone(error: Error): boolean {
  return sqlState(error) === 'ENOENT' && 'syscall' in error && error.syscall === 'connect';
}

/** The SQLSTATE or system error code of a database error; empty when there is none. */
export function sqlState(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/**
 * Gives a database error its sentence and code. Errors that paybatch itself causes (an invalid query, a violated constraint)
 * are returned unchanged.
 */
export function asDatabaseFailure(error: unknown): unknown {
  if (error instanceof NoServerFound) return noServer(error);
  if (isClosedStandby(error)) {
    return readOnly(
      say`The server of ${{ setting: 'databaseUrl' }} is a standby that takes no connections (57P03).`,
    );
  }
  if (isDatabaseUnavailable(error)) return notAvailable(sqlState(error), embeddedFolderOf(error));
  const fault = faultOfServer(error);
  if (fault !== undefined) return fault;
  if (sqlState(error) === '42501') return notPermitted(error);
  const why = refusalOf(error);
  if (why === undefined) return error;
  return new PaybatchError('database_refused', why, {
    action: 'advice',
    text: say`correct ${{ setting: 'databaseUrl' }}`,
    next: { action: 'doctor' },
  });
}

/** The reason why the database accepts no connection or no statement of this user; undefined for any other error. */
function refusalOf(error: unknown): Message | undefined {
  const [state, message] = [sqlState(error), error instanceof Error ? error.message : ''];
  if (passwordMissing.test(message))
    return say`The database asks for a password, and ${{ setting: 'databaseUrl' }} has none.`;
  if (tlsMissing.test(message))
    return say`${{ setting: 'databaseUrl' }} asks for TLS (sslmode), and the database server offers none.`;
  if (untrusted.test(state)) return `The database server's TLS certificate is not trusted (${state}).`;
  switch (state) {
    case '28P01':
    case '28000':
      return say`The database refuses the user or password of ${{ setting: 'databaseUrl' }}.`;
    case '3D000':
      return say`The database that ${{ setting: 'databaseUrl' }} names does not exist.`;
    case '3F000':
      return say`The database user of ${{ setting: 'databaseUrl' }} lacks a permission that paybatch needs.`;
    default:
      return undefined;
  }
}

/** The remedy if a server accepts no writes. */
export const namePrimary: Remedy = {
  action: 'advice',
  text: say`name the primary in ${{ setting: 'databaseUrl' }}, or all servers and target_session_attrs=read-write (docs/operations.md)`,
  next: { action: 'doctor' },
};

/** The error of a server that accepts no writes. A failover may be in progress, unless nothing was done yet. */
function readOnly(message: Message): PaybatchError {
  return new PaybatchError('database_read_only', message, namePrimary, { kind: 'stopped' });
}

/** If `hot_standby` is off, a standby cannot be read. A starting server reports the same SQLSTATE with another detail. */
function isClosedStandby(error: unknown): boolean {
  const detail: unknown = error instanceof Error && 'detail' in error ? error.detail : undefined;
  return sqlState(error) === '57P03' && detail === 'Hot standby mode is disabled.';
}

function noServer({ said, target, isAnyAway }: NoServerFound): PaybatchError {
  if (isAnyAway) return new PaybatchError('database_unavailable', said, { action: 'doctor' });
  return target === 'read-write' || target === 'primary'
    ? readOnly(said)
    : new PaybatchError(
        'database_url',
        said,
        say`correct target_session_attrs in ${{ setting: 'databaseUrl' }}`,
        { kind: 'stopped' },
      );
}

/**
 * The meaning of a database error that occurs before anything was done. If the server accepts no writes, or is not of the
 * required kind, then the address is wrong, and no failover is in progress.
 */
export function asOpeningFailure(error: unknown): unknown {
  const failure = asDatabaseFailure(error);
  const isOfAddress =
    failure instanceof PaybatchError && ['database_read_only', 'database_url'].includes(failure.code);
  return isOfAddress ? failure.withKind('usage') : failure;
}

/**
 * The error of a missing permission. The server's own message names the table. The statement that the driver puts before it
 * does not help a person.
 */
function notPermitted(error: unknown): PaybatchError {
  const found = error instanceof Error ? /permission denied [\w" ]+$/.exec(error.message) : null;
  const words = found === null ? '' : `: ${found[0]}`;
  return new PaybatchError(
    'database_refused',
    say`The database does not let the user of ${{ setting: 'databaseUrl' }} do this${words}.`,
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
  const name = nameOf(directory);
  switch (code) {
    case '25006':
      return readOnly(
        say`${nameOf(directory, 'The')} takes no writes any more (25006): after a failover its address may lead to a standby.`,
      );
    case '53100':
      return noRoom(directory);
    case '53200':
      return new PaybatchError(
        'database_unavailable',
        say`There is no memory left for ${name} (53200).`,
        thenAgain('give PostgreSQL more memory, or let fewer programs work with it'),
      );
    case '53300':
      return new PaybatchError(
        'database_unavailable',
        say`There is no connection left to ${name} (53300).`,
        thenAgain('let fewer programs connect, or raise max_connections of the server'),
      );
    case '55P03':
      return new PaybatchError(
        'database_locked',
        'Somebody else holds a lock in the database, and did not let go of it in time (55P03).',
        thenAgain('end that session (docs/operations.md), or wait for its end'),
      );
    case '57014':
      return new PaybatchError(
        'database_unavailable',
        'The database did not come to the end of a statement in time, or somebody cancelled it (57014).',
        { action: 'again', effect: 'when the database has less to do' },
      );
    case '58000':
    case '58030':
      return new PaybatchError(
        'database_failed',
        say`PostgreSQL cannot read or write the files of ${name} (${code}).`,
        thenAgain('look at their disk, and at the log of the server'),
      );
    default:
      return new PaybatchError(
        'database_unavailable',
        say`${nameOf(directory, 'The')} is not available (${code || 'connection lost'}).`,
        { action: 'doctor' },
      );
  }
}

function nameOf(directory: string | undefined, the = 'the'): Message {
  return directory === undefined
    ? say`${the} database of ${{ setting: 'databaseUrl' }}`
    : `${the} embedded ledger in ${directory}`;
}

/** PostgreSQL's functions that assign transaction numbers. These numbers may run out. */
const givesNumbers = /^GetNew(TransactionId|MultiXactId)$/;

/** Faults of PostgreSQL itself, which repeating the statement does not fix. */
function faultOfServer(error: unknown): PaybatchError | undefined {
  const [code, name] = [sqlState(error), nameOf(embeddedFolderOf(error))];
  const routine: unknown = error instanceof Error && 'routine' in error ? error.routine : '';
  switch (code) {
    case 'XX001':
    case 'XX002':
    // A file of a table or index is missing.
    case '58P01':
      return new PaybatchError('database_damaged', say`PostgreSQL finds damaged data in ${name} (${code}).`, {
        action: 'advice',
        text: 'let no run start, and restore a backup or go over to an intact replica (docs/operations.md)',
        next: { action: 'help', of: 'recover', purpose: 'add what only the run logs know' },
      });
    case 'XX000':
      return new PaybatchError(
        'database_failed',
        say`PostgreSQL reports an error of its own in ${name} (XX000 ${String(routine)}).`,
        thenAgain('look for the cause in the log of the server'),
      );
    case '22P05':
      return new PaybatchError(
        'database_encoding',
        say`The encoding of ${name} has no place for a character (22P05).`,
        'convert the database to UTF8 (pg_dump, and pg_restore into one that was made with it)',
        { kind: 'stopped' },
      );
    case '54000':
      return givesNumbers.test(String(routine))
        ? new PaybatchError(
            'database_failed',
            say`PostgreSQL takes no writes to ${name} before it is vacuumed (54000).`,
            thenAgain('have the databases vacuumed that the log of the server names'),
          )
        : undefined;
    default:
      return undefined;
  }
}

/** The error of a full disk. The call counts as stopped: its request is valid, and it can continue once there is space. */
export function noRoom(directory: string | undefined): PaybatchError {
  const place =
    directory === undefined
      ? say`on the disk of the database server that ${{ setting: 'databaseUrl' }} names`
      : `on the disk for the embedded ledger in ${directory}`;
  return new PaybatchError('disk_full', say`There is no room ${place}.`, thenAgain('make room there'));
}

/** A remedy outside of the program, after which the call has to be repeated. */
function thenAgain(text: Message): Remedy {
  return { action: 'advice', text, next: { action: 'again' } };
}
