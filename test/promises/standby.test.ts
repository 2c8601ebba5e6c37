import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/ledger/connection/migrate.ts';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { administer } from '../support/durable-database.ts';
import { openEngine } from '../support/engine.ts';
import { startPrivateServer, startPrivateStandby } from '../support/ledger.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { openDatabaseProxy } from './database-proxy.ts';

interface Pair {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
}

/** A primary with a schema, and a standby that has all that the primary confirms. */
async function startPair(): Promise<Pair> {
  const primary = await startPrivateServer({ fsync: 'on' });
  onTestFinished(() => primary.dispose());
  const ledger = openServerLedger(primary.urlOf('postgres'));
  await migrate(ledger);
  await ledger.close();
  const standby = await startPrivateStandby(primary);
  onTestFinished(() => standby.dispose());
  const onPrimary = (sql: string): Promise<void> => administer(primary.urlOf('postgres'), sql);
  await onPrimary("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await onPrimary("ALTER SYSTEM SET synchronous_commit = 'remote_apply'");
  await onPrimary('SELECT pg_reload_conf()');
  return { primary, standby };
}

function promote(standby: PostgresServer): Promise<void> {
  return administer(standby.urlOf('postgres'), 'SELECT pg_promote()');
}

/** The address of several servers, in this order. */
function addressOf(servers: readonly PostgresServer[], parameters = ''): string {
  const urls = servers.map((server) => new URL(server.urlOf('postgres')));
  const { username, password, pathname } = urls[0] ?? new URL('postgres://none');
  return `postgres://${username}:${password}@${urls.map(({ host }) => host).join(',')}${pathname}${parameters}`;
}

function hostOf(server: PostgresServer): string {
  return new URL(server.urlOf('postgres')).host;
}

it('a standby is refused by name where something is to be written, and read where not, until it is promoted', async () => {
  const { primary, standby } = await startPair();
  const desk = await openDesk();
  const file = await desk.write('people.csv', csvOf(customers(20)));
  const onPrimary = { env: { DATABASE_URL: primary.urlOf('postgres') } };
  const onStandby = { env: { DATABASE_URL: standby.urlOf('postgres') } };
  const { summary } = await desk.json(['import', file], onPrimary);
  expect(summary).toMatchObject({ exit_code: 0 });
  const batch = summary.batches[0]?.batch ?? '';
  for (const words of [
    ['doctor'],
    ['migrate'],
    ['import', file],
    ['plan', file],
    ['resume'],
    ['close', batch, '--note', 'no'],
    ['reconcile', batch],
    ['user', 'add', 'amina', '--role', 'admin'],
  ]) {
    const { exitCode, stdout, stderr } = await desk.run(words, onStandby);
    expect({ words, exitCode, said: stdout + stderr }).toEqual({
      words,
      exitCode: 2,
      said: expect.stringMatching(
        new RegExp(
          `The server ${hostOf(standby)} of DATABASE_URL is a standby: it takes no writes.*primary`,
          's',
        ),
      ),
    });
  }
  for (const words of [
    ['status'],
    ['status', batch, '--row', '2'],
    ['results', batch],
    ['audit', 'verify'],
    ['user', 'list'],
    ['policy', 'show'],
  ]) {
    const { exitCode, stderr } = await desk.run(words, onStandby);
    expect({ words, exitCode, stderr }).toEqual({
      words,
      exitCode: 0,
      stderr: expect.stringContaining(`Read from the standby ${hostOf(standby)}: the primary may know more.`),
    });
  }
  expect(await desk.results()).toHaveLength(20);
  const { sandbox } = desk;
  const engine = await openEngine({
    api: { baseUrl: sandbox.url, apiKey: sandbox.apiKeys.sandbox },
    ledger: { databaseUrl: standby.urlOf('postgres') },
  });
  const more = await desk.write('more.csv', csvOf(customers(5, 100)));
  const files = [`${desk.folder}/${more}`];
  await expect(engine.import({ files }).result).rejects.toMatchObject({
    code: 'database_read_only',
    kind: 'usage',
  });
  await primary.stop();
  await promote(standby);
  expect(await engine.import({ files }).result).toMatchObject({ outcome: 'done' });
});

it('a server whose default is to read only is refused by name, unless the user of paybatch has its own', async () => {
  const primary = await startPrivateServer();
  onTestFinished(() => primary.dispose());
  const databaseUrl = primary.urlOf('postgres');
  const ledger = openServerLedger(databaseUrl);
  await migrate(ledger);
  await ledger.close();
  const desk = await openDesk();
  const file = await desk.write('people.csv', csvOf(customers(3)));
  const env = { DATABASE_URL: databaseUrl };
  await administer(databaseUrl, 'ALTER DATABASE postgres SET default_transaction_read_only = on');
  for (const words of [['doctor'], ['migrate'], ['import', file]]) {
    const { exitCode, stdout, stderr } = await desk.run(words, { env });
    expect({ words, exitCode, said: (stdout + stderr).replaceAll(/\s+/g, ' ') }).toEqual({
      words,
      exitCode: 2,
      said: expect.stringContaining(
        `The server ${hostOf(primary)} of DATABASE_URL is read-only: default_transaction_read_only is on`,
      ),
    });
  }
  const asked = `${databaseUrl}?target_session_attrs=read-write`;
  const refused = await desk.json(['import', file], { env: { DATABASE_URL: asked } });
  expect(refused.summary).toMatchObject({ exit_code: 2, error: { code: 'database_read_only' } });
  expect((await desk.run(['status'], { env })).exitCode).toBe(0);
  await administer(
    primary.urlOf('template1'),
    'ALTER ROLE postgres IN DATABASE postgres SET default_transaction_read_only = off',
  );
  expect((await desk.json(['import', file], { env })).summary).toMatchObject({ exit_code: 0 });
});

describe('a failover in the middle of a run', () => {
  it.each([
    [
      'to another server of the address',
      async ({ primary, standby }: Pair) => {
        const parameters = '?target_session_attrs=read-write';
        return { databaseUrl: addressOf([primary, standby], parameters), turn: async () => {} };
      },
    ],
    [
      'to which the address leads before it takes writes',
      async ({ primary, standby }: Pair) => {
        const proxy = await openDatabaseProxy(primary.urlOf('postgres'));
        const turn = async (): Promise<void> => {
          proxy.leadTo(standby.urlOf('postgres'));
          await sleep(1_500);
        };
        return { databaseUrl: proxy.databaseUrl, turn };
      },
    ],
  ])('%s does not end it, and creates no row twice', async (_how, address) => {
    const pair = await startPair();
    const { databaseUrl, turn } = await address(pair);
    const rows = 300;
    let requests = 0;
    let failover: Promise<void> | undefined;
    const desk = await openDesk({
      program: 'started',
      latencyInMs: 10,
      onRequest: () => {
        requests += 1;
        if (requests === 80) failover = failOver();
        return undefined;
      },
    });
    const failOver = async (): Promise<void> => {
      await pair.primary.stop('immediate');
      await turn();
      await promote(pair.standby);
    };
    const file = await desk.write('people.csv', csvOf(customers(rows)));
    const { summary } = await desk.json(['import', file], { env: { DATABASE_URL: databaseUrl } });
    await failover;
    expect(summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: rows } }], error: null });
    expect(desk.sandbox.counts().sandbox).toMatchObject({ created: { customers: rows }, duplicates: {} });
  });
});

it('several servers are tried in their order, and the first that will do is taken', async () => {
  const { primary, standby } = await startPair();
  const desk = await openDesk();
  const file = await desk.write('people.csv', csvOf(customers(3)));
  const importAt = async (databaseUrl: string): Promise<unknown> => {
    const { summary } = await desk.json(['import', file], { env: { DATABASE_URL: databaseUrl } });
    return [summary.exit_code, summary.error?.code ?? null];
  };
  const [first, second] = [standby, primary].map(hostOf);
  const both = (parameters: string): string => addressOf([standby, primary], parameters);
  expect(await importAt(both(''))).toEqual([2, 'database_read_only']);
  expect(await importAt(both('?target_session_attrs=any'))).toEqual([2, 'database_read_only']);
  expect(await importAt(both('?target_session_attrs=read-write'))).toEqual([0, null]);
  expect(await importAt(both('?target_session_attrs=primary&load_balance_hosts=random'))).toEqual([0, null]);
  expect(await importAt(addressOf([standby], '?target_session_attrs=read-write'))).toEqual([
    2,
    'database_read_only',
  ]);
  expect(await importAt(addressOf([primary], '?target_session_attrs=standby'))).toEqual([2, 'database_url']);
  const statusAt = async (parameters: string): Promise<string> =>
    (await desk.run(['status'], { env: { DATABASE_URL: addressOf([primary, standby], parameters) } })).stderr;
  expect(await statusAt('?target_session_attrs=prefer-standby')).toContain(`the standby ${first}`);
  expect(await statusAt('')).not.toContain('standby');
  await primary.stop();
  const { exitCode, stderr } = await desk.run(['import', file], {
    env: { DATABASE_URL: both('?target_session_attrs=read-write') },
  });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 4,
    stderr: expect.stringContaining(
      `No server of DATABASE_URL can be used with target_session_attrs=read-write: ${first} is a standby, ${second} does not answer (ECONNREFUSED).`,
    ),
  });
  // As PostgreSQL's own client does: any server, where there is no standby.
  await promote(standby);
  expect(await importAt(both('?target_session_attrs=prefer-standby'))).toEqual([0, null]);
});
