import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, it, onTestFinished } from 'vitest';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { execute } from '../../src/ledger/query/sql.ts';
import { type CliEnd, type RunningCli, runCli, startCli } from '../support/cli.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { startCountingApi } from '../support/counting-api.ts';
import { createDatabase, dropDatabase } from '../support/ledger.ts';

const rows = 4_000;
const file = 'people.csv';

async function openDatabase(template?: string): Promise<string> {
  const url = await createDatabase(template);
  onTestFinished(() => dropDatabase(url));
  return url;
}

/** A standby that is promoted: it has what the primary has now, and from now on each goes its own way. */
async function promoteStandby(primary: string, workers: readonly RunningCli[]): Promise<string> {
  const name = new URL(primary).pathname.slice(1);
  const admin = openServerLedger(inject('adminUrl'));
  // For a moment: a database is copied while there is no connection to it.
  for (const { child } of workers) child.kill('SIGSTOP');
  try {
    const ended = 'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = ?';
    await execute(admin.database, ended, [name]);
    return await openDatabase(name);
  } finally {
    for (const { child } of workers) child.kill('SIGCONT');
    await admin.close();
  }
}

function codeOf({ stdout }: CliEnd): string | null {
  return JSON.parse(stdout).error?.code ?? null;
}

it('four workers, two at each of two primaries, that share one log send no row twice, and say so', async () => {
  const api = await startCountingApi();
  const cwd = await mkdtemp(join(inject('testFolder'), 'split-'));
  const primary = await openDatabase();
  const env = {
    PAYBATCH_BASE_URL: api.url,
    PAYBATCH_MODE: 'sandbox',
    PAYBATCH_API_KEY: 'sk_test_0123456789abcdef0123456789abcdef',
  };
  const at = (DATABASE_URL: string) => ({ cwd, env: { ...env, DATABASE_URL } });
  await writeFile(join(cwd, file), csvOf(customers(rows)));
  const planned = await runCli(['plan', file, '--json'], at(primary));
  const batch: string = JSON.parse(planned.stdout).batches[0].batch;
  const join2 = (url: string): RunningCli[] =>
    [1, 2].map(() => startCli(['resume', batch, '--join', '--json', '--concurrency', '4'], at(url)));
  const sent = async (count: number): Promise<void> => {
    while (api.requests < count) await sleep(5);
  };
  // Slow, until workers of both ledgers are at work.
  api.delayInMs = 200;
  const old = join2(primary);
  await sent(8);
  const standby = await promoteStandby(primary, old);
  const known = new Set<string>();
  let ofNew = 0;
  api.decide = (id) => {
    if (!known.has(id)) ofNew += 1;
    known.add(id);
    return 'created';
  };
  const fresh = join2(standby);
  await Promise.race([sent(api.requests + 400), ...fresh.map(({ ended }) => ended)]);
  api.delayInMs = 0;
  const ends = await Promise.all([...old, ...fresh].map(({ ended }) => ended));
  const twice = [...api.created].filter(([, times]) => times > 1).map(([id]) => id);
  expect({ twice: twice.length, codes: ends.map(codeOf), ofNew }).toMatchObject({ twice: 0 });
  expect(ends.map(codeOf)).toContain('ledger_behind');
  // The next command is refused as well, at one of the two ledgers at least.
  const next = [
    await runCli(['import', file, '--json'], at(primary)),
    await runCli(['import', file, '--json'], at(standby)),
  ];
  expect(next.map(codeOf)).toContain('ledger_behind');
  expect([...api.created].filter(([, times]) => times > 1)).toEqual([]);
}, 240_000);
