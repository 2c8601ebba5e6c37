import type { Knex } from 'knex';
import { afterEach, describe, expect, it } from 'vitest';
import { migrationSource } from '../../../migrations/index.ts';
import { countStatuses } from '../../../src/ledger/after-sending/results.ts';
import { endRun } from '../../../src/ledger/batches/runs.ts';
import { migrate, requireSchema } from '../../../src/ledger/connection/migrate.ts';
import { type Ledger, openServerLedger } from '../../../src/ledger/connection/open.ts';
import { execute, query } from '../../../src/ledger/query/sql.ts';
import { createDatabase, dropDatabase, forEachLedger } from '../../support/ledger.ts';
import {
  attempt,
  beginTestRun,
  claim,
  conclude,
  readyBatch,
  stagedBatch,
  statesOf,
  storedRow,
} from '../../support/ledger-rows.ts';

/** Undoes migrations, the newest first, down to this one and with it. */
async function undoFrom(database: Knex, name: string): Promise<void> {
  for (;;) {
    const [, undone]: [number, string[]] = await database.migrate.down({
      migrationSource,
      tableName: 'paybatch_migrations',
    });
    if (undone.length === 0 || undone.includes(name)) return;
  }
}

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
    await undoFrom(database, '0006-batch-lock-and-chunks');
    expect(await statesOf(database, held.batch)).toEqual(states);
    const after = [await storedRow(database, held.batch, 2), await storedRow(database, held.batch, 3)];
    expect(after).toMatchObject(before);

    await endRun(database, held.run.id, 4);
    await migrate(ledger);
    expect(await statesOf(database, held.batch)).toEqual(states);
    expect([...(await conclude(database, held, claimed.slice(1), { attempts: [attempt()] }))]).toEqual([
      3, 4,
    ]);
    const later = { batch: held.batch, run: await beginTestRun(database, held.batch) };
    expect((await claim(database, later)).map(({ row }) => row)).toEqual([5, 6]);
  });

  it('waits for runs of an earlier version, which would fail when the schema changes under them', async () => {
    const ledger = await openTestLedger();
    const held = await readyBatch(ledger.database, 1);
    await undoFrom(ledger.database, '0006-batch-lock-and-chunks');
    await expect(migrate(ledger)).rejects.toMatchObject({ exitCode: 7, code: 'run_under_way' });
    await endRun(ledger.database, held.run.id, 4);
    await migrate(ledger);
  });

  it('finds what claims by portions have lost or doubled, and brings it where it can move', async () => {
    const ledger = await openTestLedger();
    const { database } = ledger;
    const held = await readyBatch(database, 8);
    await claim(database, held, { limit: 1 });
    await endRun(database, held.run.id, 4);
    await undoFrom(database, '0006-batch-lock-and-chunks');
    // Rows 2 to 9: one portion whose lines are lost but for the last, as two claims under one token left them.
    await execute(
      database,
      `UPDATE stored_rows SET state = 'ready', portion = 1, lease_token = NULL, lease_until = NULL,
      run_id = NULL, credential = NULL, first_sent_at = NULL`,
    );
    await execute(
      database,
      'INSERT INTO portions (batch_id, portion, first_row, last_row) VALUES (?, 1, 9, 9)',
      [held.batch.id],
    );
    await execute(
      database,
      `INSERT INTO creations (batch_id, row_number, lease_token, run_id, credential, first_sent_at, object_id, attempts)
       SELECT ?, row, 1, ?, 'key one', now(), id, 1 FROM (VALUES (2, 'one'), (3, 'two'), (4, 'two')) c (row, id)`,
      [held.batch.id, held.run.id],
    );
    await migrate(ledger);
    expect(await statesOf(database, held.batch)).toEqual({
      ...{
        2: 'created',
        3: 'created',
        4: 'held',
        5: 'unknown',
        6: 'unknown',
        7: 'unknown',
        8: 'unknown',
        9: 'ready',
      },
    });
    expect(await storedRow(database, held.batch, 4)).toMatchObject({
      code: 'id_seen_before',
      object_id: null,
    });
    expect(await storedRow(database, held.batch, 5)).toMatchObject({
      code: 'claim_lost',
      credential: 'key one',
    });
    expect(await countStatuses(database, held.batch.id)).toEqual({
      created: 2,
      held: 1,
      unknown: 4,
      not_sent: 1,
    });
    const later = { batch: held.batch, run: await beginTestRun(database, held.batch) };
    expect((await claim(database, later)).map(({ row }) => row)).toEqual([5, 6, 7, 8]);
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
