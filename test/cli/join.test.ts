import { describe, expect, it, onTestFinished } from 'vitest';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { execute } from '../../src/ledger/query/sql.ts';
import type { CliEnd } from '../support/cli.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import type { JsonSummary } from '../support/json-shapes/shared.ts';

/** A planned batch of this number of customers, and what the API sees of those that send it. */
async function plannedBatch(
  rows: number,
  latencyInMs = 20,
): Promise<{
  desk: Desk;
  batch: string;
  file: string;
  sent: { key: string; atInMs: number }[];
  whenSent: (count: number) => Promise<void>;
}> {
  const sent: { key: string; atInMs: number }[] = [];
  const desk = await openDesk({
    latencyInMs,
    onRequest: ({ idempotencyKey = '' }) => {
      sent.push({ key: idempotencyKey, atInMs: performance.now() });
      return undefined;
    },
  });
  const file = await desk.write('people.csv', csvOf(customers(rows)));
  const { summary } = await desk.json(['plan', file]);
  const whenSent = async (count: number): Promise<void> => {
    while (sent.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { desk, batch: summary.batches[0]?.batch ?? '', file, sent, whenSent };
}

const summaryOf = ({ stdout }: CliEnd): JsonSummary => JSON.parse(stdout);

describe('several runs on one batch', () => {
  it('send every row once, hold one rate together, and each write the same result', async () => {
    const [rows, requestsPerSecond] = [180, 60];
    const { desk, batch, sent } = await plannedBatch(rows);
    const words = ['resume', batch, '--join', '--rate', String(requestsPerSecond), '--json'];
    const runs = [1, 2, 3].map(() => desk.start(words));
    const ends = await Promise.all(runs.map(({ ended }) => ended));
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    for (const end of ends) {
      expect(summaryOf(end)).toMatchObject({ batches: [{ counts: { created: rows } }] });
    }
    expect({ sent: sent.length, keys: new Set(sent.map(({ key }) => key)).size }).toEqual({
      sent: rows,
      keys: rows,
    });
    expect(desk.sandbox.counts().sandbox.duplicates.customers).toBe(0);
    expect(await desk.results()).toHaveLength(rows);
    // Only too fast would be wrong. The tolerance is for first requests that took longer than the last ones.
    const durationInMs = (sent.at(-1)?.atInMs ?? 0) - (sent[0]?.atInMs ?? 0);
    expect((sent.length - 1) / (durationInMs / 1_000)).toBeLessThan(requestsPerSecond * 1.3);
  });

  it('that begin their files while others send write the final state', async () => {
    const rows = 7_000;
    const { desk, batch } = await plannedBatch(rows, 1);
    const words = ['resume', batch, '--join', '--concurrency', '24', '--json'];
    const ends = await Promise.all([1, 2, 3].map(() => desk.start(words).ended));
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    const written = [await desk.resultText('.results.csv'), await desk.resultText('.objects.csv')];
    await desk.json(['results', batch]);
    expect([await desk.resultText('.results.csv'), await desk.resultText('.objects.csv')]).toEqual(written);
    expect(await desk.results()).toHaveLength(rows);
    expect(desk.sandbox.counts().sandbox.duplicates.customers).toBe(0);
  });

  it('keep others out, and take over what a killed one had in hand once its lease has run out', async () => {
    const rows = 150;
    const { desk, batch, file, whenSent } = await plannedBatch(rows);
    const words = ['resume', batch, '--join', '--concurrency', '4', '--json'];
    const lost = desk.start(words);
    await whenSent(20);
    // Paused in the midst of what it claimed, it still holds these rows, so the other one cannot finish meanwhile.
    lost.child.kill('SIGSTOP');
    const other = desk.start(words);
    await whenSent(60);
    const alone = await desk.json(['import', file]);
    expect(alone.summary).toMatchObject({ exit_code: 7, error: { code: 'batch_held' } });
    const holder = /process (\d+) on/.exec(alone.summary.error?.message ?? '')?.[1];
    expect([lost, other].map(({ child }) => String(child.pid))).toContain(holder);
    lost.child.kill('SIGKILL');
    await lost.ended;
    const ledger = openServerLedger(desk.databaseUrl ?? '');
    onTestFinished(() => ledger.close());
    await execute(
      ledger.database,
      "UPDATE runs SET lease_until = now() - interval '1 s' WHERE split_part(owner_process, ' ', 1) = ?",
      [String(lost.child.pid)],
    );
    const end = await other.ended;
    expect(end.exitCode).toBe(0);
    expect(summaryOf(end)).toMatchObject({ batches: [{ counts: { created: rows } }] });
    expect(desk.sandbox.counts().sandbox).toMatchObject({
      created: { customers: rows },
      duplicates: { customers: 0 },
    });
  });

  it('need a named batch, and a database server', async () => {
    const desk = await openDesk({ ledger: 'embedded' });
    const unnamed = await desk.run(['resume', '--join']);
    expect({ exitCode: unnamed.exitCode, stderr: unnamed.stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('has to be named'),
    });
    const embedded = await desk.run(['resume', 'abcdef01', '--join']);
    expect({ exitCode: embedded.exitCode, stderr: embedded.stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('DATABASE_URL'),
    });
  });
});
