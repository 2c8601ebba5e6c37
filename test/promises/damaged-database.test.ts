import { closeSync, fstatSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/ledger/connection/migrate.ts';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { startPrivateServer } from '../support/ledger.ts';
import type { PostgresServer } from '../support/postgres-server.ts';

const pageSize = 8_192;
const rows = 1_500;

interface DamagedDesk {
  readonly desk: Desk;
  readonly batch: string;
  readonly env: { readonly DATABASE_URL: string };
  /** Stops the server, changes the file of a relation, and starts it again. */
  readonly damage: (relation: string, change: (path: string) => void) => Promise<void>;
}

/** A planned batch on a server of its own, whose pages have checksums. */
async function openPlanned(planned = customers(rows)): Promise<DamagedDesk> {
  const server = await startPrivateServer({ autovacuum: 'off' }, ['--data-checksums']);
  onTestFinished(() => server.dispose());
  const databaseUrl = server.urlOf('postgres');
  const ledger = openServerLedger(databaseUrl);
  await migrate(ledger);
  await ledger.close();
  const desk = await openDesk();
  const env = { DATABASE_URL: databaseUrl };
  const file = await desk.write('people.csv', csvOf(planned));
  const { summary } = await desk.json(['plan', file], { env });
  expect(summary).toMatchObject({ exit_code: 0 });
  const damage = async (relation: string, change: (path: string) => void): Promise<void> => {
    const path = await pathOf(server, relation);
    await server.stop();
    change(path);
    await server.start();
  };
  return { desk, env, damage, batch: summary.batches[0]?.batch ?? '' };
}

async function pathOf(server: PostgresServer, relation: string): Promise<string> {
  const client = new pg.Client({ connectionString: server.urlOf('postgres') });
  await client.connect();
  const { rows: found } = await client.query('SELECT pg_relation_filepath($1::regclass) AS path', [relation]);
  await client.end();
  return join(server.data, String(found[0]?.path));
}

/** As a failing disk changes them: some bits in the middle of the last page. */
function flipBits(path: string): void {
  const file = openSync(path, 'r+');
  const at = fstatSync(file).size - pageSize / 2;
  const bytes = Buffer.alloc(64);
  readSync(file, bytes, 0, bytes.length, at);
  writeSync(
    file,
    bytes.map((byte) => byte ^ 0xa5),
    0,
    bytes.length,
    at,
  );
  closeSync(file);
}

/** As a file system leaves pages whose content it has lost: without any. */
function emptyPages(path: string): void {
  const file = openSync(path, 'r+');
  const { size } = fstatSync(file);
  writeSync(file, Buffer.alloc(size - pageSize), 0, size - pageSize, pageSize);
  closeSync(file);
}

it.each([
  ['a page of a table', 'row_states', flipBits, 'XX001'],
  ['pages of an index', 'row_states_pkey', emptyPages, 'XX002'],
  ['a file of a table that is gone', 'row_inputs', rmSync, '58P01'],
])('names damaged data, with what to do: %s', async (_what, relation, change, code) => {
  const { desk, env, batch, damage } = await openPlanned();
  await damage(relation, change);
  for (const command of ['submit', 'results']) {
    const words = [command, batch];
    const { exitCode, summary } = await desk.json(words, { env, program: 'started' });
    expect({ words, exitCode, error: summary.error }).toEqual({
      words,
      exitCode: 4,
      error: {
        code: 'database_damaged',
        message: `PostgreSQL finds damaged data in the database of DATABASE_URL (${code}).`,
        next: expect.stringMatching(/let no run start, and restore a backup .* paybatch recover --help$/),
      },
    });
  }
});

it('a halt of everything is in force, and is reported, although its state cannot be read', async () => {
  const lost = customers(2).map((customer) => ({ ...customer, last_name: 'Lost Always' }));
  const { desk, env, batch, damage } = await openPlanned(lost);
  const sent = await desk.json(['submit', batch, '--max-attempts', '1'], { env });
  expect(sent.summary.batches[0]?.counts).toEqual({ unknown: 2 });
  await damage('row_states', flipBits);
  const { exitCode, summary } = await desk.json(['halt', '--note', 'a broken disk'], { env });
  expect({ exitCode, error: summary.error }).toEqual({
    exitCode: 4,
    error: {
      code: 'database_damaged',
      message:
        'Everything is halted: no run begins another request. How it stands could not be read. PostgreSQL finds damaged data in the database of DATABASE_URL (XX001).',
      next: expect.stringContaining('let no run start'),
    },
  });
  const lifted = await desk.json(['halt', '--lift'], { env });
  expect(lifted.summary).toMatchObject({ exit_code: 0, did: 'lifted' });
});
