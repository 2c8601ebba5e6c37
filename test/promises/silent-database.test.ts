import { expect, it, onTestFinished } from 'vitest';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { execute, uncheckedRows as query } from '../../src/ledger/query/sql.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customers, readLog } from '../support/cli-files.ts';
import { openDatabaseProxy } from './database-proxy.ts';

interface CountingDesk {
  readonly desk: Desk;
  /** Keys of the requests so far. */
  readonly keys: Set<string>;
}

/** A desk that calls back when the API gets its request of that number. */
async function deskThatCalls(atRequest: number, then: () => void): Promise<CountingDesk> {
  let requests = 0;
  const keys = new Set<string>();
  const desk = await openDesk({
    program: 'started',
    latencyInMs: 5,
    onRequest: ({ idempotencyKey = '' }) => {
      keys.add(idempotencyKey);
      requests += 1;
      if (requests === atRequest) then();
      return undefined;
    },
  });
  return { desk, keys };
}

async function importAgain({ desk, keys }: CountingDesk, file: string, rows: number): Promise<void> {
  const again = await desk.json(['import', file]);
  expect(again.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: rows } }] });
  expect(desk.sandbox.counts().sandbox).toMatchObject({ created: { customers: rows }, duplicates: {} });
  expect(keys.size).toBe(rows);
}

it('a database that falls silent in the middle of a run ends it with 4, and the next run loses nothing', async () => {
  let fallSilent = (): void => {};
  const counting = await deskThatCalls(60, () => fallSilent());
  const { desk } = counting;
  const proxy = await openDatabaseProxy(desk.databaseUrl ?? '');
  fallSilent = proxy.fallSilent;
  const rows = 600;
  const file = await desk.write('people.csv', csvOf(customers(rows)));
  const end = await desk.json(['import', file], { env: { DATABASE_URL: proxy.databaseUrl } });
  expect(end.summary).toMatchObject({ exit_code: 4, error: { code: 'database_unavailable' } });
  expect(end.exitCode).toBe(4);
  const answered = readLog(await desk.resultText('.run.jsonl')).filter(
    ({ event }) => event === 'row.answered',
  );
  expect(answered).toHaveLength(desk.sandbox.counts().sandbox.created.customers ?? 0);
  await importAgain(counting, file, rows);
}, 180_000);

it('connections that fall silent are given up, and the run continues with new ones', async () => {
  const { desk, keys } = await deskThatCalls(Number.POSITIVE_INFINITY, () => {});
  const proxy = await openDatabaseProxy(desk.databaseUrl ?? '');
  proxy.whenAsked(/INSERT INTO attempts|INSERT INTO created_objects/, () => {
    proxy.fallSilent();
    proxy.speakAgain();
  });
  const file = await desk.write('people.csv', csvOf(customers(100)));
  const { summary } = await desk.json(['import', file], { env: { DATABASE_URL: proxy.databaseUrl } });
  expect(summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 100 } }] });
  expect(keys.size).toBe(100);
}, 120_000);

it('a database that never speaks ends a command with 4', async () => {
  const desk = await openDesk({ program: 'started' });
  const proxy = await openDatabaseProxy(desk.databaseUrl ?? '');
  proxy.fallSilent();
  const file = await desk.write('people.csv', csvOf(customers(1)));
  for (const words of [['import', file], ['migrate']]) {
    const end = await desk.run(words, { env: { DATABASE_URL: proxy.databaseUrl } });
    expect([words[0], end.exitCode]).toEqual([words[0], 4]);
  }
}, 180_000);

it('a lock that another connection holds ends the run with 4, and it continues when the lock is gone', async () => {
  let lock = (): void => {};
  const counting = await deskThatCalls(60, () => lock());
  const { desk } = counting;
  const ledger = openServerLedger(desk.databaseUrl ?? '');
  onTestFinished(() => ledger.close());
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let held: Promise<void> = Promise.resolve();
  lock = () => {
    held = ledger.database.transaction(async (transaction) => {
      await execute(transaction, 'SET LOCAL idle_in_transaction_session_timeout = 0');
      await execute(transaction, 'LOCK TABLE created_objects IN EXCLUSIVE MODE');
      await released;
    });
  };
  const rows = 600;
  const file = await desk.write('people.csv', csvOf(customers(rows)));
  const { summary } = await desk.json(['import', file]);
  expect(summary).toMatchObject({ exit_code: 4, error: { code: 'database_locked' } });
  release();
  await held;
  await importAgain(counting, file, rows);
}, 180_000);

it('a user whose password was changed in the middle of a run ends it with 4, not with "nothing was sent"', async () => {
  let change = (): void => {};
  const counting = await deskThatCalls(60, () => change());
  const { desk } = counting;
  const admin = openServerLedger(desk.databaseUrl ?? '');
  const role = `worker_${process.pid}`;
  onTestFinished(async () => {
    await execute(admin.database, `DROP OWNED BY ${role}; DROP ROLE ${role}`).catch(() => {});
    await admin.close();
  });
  await execute(admin.database, `CREATE ROLE ${role} LOGIN SUPERUSER PASSWORD 'before'`);
  const url = new URL(desk.databaseUrl ?? '');
  Object.assign(url, { username: role, password: 'before' });
  change = () => {
    void (async () => {
      await execute(admin.database, `ALTER ROLE ${role} PASSWORD 'after'`);
      await query(
        admin.database,
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ?',
        [role],
      );
    })();
  };
  const rows = 600;
  const file = await desk.write('people.csv', csvOf(customers(rows)));
  const { summary } = await desk.json(['import', file], { env: { DATABASE_URL: url.href } });
  expect(summary).toMatchObject({ exit_code: 4, error: { code: 'database_refused' } });
  expect(JSON.stringify(summary)).not.toContain('before');
  await importAgain(counting, file, rows);
}, 120_000);
