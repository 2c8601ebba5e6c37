import { afterEach, describe, expect, it, vi } from 'vitest';
import { migrationSource } from '../../../migrations/index.ts';
import { endRun } from '../../../src/ledger/batches/runs.ts';
import { migrate, requireSchema } from '../../../src/ledger/connection/migrate.ts';
import { type Ledger, openServerLedger } from '../../../src/ledger/connection/open.ts';
import { execute, uncheckedRows as query } from '../../../src/ledger/query/sql.ts';
import { createDatabase, dropDatabase, forEachLedger } from '../../support/ledger.ts';
import { readyBatch, stagedBatch } from '../../support/ledger-rows.ts';

const tablesOf = async ({ database }: Ledger): Promise<string[]> => {
  const tables = await query<{ name: string }>(
    database,
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  );
  return tables.map(({ name }) => name);
};

/** What a database remembers of the migrations before all of them became one schema. */
const namesOfDevelopment = [
  ...['0001-ledger-6d1a77a4', '0002-payees-e4ca6439', '0003-close-db5573d2', '0004-approvals-886a045f'],
  ...['0005-audit-62362c74', '0006-payee-order-90c1a907', '0007-payee-marks-09729ff7'],
  ...['0008-series-21a222bc', '0009-row-search-38209592', '0010-console-0ef177c7', '0011-drafts-12aa9019'],
  ...['0012-console-approvals-02a4d48f', '0013-payee-look-ups-680df376', '0014-worklist-9a4905e5'],
  ...['0015-search-d5f07f8a', '0016-log-heads-80b68f37', '0017-line-ends-3379bdfc'],
  ...['0021-failed-runs-e4044ddd', '0022-export-mappings-58c9262a'],
];

describe('on an empty database', () => {
  const opened: Ledger[] = [];
  const created: string[] = [];
  afterEach(async () => {
    for (const ledger of opened.splice(0)) await ledger.close();
    for (const url of created.splice(0)) await dropDatabase(url);
  });

  /** Several programs, each with connections of its own, on one database without a schema. */
  async function openAll(programs: number): Promise<Ledger[]> {
    const url = await createDatabase('template0');
    created.push(url);
    const ledgers = Array.from({ length: programs }, () => openServerLedger(url));
    opened.push(...ledgers);
    return ledgers;
  }

  it('refuses to work, says what to do, and changes nothing', async () => {
    const [ledger] = await openAll(1);
    if (ledger === undefined) throw new Error('no ledger');
    await expect(requireSchema(ledger)).rejects.toMatchObject({
      kind: 'usage',
      code: 'database_not_migrated',
      remedies: [{ action: 'migrate' }],
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
    expect(await tablesOf(ledger)).toContain('row_states');
  });

  it('lets one of several programs that migrate at once do it, and the others wait for it', async () => {
    const ledgers = await openAll(4);
    const applied = await Promise.all(ledgers.map(migrate));
    expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
    await Promise.all(ledgers.map(requireSchema));
  });

  it('continues where a killed migration left its lock', async () => {
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
    const left = `SELECT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      UNION ALL SELECT viewname FROM pg_views WHERE schemaname = 'public'`;
    expect(await query(ledger.database, left)).toEqual([]);
    await migrate(ledger);
    await requireSchema(ledger);
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

  it('waits for runs of an earlier version, which would fail when the schema changes under them', async () => {
    const ledger = await openTestLedger();
    const held = await readyBatch(ledger.database, 1);
    // As if this version had one migration more than the database has.
    const migrations = await migrationSource.getMigrations([]);
    const more = { name: '0002-of-today', up: async () => {}, down: async () => {} };
    vi.spyOn(migrationSource, 'getMigrations').mockResolvedValue([...migrations, more]);
    await expect(migrate(ledger)).rejects.toMatchObject({ kind: 'busy', code: 'run_under_way' });
    await endRun(ledger.database, held.run.id, 'stopped');
    expect(await migrate(ledger)).toEqual(['0002-of-today']);
    vi.restoreAllMocks();
  });

  it('does not touch a ledger that a newer version has migrated', async () => {
    const ledger = await openTestLedger();
    await execute(
      ledger.database,
      `INSERT INTO paybatch_migrations (name, batch, migration_time) VALUES ('9999-of-tomorrow', 9, now())`,
    );
    const failure = { kind: 'usage', code: 'database_is_newer' };
    await expect(requireSchema(ledger)).rejects.toMatchObject(failure);
    await expect(migrate(ledger)).rejects.toMatchObject(failure);
  });

  it.each([
    ['the first migration of all', ['0001-batches-and-rows']],
    ['some migrations', namesOfDevelopment.slice(0, 5)],
    ['all migrations, before they became one schema', namesOfDevelopment],
    ['this schema in an earlier form', ['0001-schema-00000000']],
  ])(
    'does not touch a ledger of a version before the first release, made by %s, and says what to do',
    async (_, names) => {
      const ledger = await openTestLedger();
      await execute(ledger.database, 'DELETE FROM paybatch_migrations', []);
      await execute(
        ledger.database,
        `INSERT INTO paybatch_migrations (name, batch, migration_time)
         SELECT name, 1, now() FROM unnest(?::text[]) AS name`,
        [names],
      );
      const before = await tablesOf(ledger);
      const failure = {
        kind: 'usage',
        code: 'database_is_older',
        remedies: [
          ledger.isEmbedded
            ? expect.objectContaining({
                next: expect.objectContaining({ oneOf: [{ setting: 'ledgerDir' }] }),
              })
            : { action: 'advice', text: { parts: [expect.any(String), { setting: 'databaseUrl' }] } },
        ],
      };
      await expect(requireSchema(ledger)).rejects.toMatchObject(failure);
      await expect(migrate(ledger)).rejects.toMatchObject(failure);
      expect(await query(ledger.database, 'SELECT name FROM paybatch_migrations ORDER BY id')).toEqual(
        names.map((name) => ({ name })),
      );
      expect(await tablesOf(ledger)).toEqual(before);
    },
  );
});
