/* Opens a ledger, on a server or embedded, and opens temporary tables in it. */

import { accessSync, constants, mkdirSync, readFileSync, statfsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { temporaryPrefix } from '../../domain/machine/temporary-name.ts';
import { say } from '../../domain/settings/message.ts';
import { execute, uncheckedRows } from '../query/sql.ts';
import { noRoom, sqlState } from './database-failure.ts';
import { embeddedDatabase } from './embedded/database.ts';
import { startEngine, startShortLivedEngine } from './embedded/start-engine.ts';
import { lockFolder } from './folder-lock.ts';
import { createServerPool, longLimits, shortStatementLimits, type TimeLimits } from './server-pool.ts';
import { parseServerAddress, readWhetherReadOnly } from './server-settings.ts';

/** The SQL of one database transaction. Its temporary tables are dropped at its end. */
export interface ScratchSql {
  readonly run: (sql: string, bindings?: readonly unknown[]) => Promise<void>;
  readonly query: <Row>(sql: string, bindings?: readonly unknown[]) => Promise<Row[]>;
}

/** One database transaction for temporary tables. */
export interface Scratch extends ScratchSql {
  /** The transaction itself, for verbs that read the ledger as well as the temporary tables. */
  readonly database: Knex;
}

/** The memory for one sort or join before it uses the disk. The embedded engine never returns memory to the system. */
const memoryPerStep = '8MB';

/**
 * Does work on temporary tables, on one connection and one snapshot of the ledger. Afterwards the tables are dropped in any
 * case.
 */
export function inScratch<Result>(
  database: Knex,
  work: (scratch: Scratch) => Promise<Result>,
): Promise<Result> {
  return database.transaction(
    async (transaction) => {
      await execute(transaction, `SET LOCAL work_mem = '${memoryPerStep}'`);
      return work({
        run: async (sql, bindings) => {
          await execute(transaction, sql, bindings);
        },
        query: (sql, bindings) => uncheckedRows(transaction, sql, bindings),
        database: transaction,
      });
    },
    { isolationLevel: 'repeatable read' },
  );
}

/** Undefined if the server accepts no writes: a standby has no temporary tables either. */
async function openWritable(databaseUrl: string): Promise<Ledger | undefined> {
  const ledger = openServerLedger(databaseUrl);
  try {
    if ((await readWhetherReadOnly(ledger.database)) === null) return ledger;
  } catch (error) {
    await ledger.close();
    throw error;
  }
  await ledger.close();
  return undefined;
}

/**
 * A database for comparing two files without a ledger. It is the server's database, if there is a server that accepts
 * writes; its schema is not changed. Otherwise it is an embedded database, in a folder that is removed on closing.
 * @throws PaybatchError (`usage`) if that folder cannot be created
 */
export async function openScratchDatabase(
  databaseUrl: string | undefined,
): Promise<Pick<Ledger, 'database' | 'close'>> {
  const server = databaseUrl === undefined ? undefined : await openWritable(databaseUrl);
  if (server !== undefined) return server;
  const directory = await mkdtemp(
    join(tmpdir(), temporaryPrefix({ host: hostname(), processId: process.pid })),
  ).catch((error: unknown) => {
    throw noTemporaryFolder(error);
  });
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    const engine = await startShortLivedEngine({ data: directory, unfinished: null });
    const { database, close } = embeddedDatabase(engine, directory);
    return { database, close: () => close().finally(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}

function noTemporaryFolder(error: unknown): PaybatchError {
  return new PaybatchError(
    'temporary_folder',
    `The system's folder for temporary files, ${tmpdir()}, cannot be used (${sqlState(error)}).`,
    'set TMPDIR to a folder with room that you may write to',
  );
}

/** An open ledger. All other files of the ledger contain verbs, which take its `database`. */
export interface Ledger {
  readonly database: Knex;
  /**
   * The same ledger for short verbs, on connections with short timeouts that no long statement occupies. The embedded ledger
   * has only one connection, so there it is `database` itself.
   */
  readonly shortStatements: Knex;
  readonly isEmbedded: boolean;
  readonly close: () => Promise<void>;
}

/**
 * Opens the ledger on a PostgreSQL server (13 or later). It connects at the first query, and that query throws the errors of
 * the connection.
 * @param limits how long the statements on `database` may take
 * @throws PaybatchError (`usage`) if the address is invalid, or names a certificate that cannot be read
 */
export function openServerLedger(databaseUrl: string, limits: TimeLimits = longLimits): Ledger {
  const address = parseServerAddress(databaseUrl);
  for (const { url } of address.servers) requireCertificates(new URL(url).searchParams);
  const long = createServerPool(address, limits);
  const shortStatements = createServerPool(address, shortStatementLimits);
  const close = async (): Promise<void> => {
    await Promise.all([long.close(), shortStatements.close()]);
  };
  return { database: long.database, shortStatements: shortStatements.database, isEmbedded: false, close };
}

/** The driver reads these files for every connection, and its error would not say what they are for. */
function requireCertificates(parameters: URLSearchParams): void {
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const path = parameters.get(name);
    if (path === null || path === '') continue;
    try {
      readFileSync(path);
    } catch (error) {
      throw new PaybatchError(
        'database_url',
        say`The file that ${{ setting: 'databaseUrl' }} names as ${name} cannot be read (${sqlState(error)}).`,
        {
          action: 'advice',
          text: say`correct ${name} in ${{ setting: 'databaseUrl' }}`,
          next: { action: 'doctor' },
        },
      );
    }
  }
}

/**
 * Opens the ledger that needs no server: PostgreSQL compiled to WebAssembly, in this process, used through the same driver
 * as a server. It survives a killed process. It does not survive a power cut, because it never calls fsync. So it is only
 * for sandbox mode, and only for one process at a time.
 * @throws PaybatchError (`busy`) if another process has it open
 */
export async function openEmbeddedLedger(directory: string): Promise<Ledger> {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw folderFailure(directory, error);
  }
  const unlock = await lockedFolder(directory);
  try {
    const engine = await startEngine({
      data: join(directory, 'pgdata'),
      unfinished: join(directory, 'pgdata.new'),
    });
    const { database, close } = embeddedDatabase(engine, directory);
    return { database, shortStatements: database, isEmbedded: true, close: () => close().finally(unlock) };
  } catch (error) {
    unlock();
    throw folderFailure(directory, error);
  }
}

async function lockedFolder(directory: string): Promise<() => void> {
  try {
    return await lockFolder(directory);
  } catch (error) {
    throw error instanceof PaybatchError ? error : folderFailure(directory, error);
  }
}

/** PostgreSQL writes its log in files of this size. It opens no database if it cannot create such a file. */
const leastRoomInBytes = 16 * 1024 * 1024;

/** The embedded PostgreSQL's errors for damaged files. Their text does not help people. */
const engineFailure = /^(Aborted\(\)|PGlite failed to initialize)/;

/** The error of an embedded ledger that cannot be opened, with the remedy. */
function folderFailure(directory: string, error: unknown): PaybatchError {
  if (isDiskFull(directory, error)) return noRoom(directory);
  if (error instanceof Error && engineFailure.test(error.message)) {
    return isUsable(join(directory, 'pgdata')) ? ledgerDamaged(directory) : ledgerUnreadable(directory);
  }
  return ledgerUnreadable(directory, error);
}

/** Whether the files in a folder can be read and written. A disk may be read-only. */
function isUsable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function ledgerDamaged(directory: string): PaybatchError {
  return new PaybatchError(
    'ledger_unreadable',
    `The embedded ledger in ${directory} cannot be opened: its files are damaged, as a power cut leaves them.`,
    {
      action: 'set',
      purpose: 'choose another folder',
      oneOf: [{ setting: 'ledgerDir' }],
      next: { action: 'help', of: 'recover', purpose: 'rebuild its batches from their run logs' },
    },
  );
}

function ledgerUnreadable(directory: string, error?: unknown): PaybatchError {
  const detail = error instanceof Error ? error.message : 'its files cannot be read or written';
  return new PaybatchError(
    'ledger_unreadable',
    `The embedded ledger in ${directory} cannot be opened (${detail}).`,
    [
      { action: 'set', purpose: 'choose another folder', oneOf: [{ setting: 'ledgerDir' }] },
      { action: 'help', of: 'recover', purpose: 'rebuild its batches from their run logs' },
    ],
  );
}

/**
 * Whether the disk is full. If the embedded PostgreSQL cannot write, its error has no message, or only states that it
 * failed.
 */
function isDiskFull(directory: string, error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return code === 'ENOSPC';
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < leastRoomInBytes;
  } catch {
    return false;
  }
}
