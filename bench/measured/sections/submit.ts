import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { bindVerbs, type LedgerVerbs } from '../../../src/ledger/verbs.ts';
import { type MeasuredApi, startApi, withApi } from '../api-program.ts';
import { sendBare } from '../bare-loop.ts';
import { submitBatch } from '../engine.ts';
import { makeRequests, prepareBatch } from '../prepared-batch.ts';
import { atLeast, interleave, type Report, rateOf } from '../rounds.ts';
import { startSandboxProgram } from '../sandbox-program.ts';
import { runSection, type SectionOptions } from '../section.ts';

const connections = 64;

interface Setting {
  readonly name: string;
  readonly start: () => Promise<MeasuredApi>;
  readonly target: number;
}

const settings: readonly Setting[] = [
  { name: 'the sandbox', start: () => startSandboxProgram(), target: 0.8 },
  { name: 'a minimal HTTP server', start: () => startApi(), target: 0.8 },
  { name: 'a minimal HTTP server with 10 ms of latency', start: () => startApi(10), target: 0.8 },
  { name: 'a minimal HTTP server with 20 ms of latency', start: () => startApi(20), target: 0.95 },
];

async function compare(
  { name, start, target }: Setting,
  verbs: LedgerVerbs,
  rounds: number,
  rows: number,
): Promise<Report> {
  const [engine, bare] = await withApi(start, (api) =>
    interleave(rounds, [
      {
        name: 'submit phase',
        measure: async () => {
          const prepared = await prepareBatch(verbs, api.url.origin, rows);
          return rateOf(rows, () => submitBatch(verbs, api, connections, prepared));
        },
      },
      {
        name: 'bare requests',
        measure: () => {
          const requests = makeRequests(rows);
          return rateOf(rows, () => sendBare(api, connections, requests));
        },
      },
    ]),
  );
  if (engine === undefined || bare === undefined) throw new Error('a side was not measured');
  return {
    title: `Submitting against bare requests to ${name}`,
    unit: 'rows/s',
    figures: [engine, bare],
    ratios: [atLeast(target, engine, bare)],
    conditions: `${rows} rows, ${connections} connections, both sides to ${name}`,
  };
}

/** The whole submit phase against sending alone, without and with latency in the API. */
async function submitAgainstBare({ databaseUrl, rounds, rows }: SectionOptions): Promise<Report[]> {
  const ledger = openServerLedger(databaseUrl);
  const verbs = bindVerbs(ledger.database, undefined, ledger.shortStatements);
  const reports: Report[] = [];
  try {
    for (const setting of settings) reports.push(await compare(setting, verbs, rounds, rows));
  } finally {
    await ledger.close();
  }
  return reports;
}

await runSection(submitAgainstBare);
