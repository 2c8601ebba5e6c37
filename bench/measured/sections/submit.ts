import { openServerLedger } from '../../../src/ledger/open.ts';
import { bindVerbs } from '../../../src/ledger/verbs.ts';
import { startApi } from '../api-program.ts';
import { sendBare } from '../bare-loop.ts';
import { submitBatch } from '../engine.ts';
import { makeRequests, prepareBatch } from '../prepared-batch.ts';
import { atLeast, interleave, type Report, rateOf } from '../rounds.ts';
import { runSection, type SectionOptions } from '../section.ts';

const connections = 64;

/** The whole submit phase against sending alone, without and with latency in the API. */
async function submitAgainstBare({ databaseUrl, rounds, rows }: SectionOptions): Promise<Report[]> {
  const ledger = openServerLedger(databaseUrl);
  const verbs = bindVerbs(ledger.database);
  const reports: Report[] = [];
  try {
    for (const { latencyInMs, target } of [
      { latencyInMs: 0, target: 0.8 },
      { latencyInMs: 20, target: 0.95 },
    ]) {
      const api = await startApi(latencyInMs);
      const [engine, bare] = await interleave(rounds, [
        {
          name: 'submit phase',
          measure: async () => {
            const prepared = await prepareBatch(verbs, api.url.origin, rows);
            return rateOf(rows, () => submitBatch(verbs, api.url, connections, prepared));
          },
        },
        {
          name: 'bare requests',
          measure: () => {
            const requests = makeRequests(rows);
            return rateOf(rows, () => sendBare(api.url, connections, requests));
          },
        },
      ]);
      api.stop();
      if (engine === undefined || bare === undefined) throw new Error('a side was not measured');
      reports.push({
        title: `Submitting against bare requests, ${latencyInMs} ms of latency`,
        unit: 'rows/s',
        figures: [engine, bare],
        ratios: [atLeast(target, engine, bare)],
        conditions: `${rows} rows, ${connections} connections, minimal HTTP server`,
      });
    }
  } finally {
    await ledger.close();
  }
  return reports;
}

await runSection(submitAgainstBare);
