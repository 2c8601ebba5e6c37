import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { migrate } from '../src/ledger/connection/migrate.ts';
import { openServerLedger } from '../src/ledger/connection/open.ts';
import { installPostgres, sharedTemporaryFolder } from '../test/support/postgres-install.ts';
import { type PostgresServer, startPostgresServer } from '../test/support/postgres-server.ts';
import { describeMachine } from './machine.ts';
import type { Report } from './measured/rounds.ts';
import type { SectionOptions } from './measured/section.ts';
import { tableOf } from './table.ts';

/*
 * npm run bench -- [SECTION...] [--rounds N] [--rows N]
 *
 * Measures every section, or those that are named, each in a program of its own that runs the built code.
 */

/** Every section, with the size that it has unless stated. */
const sections: Readonly<Record<string, { readonly rows: number; readonly rounds: number }>> = {
  submit: { rows: 10_000, rounds: 5 },
  queues: { rows: 10_000, rounds: 3 },
  processes: { rows: 10_000, rounds: 3 },
  validation: { rows: 1_000_000, rounds: 3 },
  memory: { rows: 100_000, rounds: 3 },
  import: { rows: 20_000, rounds: 3 },
  job: { rows: 20_000, rounds: 3 },
  growth: { rows: 200_000, rounds: 1 },
  changes: { rows: 1_000_000, rounds: 3 },
  trail: { rows: 10_000, rounds: 5 },
  corrections: { rows: 1_000_000, rounds: 20 },
  pages: { rows: 1_000_000, rounds: 9 },
  serve: { rows: 2_000, rounds: 50 },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string' }, rows: { type: 'string' }, 'exec-argv': { type: 'string' } },
});
const wanted = positionals.length === 0 ? Object.keys(sections) : positionals;
for (const name of wanted) {
  if (sections[name] === undefined) throw new Error(`there is no section "${name}"`);
}

const folder = await mkdtemp(join(sharedTemporaryFolder(), 'paybatch-bench-'));
// The server may run as another user.
await chmod(folder, 0o755);
// Durable as a server is when nobody has changed its settings.
const server = await startPostgresServer(
  await installPostgres(folder),
  await mkdtemp(join(folder, 'data-')),
  {
    fsync: 'on',
    full_page_writes: 'on',
  },
);
try {
  process.stdout.write(`${await describeMachine(server.urlOf('postgres'))}\n`);
  for (const name of wanted) {
    for (const report of await runSection(name)) process.stdout.write(`\n${tableOf(report)}\n`);
  }
} finally {
  await server.dispose();
  await rm(folder, { recursive: true, force: true });
}

async function runSection(name: string): Promise<Report[]> {
  const options: SectionOptions = {
    databaseUrl: await createDatabase(server, name),
    rounds: Number(values.rounds ?? sections[name]?.rounds),
    rows: Number(values.rows ?? sections[name]?.rows),
  };
  const program = fileURLToPath(new URL(`../dist/bench/measured/sections/${name}.js`, import.meta.url));
  const running = fork(program, [JSON.stringify(options)], {
    execArgv: values['exec-argv']?.split(' ') ?? [],
  });
  let reports: Report[] | undefined;
  running.on('message', (message: Report[]) => {
    reports = message;
  });
  const [code] = await once(running, 'exit');
  if (reports === undefined) throw new Error(`the section "${name}" ended without a report (${code})`);
  return reports;
}

/** A database of the section's own, with the ledger's schema. */
async function createDatabase({ urlOf }: PostgresServer, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: urlOf('postgres') });
  await client.connect();
  await client.query(`CREATE DATABASE bench_${name}`);
  await client.end();
  const ledger = openServerLedger(urlOf(`bench_${name}`));
  await migrate(ledger);
  await ledger.close();
  return urlOf(`bench_${name}`);
}
