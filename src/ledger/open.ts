import { existsSync, mkdirSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import knex, { type Knex } from 'knex';
import { exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import { noRoom, noteEmbeddedError } from './database-failure.ts';
import { lockFolder } from './folder-lock.ts';

/** An open ledger. Everything else in this folder is one verb on its `database`. */
export interface Ledger {
  readonly database: Knex;
  readonly isEmbedded: boolean;
  readonly close: () => Promise<void>;
}

/** Every error comes back from the query that had it; Knex would print it to the terminal as well. */
const silent = { warn: () => {}, error: () => {}, debug: () => {}, deprecate: () => {} };

/**
 * Opens the ledger on a PostgreSQL server (13 or later).
 * Nothing connects before the first query; errors of the connection come with that.
 * @throws Failure (exit 2) when the address is none
 */
export function openServerLedger(databaseUrl: string): Ledger {
  if (!/^postgres(ql)?:\/\//i.test(databaseUrl) || !URL.canParse(databaseUrl)) throw notAnAddress();
  const database = knex({
    client: 'pg',
    connection: {
      connectionString: databaseUrl,
      application_name: 'paybatch',
      keepAlive: true,
      // The system's own default is two hours.
      keepAliveInitialDelayMillis: 10_000,
    },
    pool: { min: 0, max: 5, afterCreate: boundTransactions },
    acquireConnectionTimeout: 15_000,
    log: silent,
  });
  return { database, isEmbedded: false, close: () => database.destroy() };
}

/**
 * A worker that stops in the middle of a database transaction (a suspended machine, a network that is gone)
 * would keep its locks until TCP gives up, and nobody could take its rows over. Half of a lease is long
 * enough for anything that this program does, and over before the lease is.
 */
function boundTransactions(connection: PoolConnection, done: (error?: Error | null) => void): void {
  connection.query("SET idle_in_transaction_session_timeout = '15s'", (error) => done(error));
}

interface PoolConnection {
  readonly query: (sql: string, then: (error: Error | null) => void) => void;
}

/** The address itself is not repeated: it holds a password. */
function notAnAddress(): Failure {
  return new Failure(
    exitCodes.usage,
    'database_url',
    'DATABASE_URL is not the address of a PostgreSQL database.',
    'write it as postgres://USER:PASSWORD@HOST:PORT/DATABASE, special characters of the password percent-encoded',
  );
}

/**
 * Opens the ledger that needs no server: PostgreSQL compiled to WebAssembly, in this process, reached
 * through the very driver that a server is reached through. It survives a killed process but, never
 * calling fsync, not a power cut; so it is for sandbox mode only, and one process at a time.
 * @throws Failure (exit 7) when another process has it open
 */
export async function openEmbeddedLedger(directory: string): Promise<Ledger> {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw folderFailure(directory, error);
  }
  const unlock = await lockFolder(directory);
  try {
    const postgres = await openPostgres(directory);
    const database = knex({
      client: 'pg',
      // A function, since Knex would clone an object and the database in it.
      connection: async () => createPgConfig(postgres) as Knex.PgConnectionConfig,
      pool: { min: 0, max: 1 },
    });
    database.on('query-error', (error: unknown) => noteEmbeddedError(error, directory));
    return { database, isEmbedded: true, close: () => closeEmbedded(database, postgres, unlock) };
  } catch (error) {
    unlock();
    throw folderFailure(directory, error);
  }
}

/** The first open takes seconds; one that is killed meanwhile must not leave half a database behind. */
async function openPostgres(directory: string): Promise<PGlite> {
  const data = join(directory, 'pgdata');
  if (!existsSync(data)) {
    const unfinished = join(directory, 'pgdata.new');
    rmSync(unfinished, { recursive: true, force: true });
    const fresh = await PGlite.create(unfinished);
    await fresh.close();
    renameSync(unfinished, data);
  }
  return PGlite.create(data);
}

async function closeEmbedded(database: Knex, postgres: PGlite, unlock: () => void): Promise<void> {
  try {
    await database.destroy();
    await postgres.close();
  } finally {
    unlock();
  }
}

/** PostgreSQL writes its log in files of this size, and opens no database for which it cannot make one. */
const leastRoomInBytes = 16 * 1024 * 1024;

function folderFailure(directory: string, error: unknown): Failure {
  if (isDiskFull(directory, error)) return noRoom(directory);
  const detail = error instanceof Error ? error.message : 'its files cannot be read or written';
  return new Failure(
    exitCodes.usage,
    'ledger_unreadable',
    `The embedded ledger in ${directory} cannot be opened (${detail}).`,
    'choose another --ledger-dir, or rebuild it: paybatch recover',
  );
}

/** What the embedded PostgreSQL throws when it cannot write has no message, or says only that it failed. */
function isDiskFull(directory: string, error: unknown): boolean {
  if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return true;
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < leastRoomInBytes;
  } catch {
    return false;
  }
}
