import { expect, it, onTestFinished } from 'vitest';
import { type Ledger, openServerLedger } from '../../src/ledger/connection/open.ts';
import { execute, uncheckedRows as query } from '../../src/ledger/query/sql.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';

function ledgerOf(desk: Desk): Ledger {
  const ledger = openServerLedger(desk.databaseUrl ?? '');
  onTestFinished(() => ledger.close());
  return ledger;
}

/** As if the lease's time had passed by the database's clock, which is what decides. */
async function expireLeases({ database }: Ledger): Promise<void> {
  // Where the worker was stopped inside of a database transaction, the server ends that first by itself.
  await execute(
    database,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
  );
  await execute(database, "UPDATE runs SET lease_until = now() - interval '1 s'");
}

function rowsOf({ database }: Ledger): Promise<Record<string, unknown>[]> {
  return query(
    database,
    `SELECT r.*, q.idempotency_key, (SELECT count(*) FROM attempts a WHERE a.row_number = r.row_number) AS tries
     FROM rows r JOIN requests q USING (batch_id, row_number, generation) ORDER BY row_number`,
  );
}

it('a worker that was paused for longer than its lease changes nothing when it wakes up', async () => {
  const keys = new Map<string, number>();
  let whenSent = (): void => {};
  const sentAFew = new Promise<void>((resolve) => {
    whenSent = resolve;
  });
  const desk = await openDesk({
    program: 'started',
    latencyInMs: 60,
    onRequest: ({ idempotencyKey = '' }) => {
      keys.set(idempotencyKey, (keys.get(idempotencyKey) ?? 0) + 1);
      if (keys.size === 20) whenSent();
      return undefined;
    },
  });
  const ledger = ledgerOf(desk);
  const rows = 100;
  const file = await desk.write('people.csv', csvOf(customers(rows)));
  const paused = desk.start(['import', file, '--concurrency', '8']);
  await sentAFew;
  paused.child.kill('SIGSTOP');
  await expireLeases(ledger);
  const successor = await desk.json(['import', file]);
  expect(successor.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: rows } }] });
  const [before, results] = [await rowsOf(ledger), await desk.resultText('.results.csv')];
  paused.child.kill('SIGCONT');
  const woken = await paused.ended;
  expect(woken.signal).toBeNull();
  expect(await rowsOf(ledger)).toEqual(before);
  expect(await desk.resultText('.results.csv')).toBe(results);
  // What both have sent was sent under one key, which the API knew.
  expect([...keys.values()].some((tries) => tries > 1)).toBe(true);
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(rows);
  expect(keys.size).toBe(rows);
});
