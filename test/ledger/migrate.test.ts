import { afterEach, describe, expect, it } from 'vitest';
import { migrationSource } from '../../migrations/index.ts';
import { migrate, requireSchema } from '../../src/ledger/migrate.ts';
import { type Ledger, openServerLedger } from '../../src/ledger/open.ts';
import { execute, query } from '../../src/ledger/sql.ts';
import { createDatabase, dropDatabase, forEachLedger } from '../support/ledger.ts';
import {
  attempt,
  claim,
  conclude,
  readyBatch,
  stagedBatch,
  statesOf,
  storedRow,
} from '../support/ledger-rows.ts';

const tablesOf = async ({ database }: Ledger): Promise<string[]> => {
  const tables = await query<{ name: string }>(
    database,
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  );
  return tables.map(({ name }) => name);
};

describe('on an empty database', () => {
  const opened: Ledger[] = [];
  const created: string[] = [];
  afterEach(async () => {
    for (const ledger of opened.splice(0)) await ledger.close();
    for (const url of created.splice(0)) await dropDatabase(url);
  });

  /** So many programs, each with connections of its own, on one database without a schema. */
  async function openAll(programs: number): Promise<Ledger[]> {
    const url = await createDatabase('template0');
    created.push(url);
    const ledgers = Array.from({ length: programs }, () => openServerLedger(url));
    opened.push(...ledgers);
    return ledgers;
  }

  it('refuses to work, says how to go on, and changes nothing', async () => {
    const [ledger] = await openAll(1);
    if (ledger === undefined) throw new Error('no ledger');
    await expect(requireSchema(ledger)).rejects.toMatchObject({
      ...{ exitCode: 2, code: 'database_not_migrated', next: 'paybatch migrate' },
    });
    expect(await tablesOf(ledger)).toEqual([]);
  });

  it('migrates once, under names without an ending, and finds nothing to do after that', async () => {
    const [ledger] = await openAll(1);
    if (ledger === undefined) throw new Error('no ledger');
    const applied = await migrate(ledger);
    const names = (await migrationSource.getMigrations([])).map(({ name }) => name);
    expect(applied).toEqual(names);
    expect(names.filter((name) => !/^\d{4}-[a-z0-9-]+$/.test(name))).toEqual([]);
    expect(await migrate(ledger)).toEqual([]);
    await requireSchema(ledger);
    expect(await tablesOf(ledger)).toContain('stored_rows');
  });

  it('lets one of several programs that migrate at once do it, and the others wait for it', async () => {
    const ledgers = await openAll(4);
    const applied = await Promise.all(ledgers.map(migrate));
    expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
    await Promise.all(ledgers.map(requireSchema));
  });

  it('goes on where a killed migration left its lock', async () => {
    const [ledger] = await openAll(1);
    if (ledger === undefined) throw new Error('no ledger');
    await migrate(ledger);
    await ledger.database.migrate.down({ migrationSource, tableName: 'paybatch_migrations' });
    await execute(ledger.database, 'UPDATE paybatch_migrations_lock SET is_locked = 1');
    expect(await migrate(ledger)).toHaveLength(1);
  });

  it('can be undone completely', async () => {
    const [ledger] = await openAll(1);
    if (ledger === undefined) throw new Error('no ledger');
    await migrate(ledger);
    await ledger.database.migrate.rollback({ migrationSource, tableName: 'paybatch_migrations' }, true);
    expect(await tablesOf(ledger)).toEqual(['paybatch_migrations', 'paybatch_migrations_lock']);
  });
});

forEachLedger((openTestLedger) => {
  it('keeps what is there when it is asked to migrate again', async () => {
    const ledger = await openTestLedger();
    await stagedBatch(ledger.database, 1);
    expect(await migrate(ledger)).toEqual([]);
    await requireSchema(ledger);
    expect(await query(ledger.database, 'SELECT row_number FROM rows')).toEqual([{ row_number: 2 }]);
  });

  it('takes the chunks back into the rows, and goes on with a batch that had none', async () => {
    const ledger = await openTestLedger();
    const { database } = ledger;
    const held = await readyBatch(database, 5);
    const claimed = await claim(database, held, { limit: 3 });
    await conclude(database, held, claimed.slice(0, 1), { attempts: [attempt()] });
    const states = { 2: 'created', 3: 'sending', 4: 'sending', 5: 'ready', 6: 'ready' };
    expect(await statesOf(database, held.batch)).toEqual(states);
    const before = [await storedRow(database, held.batch, 2), await storedRow(database, held.batch, 3)];
    await database.migrate.down({ migrationSource, tableName: 'paybatch_migrations' });
    expect(await statesOf(database, held.batch)).toEqual(states);
    const after = [await storedRow(database, held.batch, 2), await storedRow(database, held.batch, 3)];
    expect(after).toMatchObject(before);

    expect(await migrate(ledger)).toHaveLength(1);
    expect(await statesOf(database, held.batch)).toEqual(states);
    expect([...(await conclude(database, held, claimed.slice(1), { attempts: [attempt()] }))]).toEqual([
      3, 4,
    ]);
    expect((await claim(database, held)).map(({ row }) => row)).toEqual([5, 6]);
  });

  it('does not touch a ledger that a newer version has migrated', async () => {
    const ledger = await openTestLedger();
    await execute(
      ledger.database,
      `INSERT INTO paybatch_migrations (name, batch, migration_time) VALUES ('9999-of-tomorrow', 9, now())`,
    );
    const failure = { exitCode: 2, code: 'database_is_newer' };
    await expect(requireSchema(ledger)).rejects.toMatchObject(failure);
    await expect(migrate(ledger)).rejects.toMatchObject(failure);
  });
});
