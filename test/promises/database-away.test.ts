import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/ledger/connection/migrate.ts';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { startPrivateServer } from '../support/ledger.ts';
import { openDatabaseProxy } from './database-proxy.ts';

const awayInMs = 700;

it('a database that is away for a moment in each phase of a run does not end it', async () => {
  let requests = 0;
  const away: string[] = [];
  const desk = await openDesk({
    program: 'started',
    latencyInMs: 5,
    onRequest: () => {
      requests += 1;
      if (requests === 60) leave('while requests are in flight');
      return undefined;
    },
  });
  const proxy = await openDatabaseProxy(desk.databaseUrl ?? '');
  const leave = (phase: string): void => {
    away.push(phase);
    void proxy.disconnect(awayInMs);
  };
  proxy.whenAsked(/INSERT INTO requests/, () => leave('preparing'));
  proxy.whenAsked(/UPDATE send_chunks c SET lease_token/, () => leave('claiming'));
  proxy.whenAsked(/INSERT INTO attempts/, () => leave('recording'));
  proxy.whenAsked(/idempotency_key AS "idempotencyKey",\s+to_char/, () => leave('writing the files'));
  const rows = 200;
  const file = await desk.write('people.csv', csvOf(customers(rows)));
  const { summary } = await desk.json(['import', file], { env: { DATABASE_URL: proxy.databaseUrl } });
  expect(summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: rows } }], error: null });
  expect([...away].sort()).toEqual([
    'claiming',
    'preparing',
    'recording',
    'while requests are in flight',
    'writing the files',
  ]);
  expect({ requests, created: desk.sandbox.counts().sandbox.created.customers }).toEqual({
    requests: rows,
    created: rows,
  });
  expect(await desk.results()).toHaveLength(rows);
});

it('a database that goes away while a file is staged ends the call, and nothing of the file stays', async () => {
  const desk = await openDesk({ program: 'started' });
  const proxy = await openDatabaseProxy(desk.databaseUrl ?? '');
  const env = { DATABASE_URL: proxy.databaseUrl };
  proxy.whenAsked(/INSERT INTO row_inputs/, () => void proxy.disconnect(awayInMs));
  const file = await desk.write('people.csv', csvOf(customers(20)));
  const { summary } = await desk.json(['import', file], { env });
  expect(summary).toMatchObject({ exit_code: 4, batches: [], error: { code: 'database_unavailable' } });
  expect(desk.sandbox.counts().sandbox.created.customers ?? 0).toBe(0);
  const again = await desk.json(['import', file], { env });
  expect(again.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 20 } }] });
});

it('a database server that crashes and is started again in the middle of a run does not end it', async () => {
  const server = await startPrivateServer({ fsync: 'on' });
  onTestFinished(() => server.dispose());
  const databaseUrl = server.urlOf('postgres');
  const ledger = openServerLedger(databaseUrl);
  await migrate(ledger);
  await ledger.close();
  let requests = 0;
  let restarted: Promise<void> | undefined;
  const desk = await openDesk({
    program: 'started',
    latencyInMs: 10,
    onRequest: () => {
      requests += 1;
      if (requests === 80) restarted = restart();
      return undefined;
    },
  });
  const restart = async (): Promise<void> => {
    await server.stop('immediate');
    await sleep(500);
    await server.start();
  };
  const rows = 300;
  const file = await desk.write('people.csv', csvOf(customers(rows)));
  const { summary } = await desk.json(['import', file], { env: { DATABASE_URL: databaseUrl } });
  await restarted;
  expect(summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: rows } }], error: null });
  expect(desk.sandbox.counts().sandbox).toMatchObject({ created: { customers: rows }, duplicates: {} });
  expect(requests).toBe(rows);
});
