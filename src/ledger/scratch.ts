import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import knex, { type Knex } from 'knex';
import { type Ledger, openServerLedger } from './open.ts';
import { execute, query } from './sql.ts';

/** One database transaction for temporary tables. */
export interface Scratch {
  readonly run: (sql: string, bindings?: readonly unknown[]) => Promise<void>;
  readonly query: <Row>(sql: string, bindings?: readonly unknown[]) => Promise<Row[]>;
  /** The transaction itself, for verbs that read the ledger beside the temporary tables. */
  readonly database: Knex;
}

/** What sorting and joining may use at once before they go to disk. */
const memoryPerStep = '64MB';

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
      await query(transaction, `SET LOCAL work_mem = '${memoryPerStep}'`);
      return work({
        run: async (sql, bindings) => {
          await execute(transaction, sql, bindings);
        },
        query: (sql, bindings) => query(transaction, sql, bindings),
        database: transaction,
      });
    },
    { isolationLevel: 'repeatable read' },
  );
}

/**
 * A database for comparing two files without a ledger: the server's, where there is one, whose schema is not
 * touched; else an embedded one in a folder that is removed when it is closed.
 */
export async function openScratchDatabase(
  databaseUrl: string | undefined,
): Promise<Pick<Ledger, 'database' | 'close'>> {
  if (databaseUrl !== undefined) return openServerLedger(databaseUrl);
  const directory = await mkdtemp(join(tmpdir(), 'paybatch-'));
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    const postgres = await PGlite.create(directory);
    const database = knex({
      client: 'pg',
      connection: async () => createPgConfig(postgres) as Knex.PgConnectionConfig,
      pool: { min: 0, max: 1 },
      compileSqlOnError: false,
    });
    return {
      database,
      close: async () => {
        await database.destroy();
        await postgres.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
