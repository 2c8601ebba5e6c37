import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { bindVerbs } from '../../../src/ledger/verbs.ts';
import { startApi } from '../api-program.ts';
import { submitBatch } from '../engine.ts';
import { workOffWithGraphile } from '../graphile-queue.ts';
import { workOffWithPgBoss } from '../pg-boss-queue.ts';
import { makeRequests, prepareBatch } from '../prepared-batch.ts';
import { atLeast, interleave, type Report, rateOf } from '../rounds.ts';
import { runSection, type SectionOptions } from '../section.ts';

const connections = 64;

/** The submit phase against queues in the same database that keep one job for each row. */
async function submitAgainstQueues({ databaseUrl, rounds, rows }: SectionOptions): Promise<Report[]> {
  const ledger = openServerLedger(databaseUrl);
  const verbs = bindVerbs(ledger.database, undefined, ledger.shortStatements);
  const api = await startApi();
  const [engine, boss, graphile] = await interleave(rounds, [
    {
      name: 'submit phase',
      measure: async () => {
        const prepared = await prepareBatch(verbs, api.url.origin, rows);
        return rateOf(rows, () => submitBatch(verbs, api, connections, prepared));
      },
    },
    {
      name: 'pg-boss 10',
      measure: () => workOffWithPgBoss(databaseUrl, api, connections, makeRequests(rows)),
    },
    {
      name: 'graphile-worker 0.16',
      measure: () => workOffWithGraphile(databaseUrl, api, connections, makeRequests(rows)),
    },
  ]);
  await api.stop();
  await ledger.close();
  if (engine === undefined || boss === undefined || graphile === undefined) {
    throw new Error('a side was not measured');
  }
  return [
    {
      title: 'Submitting against one job a row',
      unit: 'rows/s',
      figures: [engine, boss, graphile],
      ratios: [atLeast(4, engine, boss), atLeast(4, engine, graphile)],
      conditions: `${rows} rows, ${connections} requests at a time, all sides to a minimal HTTP server`,
    },
  ];
}

await runSection(submitAgainstQueues);
