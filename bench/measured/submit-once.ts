import { boundHeapGrowth } from '../../src/cli/terminal/process.ts';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { bindVerbs } from '../../src/ledger/verbs.ts';
import { submitBatch } from './engine.ts';
import type { PreparedBatch } from './prepared-batch.ts';

/*
 * Submits one prepared batch, in a process of its own, and reports to the parent how much memory that took: the largest
 * resident set of those that were looked at while it went on.
 */

const samplesEveryMs = 50;
const concurrency = 64;

interface Task {
  readonly databaseUrl: string;
  readonly prepared: PreparedBatch;
  readonly url: string;
  readonly apiKey: string;
}

// As the command line does before it sends.
boundHeapGrowth();
const task: Task = JSON.parse(process.argv[2] ?? '{}');
const ledger = openServerLedger(task.databaseUrl);
let largest = 0;
const sampling = setInterval(() => {
  largest = Math.max(largest, process.memoryUsage.rss());
}, samplesEveryMs);
const api = { url: new URL(task.url), apiKey: task.apiKey, stop: async () => {} };
await submitBatch(
  bindVerbs(ledger.database, undefined, ledger.shortStatements),
  api,
  concurrency,
  task.prepared,
);
clearInterval(sampling);
await ledger.close();
process.send?.(largest, undefined, {}, () => process.disconnect());
