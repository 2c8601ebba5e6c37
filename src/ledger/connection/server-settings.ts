/* The server's own data: whether it takes writes, and settings that a run or the doctor reads. */

import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { say } from '../../domain/settings/message.ts';
import { bool, type Database, isoUtc, orNull, query, text, verb } from '../query/sql.ts';
import { namePrimary } from './database-failure.ts';
import { serverNameSetting } from './server-pool.ts';

/** A server that takes no writes. */
export interface ReadOnlyServer {
  /** Its host and port, as in the address. */
  readonly server: string;
  /** Whether it is in recovery; else `default_transaction_read_only` is on. */
  readonly isStandby: boolean;
  /** Of a standby: the time of its latest transaction; null where it has none since its start. */
  readonly knownUntil: string | null;
}

/** Null where the server takes writes. */
export const readWhetherReadOnly = verb(
  { pool: 'short', repeatable: true },
  async (database: Database): Promise<ReadOnlyServer | null> => {
    const [found] = await query(
      database,
      { isReadOnly: bool, server: text, isStandby: bool, knownUntil: orNull(text) },
      `SELECT current_setting('transaction_read_only')::boolean AS "isReadOnly",
         coalesce(current_setting('${serverNameSetting}', true), '') AS server, pg_is_in_recovery() AS "isStandby",
         ${isoUtc('pg_last_xact_replay_timestamp()')} AS "knownUntil"`,
    );
    if (found === undefined) throw new Error('the database did not tell whether it takes writes');
    const { isReadOnly, ...server } = found;
    return isReadOnly ? server : null;
  },
);

/** @throws PaybatchError (`database_read_only`) for a server that takes no writes */
export function requireWrites(found: ReadOnlyServer | null): void {
  if (found === null) return;
  const { server, isStandby } = found;
  throw isStandby
    ? new PaybatchError(
        'database_read_only',
        say`The server ${server} of ${{ setting: 'databaseUrl' }} is a standby: it takes no writes.`,
        namePrimary,
      )
    : new PaybatchError(
        'database_read_only',
        say`The server ${server} of ${{ setting: 'databaseUrl' }} is read-only: default_transaction_read_only is on.`,
        {
          action: 'advice',
          text: 'name a server that takes writes, or set it to off for the user of paybatch where it is meant for other programs (docs/operations.md)',
          next: { action: 'doctor' },
        },
      );
}

/** Whether a commit is on disk when the database confirms it. */
export interface Durability {
  readonly fsync: boolean;
  readonly synchronousCommit: boolean;
}

/** The values for this connection: a user or a database may have settings of its own. */
export const readDurability = verb(
  { pool: 'short', repeatable: true },
  async (database: Database): Promise<Durability> => {
    const [found] = await query<Durability>(
      database,
      { fsync: bool, synchronousCommit: bool },
      `SELECT current_setting('fsync')::boolean AS fsync,
         current_setting('synchronous_commit') <> 'off' AS "synchronousCommit"`,
    );
    if (found === undefined) throw new Error('the database did not tell its settings');
    return found;
  },
);

/** The server's version as it reports it, for example `16.4`. */
export const readServerVersion = verb(
  { pool: 'short', repeatable: false },
  async (database: Database): Promise<string> => {
    const [found] = await query(
      database,
      { version: text },
      `SELECT current_setting('server_version') AS version`,
    );
    return found?.version ?? 'unknown';
  },
);
