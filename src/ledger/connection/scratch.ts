/* A database transaction for temporary tables, in which two files, or a file and the ledger, are compared. */

import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { temporaryPrefix } from '../../domain/machine/temporary-name.ts';
import { execute, uncheckedRows } from '../query/sql.ts';
import { sqlState } from './database-failure.ts';
import { embeddedDatabase } from './embedded/database.ts';
import { startShortLivedEngine } from './embedded/start-engine.ts';
import { type Ledger, openServerLedger } from './open.ts';

/** One database transaction for temporary tables. */
export interface Scratch {
  readonly run: (sql: string, bindings?: readonly unknown[]) => Promise<void>;
  readonly query: <Row>(sql: string, bindings?: readonly unknown[]) => Promise<Row[]>;
  /** The transaction itself, for verbs that read the ledger beside the temporary tables. */
  readonly database: Knex;
}

/** What sorting and joining may use at once before they go to disk; an embedded engine never gives memory back. */
const memoryPerStep = '8MB';

/**
 * Does work on temporary tables, on one connection and one view of the ledger; whatever becomes of it, the
 * tables are gone afterwards.
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

/**
 * A database for comparing two files without a ledger: the server's, where there is one, whose schema is not
 * touched; else an embedded one in a folder that is removed when it is closed.
 * @throws PaybatchError (`usage`) when there is no place for that folder
 */
export async function openScratchDatabase(
  databaseUrl: string | undefined,
): Promise<Pick<Ledger, 'database' | 'close'>> {
  if (databaseUrl !== undefined) return openServerLedger(databaseUrl);
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
