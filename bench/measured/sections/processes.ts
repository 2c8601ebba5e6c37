import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { bindVerbs, type LedgerVerbs } from '../../../src/ledger/verbs.ts';
import { type ApiProgram, startApi } from '../api-program.ts';
import { endOf, startCommand } from '../command.ts';
import { prepareBatch } from '../prepared-batch.ts';
import { type Figures, interleave, median, type Ratio, type Report } from '../rounds.ts';
import { runSection, type SectionOptions } from '../section.ts';

const latencyInMs = 20;
const concurrency = 16;
const processes = [1, 2, 4] as const;

/** One program against several that share one batch. */
async function oneAgainstMany({ databaseUrl, rounds, rows }: SectionOptions): Promise<Report[]> {
  const ledger = openServerLedger(databaseUrl);
  const verbs = bindVerbs(ledger.database, undefined, ledger.shortStatements);
  const api = await startApi(latencyInMs);
  const sides = processes.map((count) => ({
    name: `${count} process${count === 1 ? '' : 'es'}`,
    measure: () => joinedRate({ databaseUrl, verbs, api, rows }, count),
  }));
  const figures = await interleave(rounds, sides, 0);
  await api.stop();
  await ledger.close();
  const [one, ...others] = figures;
  if (one === undefined) throw new Error('nothing was measured');
  return [
    {
      title: 'Processes that share one batch',
      unit: 'rows/s',
      figures,
      ratios: others.map((many) => speedUp(many, one)),
      conditions: `${rows} rows, resume --join, ${concurrency} requests at a time and process, ${latencyInMs} ms of latency, from the first request to the last`,
    },
  ];
}

function speedUp(many: Figures, one: Figures): Ratio {
  const value = median(many.values) / median(one.values);
  return { name: `${many.name} / ${one.name}`, value, target: 'more than 1', isMet: value > 1 };
}

interface Joined {
  readonly databaseUrl: string;
  readonly verbs: LedgerVerbs;
  readonly api: ApiProgram;
  readonly rows: number;
}

async function joinedRate({ databaseUrl, verbs, api, rows }: Joined, count: number): Promise<number> {
  const { batch, run } = await prepareBatch(verbs, api.url.origin, rows);
  await verbs.endRun(run.id, 'stopped');
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-bench-'));
  await api.arrivals();
  const args = ['resume', batch.id, '--join', '--base-url', api.url.origin];
  const commands = Array.from({ length: count }, (_, number) =>
    startCommand([...args, '--concurrency', String(concurrency), '--out', `results-${number}`], {
      folder,
      apiKey: api.apiKey,
      databaseUrl,
    }),
  );
  await Promise.all(commands.map(endOf));
  await rm(folder, { recursive: true });
  const { requests, firstAtInMs, lastAtInMs } = await api.arrivals();
  if (requests !== rows) throw new Error(`${requests} requests came for ${rows} rows`);
  return rows / ((lastAtInMs - firstAtInMs) / 1000);
}

await runSection(oneAgainstMany);
