/* Bringing a ledger's schema up to date, and refusing those of other versions. */

import { migrationSource } from '../../../migrations/index.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { say } from '../../domain/settings/message.ts';
import { bool, type Database, execute, query, text } from '../query/sql.ts';
import { mayBeAlive } from './folder-lock.ts';
import type { Ledger } from './open.ts';

const migrationConfig = { migrationSource, tableName: 'paybatch_migrations' };

/** Any number is suitable, if no other program on the same database uses it. */
const migrationLock = 7_092_318_114;

/**
 * Brings the schema up to date. Of several concurrent migrations, one works and the others wait for it: the lock is
 * the database session's, so a killed migration leaves none behind, unlike Knex's own lock table.
 * @returns the names of the migrations that were applied now
 */
export async function migrate(ledger: Ledger): Promise<string[]> {
  if (ledger.isEmbedded) return applyMigrations(ledger);
  return ledger.database.transaction(async (lock) => {
    // This process only waits, while another one migrates.
    await execute(lock, 'SET LOCAL idle_in_transaction_session_timeout = 0');
    await execute(lock, 'SELECT pg_advisory_xact_lock(?)', [migrationLock]);
    return applyMigrations(ledger);
  });
}

async function applyMigrations(ledger: Ledger): Promise<string[]> {
  const migrations = ledger.database.migrate;
  const { done, pending } = await compareSchema(ledger);
  if (pending.length === 0) return [];
  if (done.length === 0) await requireEncoding(ledger.database);
  await requireNoRun(ledger.database);
  await migrations.forceFreeMigrationsLock(migrationConfig);
  const [, applied]: [number, string[]] = await migrations.latest(migrationConfig);
  return applied;
}

/** An encoding that lacks a character would refuse a later row with it; a database without an encoding keeps all bytes. */
const encodings = ['UTF8', 'SQL_ASCII'];

/** @throws PaybatchError (`database_encoding`) for a database that could not store every name */
async function requireEncoding(database: Database): Promise<void> {
  const [found] = await query(
    database,
    { encoding: text },
    `SELECT current_setting('server_encoding') AS encoding`,
  );
  if (found === undefined || encodings.includes(found.encoding)) return;
  throw new PaybatchError(
    'database_encoding',
    say`The database of ${{ setting: 'databaseUrl' }} has the encoding ${found.encoding}, which has no place for some characters.`,
    say`make another one with CREATE DATABASE ... TEMPLATE template0 ENCODING 'UTF8', and name it in ${{ setting: 'databaseUrl' }}`,
  );
}

/**
 * A run of an earlier version would continue with the schema that it knows, and fail in the middle of its work.
 * @throws PaybatchError (`busy`) while a run sends heartbeats
 */
async function requireNoRun(database: Database): Promise<void> {
  const [schema] = await query(
    database,
    { hasRuns: bool },
    `SELECT to_regclass('runs') IS NOT NULL AS "hasRuns"`,
  );
  if (schema?.hasRuns !== true) return;
  const open = await query(
    database,
    { command: text, host: text, process: text },
    `SELECT command, owner_host AS host, owner_process AS process FROM runs
     WHERE ended_at IS NULL AND lease_until > now()`,
  );
  const run = open.find(mayBeAlive);
  if (run === undefined) return;
  throw new PaybatchError(
    'run_under_way',
    `A run is under way (${run.command} on ${run.host}), and would fail when the schema changes under it.`,
    {
      action: 'advice',
      text: 'stop it, or wait for its end; one that was killed is over within a minute',
      next: { action: 'migrate' },
    },
  );
}

/**
 * The embedded ledger is migrated without confirmation; a shared database belongs to others as well,
 * so a person decides about changing its schema.
 * @throws PaybatchError (`usage`) when the server's schema is not up to date
 */
export async function requireSchema(ledger: Ledger): Promise<void> {
  if (ledger.isEmbedded) {
    await migrate(ledger);
    return;
  }
  const { done, pending } = await compareSchema(ledger);
  if (pending.length === 0) return;
  throw new PaybatchError(
    'database_not_migrated',
    done.length === 0
      ? say`The database of ${{ setting: 'databaseUrl' }} has no paybatch schema yet.`
      : say`The database of ${{ setting: 'databaseUrl' }} lacks ${pending.length} ${pending.length === 1 ? 'migration' : 'migrations'} of this version.`,
    { action: 'migrate' },
  );
}

/**
 * Which migrations the database has, and which it lacks. It only reads: Knex's own query creates its tables.
 * @throws PaybatchError (`usage`) when the schema is of a newer version than this program, or of one before the first release
 */
async function compareSchema({
  database,
  isEmbedded,
}: Ledger): Promise<{ done: string[]; pending: string[] }> {
  const known = (await migrationSource.getMigrations([])).map((migration) => migration.name);
  const done = await appliedMigrations(database);
  if (done.every((name) => known.includes(name))) {
    return { done, pending: known.filter((name) => !done.includes(name)) };
  }
  if (done.some((name) => known.includes(name))) {
    throw new PaybatchError(
      'database_is_newer',
      'The ledger was migrated by a newer version of paybatch.',
      'update paybatch on this machine',
    );
  }
  throw new PaybatchError(
    'database_is_older',
    'The ledger was made by a version of paybatch before the first release, whose schema this version cannot read.',
    isEmbedded
      ? {
          action: 'advice',
          text: 'finish its batches with that version',
          next: { action: 'set', purpose: 'choose another folder', oneOf: [{ setting: 'ledgerDir' }] },
        }
      : say`finish its batches with that version, then name an empty database in ${{ setting: 'databaseUrl' }}`,
  );
}

async function appliedMigrations(database: Database): Promise<string[]> {
  const [table] = await query(
    database,
    { isThere: bool },
    `SELECT to_regclass('${migrationConfig.tableName}') IS NOT NULL AS "isThere"`,
  );
  if (table?.isThere !== true) return [];
  const applied = await query(
    database,
    { name: text },
    `SELECT name::text AS name FROM ${migrationConfig.tableName} ORDER BY id`,
  );
  return applied.map(({ name }) => name);
}
