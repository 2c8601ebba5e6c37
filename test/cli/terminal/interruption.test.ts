import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RunningCli } from '../../support/cli.ts';
import { type Desk, openDesk } from '../../support/cli-desk.ts';
import { csvOf, customers, readLog, recipient } from '../../support/cli-files.ts';

/** A desk whose API takes a while for each answer, and calls back at the given request. */
async function openSlowDesk(atRequest: number, onRequest: () => void): Promise<Desk> {
  let requests = 0;
  return openDesk({
    latencyInMs: 150,
    onRequest: () => {
      requests += 1;
      if (requests === atRequest) onRequest();
      return undefined;
    },
  });
}

describe('a run that is interrupted', () => {
  it.each<NodeJS.Signals>(['SIGINT', 'SIGTERM', 'SIGHUP'])(
    'by one %s lets what is in flight finish, writes the files and ends with 4',
    async (signal) => {
      let running: RunningCli | undefined;
      const desk = await openSlowDesk(10, () => running?.child.kill(signal));
      const file = await desk.write('people.csv', csvOf(customers(400)));
      running = desk.start(['import', file, '--json', '--concurrency', '8']);
      const end = await running.ended;
      const { batches, exit_code, error } = JSON.parse(end.stdout);
      const { created, not_sent, ...others } = batches[0].counts;
      expect({ exit: end.exitCode, exit_code, error, others }).toEqual({
        exit: 4,
        exit_code: 4,
        error: null,
        others: {},
      });
      expect(end.stderr).toMatch(/Stopping: \d+ requests? in flight, at most 30 s\./);
      expect(created + not_sent).toBe(400);
      // Every request that the API got has its answer in the ledger.
      expect(created).toBe(desk.sandbox.counts().sandbox.created.customers);
      expect(created).toBeLessThan(100);
      const rows = await desk.results();
      expect(rows).toHaveLength(400);
      expect(rows.filter((row) => row['result_status'] === 'unknown')).toEqual([]);
      const events = readLog(await desk.resultText('.run.jsonl'));
      expect(events.filter(({ event }) => event !== 'audit.head').slice(-2)).toMatchObject([
        { event: 'run.stopped', reason: 'interrupted', code: null },
        { event: 'run.finished', exit_code: 4 },
      ]);
    },
  );

  it('by a second signal ends at once, and the next run loses and doubles nothing', async () => {
    let running: RunningCli | undefined;
    const desk = await openSlowDesk(5, () => {
      running?.child.kill('SIGINT');
      setTimeout(() => running?.child.kill('SIGINT'), 60);
    });
    const file = await desk.write('people.csv', csvOf(customers(60)));
    running = desk.start(['import', file, '--timeout', '20', '--concurrency', '8']);
    const end = await running.ended;
    expect({ exitCode: end.exitCode, stdout: end.stdout }).toEqual({ exitCode: 4, stdout: '' });
    const resumed = await desk.json(['resume', '--concurrency', '32']);
    expect(resumed.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 60 } }] });
    expect(desk.sandbox.counts().sandbox).toMatchObject({
      created: { customers: 60 },
      duplicates: { customers: 0 },
    });
  });

  it.each<readonly NodeJS.Signals[]>([
    ['SIGTERM', 'SIGHUP'],
    ['SIGHUP', 'SIGTERM'],
  ])(
    'by %s and %s, as by a host that goes down and a script that passes it on, comes to its end',
    async (...signals) => {
      let running: RunningCli | undefined;
      const desk = await openSlowDesk(5, () => {
        for (const signal of signals) running?.child.kill(signal);
      });
      const file = await desk.write('people.csv', csvOf(customers(60)));
      running = desk.start(['import', file, '--json', '--concurrency', '8']);
      const end = await running.ended;
      expect(end.exitCode).toBe(4);
      expect(JSON.parse(end.stdout).batches[0].counts.unknown).toBeUndefined();
      expect(await desk.results()).toHaveLength(60);
    },
  );

  it('while it still reads its files leaves nothing behind', async () => {
    let running: RunningCli | undefined;
    // The first page of institutions that is asked for shows that the reading has begun.
    const desk = await openSlowDesk(1, () => running?.child.kill('SIGINT'));
    const people = await desk.write('people.csv', csvOf(customers(2)));
    const payees = await desk.write('payees.csv', csvOf([recipient(1)]));
    running = desk.start(['import', people, payees, '--json']);
    const end = await running.ended;
    expect(JSON.parse(end.stdout)).toMatchObject({
      exit_code: 4,
      batches: [],
      error: { code: 'interrupted' },
    });
    expect((await desk.run(['status'])).stdout).toBe('No batch was imported yet.\n');
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(0);
  });

  it('while another run holds its batch ends with 7, and its message names the holder', async () => {
    const desk = await openSlowDesk(1, () => {});
    const file = await desk.write('people.csv', csvOf(customers(300)));
    const holder = desk.start(['import', file, '--json', '--concurrency', '2']);
    while (desk.sandbox.counts().sandbox.created.customers === 0) await sleep(50);
    const [importing, resuming] = await Promise.all([desk.json(['import', file]), desk.json(['resume'])]);
    for (const refused of [importing, resuming]) {
      expect(refused.summary).toMatchObject({ exit_code: 7, batches: [], error: { code: 'batch_held' } });
      expect(refused.summary.error?.message).toContain(`process ${holder.child.pid} `);
    }
    holder.child.kill('SIGINT');
    expect((await holder.ended).exitCode).toBe(4);
  });
});
