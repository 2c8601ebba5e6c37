import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
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

/** A command's time may grow this many times as much as its rows, and its memory by this many MiB. */
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
  await measureVerdicts(setting, measure);
  return usages;
}

async function measureImports({ folder, rows }: Setting, measure: Measure): Promise<void> {
  const prefix = `${randomUUID()}-`;
  await writeCustomersFile(join(folder, 'customers.csv'), rows, prefix);
  await measure('validate', ['validate', 'customers.csv']);
  await measure('import', ['import', 'customers.csv']);
  await measure('import again', ['import', 'customers.csv']);
  await writeCustomersFile(join(folder, 'existing.csv'), rows, prefix, () => ({
    date_of_birth: '1990-01-31 ',
  }));
  await measure('import, all existing', ['import', 'existing.csv']);
  await writeCustomersFile(join(folder, 'invalid.csv'), rows, prefix, () => ({ date_of_birth: 'soon' }));
  await measure('import, all invalid', ['import', 'invalid.csv'], { exitCode: 1 });
}

/** The API refuses every row, and then is away: what is left is for `retry` and for `resume`. */
async function measureBrokenRuns({ api, folder, rows }: Setting, measure: Measure): Promise<void> {
  await writeCustomersFile(join(folder, 'refused.csv'), rows, `${randomUUID()}-`);
  await api.answer('refused');
  // Left to itself, a run stops once the first rows are refused alike.
  await measure('import, all refused', ['import', 'refused.csv', '--refused-alike', 'off'], { exitCode: 1 });
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
async function measureRecovery(setting: Setting, measure: Measure): Promise<void> {
  const { folder } = setting;
  const empty = await emptyLedger(setting, 'recovered');
  const log = resultPath(folder, await batchOf(folder, 'customers'), 'run.jsonl');
  await measure('recover', ['recover', '--log', log, 'customers.csv', '--mode', 'sandbox'], empty);
}

/** A log without answers, as one of an earlier version, leaves every row unknown: a person says of each that it was not created. */
async function measureVerdicts(setting: Setting, measure: Measure): Promise<void> {
  const { folder } = setting;
  const empty = await emptyLedger(setting, 'doubtful');
  const batch = await batchOf(folder, 'customers');
  const log = join(folder, 'unanswered.run.jsonl');
  await copyLines(resultPath(folder, batch, 'run.jsonl'), log, (line) =>
    /"event":"(?:row\.answered|row\.final)"/.test(line) ? '' : `${withoutLink(line)}\n`,
  );
  await measure(
    'recover, all unknown',
    ['recover', '--log', log, 'customers.csv', '--mode', 'sandbox'],
    empty,
  );
  await measure('reconcile, all unknown', ['reconcile', batch], { ...empty, exitCode: 5 });
  const verdicts = join(folder, 'verdicts.csv');
  await copyLines(resultPath(folder, batch, 'verdicts.csv'), verdicts, (line) =>
    line.replace(/,,,$/, ',not-created,,').concat('\n'),
  );
  await measure('resolve --file', ['resolve', batch, '--file', verdicts], empty);
}

/** A line without the number and hash that tie it to the one before: with them, the log would be a damaged one. */
function withoutLink(line: string): string {
  return line.replace(/(?:,"after":\[.*\])?,"chain":"[^}]*\}$/, '}');
}

async function copyLines(from: string, to: string, written: (line: string) => string): Promise<void> {
  const lines = createInterface({ input: createReadStream(from), crlfDelay: Number.POSITIVE_INFINITY });
  await pipeline(async function* () {
    for await (const line of lines) yield written(line);
  }, createWriteStream(to));
}

/** A ledger of its own, migrated. */
async function emptyLedger(
  { databaseUrl, folder, rows }: Setting,
  name: string,
): Promise<{ databaseUrl: string }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}_${rows}`);
  await client.end();
  const url = new URL(databaseUrl);
  url.pathname = `${name}_${rows}`;
  await runCommand(['migrate'], { folder, apiKey: '', databaseUrl: url.href });
  return { databaseUrl: url.href };
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
