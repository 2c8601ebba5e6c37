import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type ApiProgram, startApi } from '../api-program.ts';
import { runCommand, startCommand } from '../command.ts';
import { writeCustomersFile } from '../customers-file.ts';
import { writeExport } from '../export-file.ts';
import { atMost, type Report } from '../rounds.ts';
import { runSection, type SectionOptions } from '../section.ts';
import { type Usage, watchProgram } from '../watched-program.ts';

/** What the larger size is compared with. */
const smallRows = 20_000;
const connections = 64;

/** So many times its rows' growth a command's time may grow, and by so many MiB its memory. */
const mostGrowth = 1.2;
const mostMoreMib = 50;

interface Setting {
  readonly api: ApiProgram;
  readonly databaseUrl: string;
  /** Where the commands work, and the files of this size are. */
  readonly folder: string;
  readonly rows: number;
}

type Usages = ReadonlyMap<string, Usage>;

/** Every command at two sizes, on a PostgreSQL server: how its time grows with the rows, and its memory. */
async function growth({ databaseUrl, rows }: SectionOptions): Promise<Report[]> {
  const api = await startApi();
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-bench-'));
  try {
    const small = await measureAll({ api, databaseUrl, folder: join(folder, 'small'), rows: smallRows });
    const large = await measureAll({ api, databaseUrl, folder: join(folder, 'large'), rows });
    return [reportOf(small, large, rows)];
  } finally {
    await api.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

type Measure = (name: string, args: readonly string[], options?: MeasureOptions) => Promise<void>;

interface MeasureOptions {
  readonly exitCode?: number;
  readonly databaseUrl?: string;
}

/** One command after the other, each on what the ones before it left behind. */
async function measureAll(setting: Setting): Promise<Usages> {
  const { folder, api } = setting;
  await mkdir(folder);
  const usages = new Map<string, Usage>();
  const measure: Measure = async (name, args, { exitCode, databaseUrl = setting.databaseUrl } = {}) => {
    const all = [...args, '--base-url', api.url.origin, '--concurrency', String(connections)];
    const program = startCommand(all, { folder, databaseUrl, apiKey: api.apiKey });
    usages.set(name, await watchProgram(program, exitCode));
  };
  await measureImports(setting, measure);
  await measureBrokenRuns(setting, measure);
  await measureReadings(setting, measure);
  await measureRecovery(setting, measure);
  return usages;
}

async function measureImports({ folder, rows }: Setting, measure: Measure): Promise<void> {
  const prefix = `${randomUUID()}-`;
  await writeCustomersFile(join(folder, 'customers.csv'), rows, prefix);
  await measure('validate', ['validate', 'customers.csv']);
  await measure('import', ['import', 'customers.csv']);
  await measure('import again', ['import', 'customers.csv']);
  await writeCustomersFile(join(folder, 'existing.csv'), rows, prefix, '1990-01-31 ');
  await measure('import, all existing', ['import', 'existing.csv']);
  await writeCustomersFile(join(folder, 'invalid.csv'), rows, prefix, 'soon');
  await measure('import, all invalid', ['import', 'invalid.csv'], { exitCode: 1 });
}

/** The API refuses every row, and then is away: what is left is for `retry` and for `resume`. */
async function measureBrokenRuns({ api, folder, rows }: Setting, measure: Measure): Promise<void> {
  await writeCustomersFile(join(folder, 'refused.csv'), rows, `${randomUUID()}-`);
  await api.answer('refused');
  await measure('import, all refused', ['import', 'refused.csv'], { exitCode: 1 });
  await api.answer('created');
  await measure('retry', ['retry', await batchOf(folder, 'refused')]);
  await writeCustomersFile(join(folder, 'stopped.csv'), rows, `${randomUUID()}-`);
  await api.answer('unavailable');
  await measure('import, API away', ['import', 'stopped.csv'], { exitCode: 4 });
  await api.answer('created');
  await measure('resume', ['resume', await batchOf(folder, 'stopped')]);
  await writeCustomersFile(join(folder, 'planned.csv'), rows, `${randomUUID()}-`);
  await measure('plan', ['plan', 'planned.csv']);
}

async function measureReadings({ folder }: Setting, measure: Measure): Promise<void> {
  const batch = await batchOf(folder, 'customers');
  await measure('status', ['status']);
  await measure('status of a batch', ['status', batch]);
  await measure('results', ['results', batch]);
  await measure('reconcile', ['reconcile', batch]);
  await writeExport(resultPath(folder, batch, 'objects.csv'), join(folder, 'export.csv'));
  await measure('reconcile --against', ['reconcile', batch, '--against', 'export.csv']);
}

/** Into a ledger that has lost everything. */
async function measureRecovery({ databaseUrl, folder, rows }: Setting, measure: Measure): Promise<void> {
  const name = `recovered_${rows}`;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const url = new URL(databaseUrl);
  url.pathname = name;
  const empty = { databaseUrl: url.href };
  await runCommand(['migrate'], { folder, apiKey: '', ...empty });
  const log = resultPath(folder, await batchOf(folder, 'customers'), 'run.jsonl');
  await measure('recover', ['recover', '--log', log, 'customers.csv', '--mode', 'sandbox'], empty);
}

function resultPath(folder: string, batch: string, ending: string): string {
  return join(folder, 'results', `customers.${batch}.${ending}`);
}

/** The short id of the batch that a file was imported as. */
async function batchOf(folder: string, name: string): Promise<string> {
  const files = await readdir(join(folder, 'results'));
  const log = files.find((file) => file.startsWith(`${name}.`) && file.endsWith('.run.jsonl'));
  return log?.split('.')[1] ?? '';
}

function reportOf(small: Usages, large: Usages, rows: number): Report {
  const compared = [...small].map(([name, before]) => {
    const after = large.get(name) ?? before;
    const times = after.seconds / before.seconds / (rows / smallRows);
    return { name, before, after, times, moreMib: after.peakInMib - before.peakInMib };
  });
  return {
    title: 'How every command grows with its rows',
    columns: ['command', `s, ${smallRows}`, `s, ${rows}`, 'time / rows', `MiB, ${smallRows}`, `MiB, ${rows}`],
    lines: compared.map(({ name, before, after, times }) => [
      ...[name, before.seconds.toFixed(2), after.seconds.toFixed(2), times.toFixed(2)],
      ...[before.peakInMib.toFixed(0), after.peakInMib.toFixed(0)],
    ]),
    ratios: compared.flatMap(({ name, times, moreMib }) => [
      atMost(mostGrowth, `${name}: growth of its time over that of its rows`, times),
      atMost(mostMoreMib, `${name}: MiB more`, moreMib),
    ]),
    conditions: `customers, PostgreSQL server, ${connections} requests at a time to a minimal HTTP server; one measurement each, each command a program from start to end`,
  };
}

await runSection(growth);
