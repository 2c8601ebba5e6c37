import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startApi } from '../api-program.ts';
import { runCommand, startCommand } from '../command.ts';
import { writeCustomersFile } from '../customers-file.ts';
import { atLeast, type Figures, interleave, type Ratio, type Report, type Side } from '../rounds.ts';
import type { ScriptTask } from '../scripts/customer-request.ts';
import { runSection, type SectionOptions } from '../section.ts';
import { watchProgram } from '../watched-program.ts';

const connections = 64;

/** How long the API takes for an answer, and what share of the reckless script's rate each ledger has to reach. */
const settings = [
  { latencyInMs: 0, server: 0.5, embedded: 0.4, careful: 2.5 },
  { latencyInMs: 20, server: 0.92, embedded: 0.8, careful: 1 },
  { latencyInMs: 150, server: 0.97, embedded: 0.95, careful: 1 },
] as const;

type Setting = (typeof settings)[number];

/** From this latency on, a round takes minutes of which nearly all is waiting for the API. */
const longLatencyInMs = 100;

/** From a file of customers to the result file: two scripts, and the command on both engines. */
async function wholeJob(options: SectionOptions): Promise<Report[]> {
  const reports: Report[] = [];
  for (const setting of settings) reports.push(...(await compare(setting, options)));
  return reports;
}

async function compare(setting: Setting, options: SectionOptions): Promise<Report[]> {
  const { rows, databaseUrl } = options;
  const rounds = setting.latencyInMs < longLatencyInMs ? options.rounds : Math.ceil(options.rounds / 3);
  const api = await startApi(setting.latencyInMs);
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-bench-'));
  const processor = new Map<string, number[]>();
  const input = join(folder, 'customers.csv');
  const side = (name: string, start: () => ChildProcess): Side => ({
    name,
    measure: async () => {
      // The same customers again would be the same objects.
      await writeCustomersFile(input, rows, `${randomUUID()}-`);
      const { seconds, processorSeconds } = await watchProgram(start());
      processor.set(name, [...(processor.get(name) ?? []), (processorSeconds / rows) * 1_000_000]);
      return rows / seconds;
    },
  });
  const task: ScriptTask = {
    input,
    output: join(folder, 'out.csv'),
    connections,
    databaseUrl,
    apiUrl: api.url.origin,
    apiKey: api.apiKey,
  };
  const command = ['import', input, '--base-url', api.url.origin, '--concurrency', String(connections)];
  const at = (database: string | null) => ({ folder, apiKey: api.apiKey, databaseUrl: database });
  try {
    // The embedded ledger is made once, in seconds, for all that is imported later.
    await runCommand(['migrate'], at(null));
    const figures = await interleave(
      rounds,
      [
        side('reckless script', () => startScript('reckless', task)),
        side('careful script', () => startScript('careful', task)),
        side('paybatch, PostgreSQL server', () => startCommand(command, at(databaseUrl))),
        side('paybatch, embedded ledger', () => startCommand(command, at(null))),
      ],
      0,
    );
    return reportsOf(setting, rows, figures, processor);
  } finally {
    await api.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function startScript(name: 'reckless' | 'careful', task: ScriptTask): ChildProcess {
  const path = fileURLToPath(new URL(`../scripts/${name}.js`, import.meta.url));
  return spawn(process.execPath, [path, JSON.stringify(task)], { stdio: ['ignore', 'ignore', 'inherit'] });
}

function reportsOf(
  setting: Setting,
  rows: number,
  figures: readonly Figures[],
  processor: ReadonlyMap<string, readonly number[]>,
): Report[] {
  const { latencyInMs } = setting;
  const title = `From file to result file, ${latencyInMs} ms of latency`;
  const conditions = `${rows} customers, ${connections} requests at a time to a minimal HTTP server, each program from start to end`;
  const used = figures.map(({ name }) => ({ name, values: processor.get(name) ?? [] }));
  return [
    { title, unit: 'rows/s', figures, ratios: ratiosOf(setting, figures), conditions },
    {
      title: `${title}: processor time of the program alone`,
      unit: 'µs a row',
      figures: used,
      ratios: [],
      conditions,
    },
  ];
}

function ratiosOf({ server, embedded, careful }: Setting, figures: readonly Figures[]): Ratio[] {
  const [recklessScript, carefulScript, onServer, onEmbedded] = figures;
  if (!recklessScript || !carefulScript || !onServer || !onEmbedded) throw new Error('a side is missing');
  return [
    atLeast(server, onServer, recklessScript),
    atLeast(embedded, onEmbedded, recklessScript),
    atLeast(careful, onServer, carefulScript),
    { ...atLeast(0, carefulScript, recklessScript), target: 'for comparison', isMet: true },
  ];
}

await runSection(wholeJob);
