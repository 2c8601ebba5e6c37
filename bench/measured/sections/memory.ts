import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Conclusion } from '../../../src/domain/sending/outcome.ts';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { bindVerbs, type LedgerVerbs } from '../../../src/ledger/verbs.ts';
import { type ApiProgram, startApi } from '../api-program.ts';
import { startCommand } from '../command.ts';
import { type PreparedBatch, prepareBatch } from '../prepared-batch.ts';
import { atMost, interleave, median, type Report } from '../rounds.ts';
import { runSection, type SectionOptions } from '../section.ts';

const fewRows = 10_000;
const rowsPerClaim = 1_000;

/** What a batch's size does to memory, and to the time until a resumed run sends its first request. */
async function memoryAndResuming({ databaseUrl, rounds, rows }: SectionOptions): Promise<Report[]> {
  const ledger = openServerLedger(databaseUrl);
  const verbs = bindVerbs(ledger.database, undefined, ledger.shortStatements);
  const api = await startApi();
  const setting: Setting = { databaseUrl, verbs, api };
  const sizes = [fewRows, rows].map((size) => ({
    name: `${size} rows`,
    measure: () => residentInMib(setting, size),
  }));
  const [few, many] = await interleave(rounds, sizes, 0);
  if (few === undefined || many === undefined) throw new Error('a side was not measured');
  const resuming = { name: `${rows} rows`, measure: () => firstRequestInSeconds(setting, rows) };
  const [first] = await interleave(rounds, [resuming], 0);
  if (first === undefined) throw new Error('nothing was measured');
  await api.stop();
  await ledger.close();
  const growth = median(many.values) - median(few.values);
  return [
    {
      title: 'Memory of the submit phase',
      unit: 'MiB, largest resident set',
      figures: [few, many],
      ratios: [atMost(50, `growth from ${few.name} to ${many.name}, in MiB`, growth)],
      conditions: '64 requests at a time to a minimal HTTP server, each time in a new process',
    },
    {
      title: 'Time to the first request when resuming',
      unit: 's',
      figures: [first],
      ratios: [atMost(3, 'from the start of the command to its first request, in s', median(first.values))],
      conditions: `${rows} rows, of which the first tenth was created before the interruption`,
    },
  ];
}

interface Setting {
  readonly databaseUrl: string;
  readonly verbs: LedgerVerbs;
  readonly api: ApiProgram;
}

async function residentInMib({ databaseUrl, verbs, api }: Setting, rows: number): Promise<number> {
  const prepared = await prepareBatch(verbs, api.url.origin, rows);
  const task = { databaseUrl, prepared, url: api.url.href, apiKey: api.apiKey };
  const program = fork(fileURLToPath(new URL('../submit-once.js', import.meta.url)), [JSON.stringify(task)]);
  const exited = once(program, 'exit');
  const [bytes] = await Promise.race([
    once(program, 'message'),
    exited.then(() => Promise.reject(new Error('the submission failed'))),
  ]);
  await exited;
  return bytes / 1024 / 1024;
}

async function firstRequestInSeconds({ databaseUrl, verbs, api }: Setting, rows: number): Promise<number> {
  const prepared = await prepareBatch(verbs, api.url.origin, rows);
  await createFirst(verbs, prepared, rows / 10);
  await verbs.endRun(prepared.run.id, 'stopped');
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-bench-'));
  await api.arrivals();
  const startedAtInMs = performance.timeOrigin + performance.now();
  const command = startCommand(['resume', prepared.batch.id, '--base-url', api.url.origin], {
    folder,
    apiKey: api.apiKey,
    databaseUrl,
  });
  const firstAtInMs = await firstArrival(api);
  const exited = once(command, 'exit');
  command.kill('SIGKILL');
  await exited;
  await rm(folder, { recursive: true, force: true });
  return (firstAtInMs - startedAtInMs) / 1000;
}

async function firstArrival(api: ApiProgram): Promise<number> {
  for (;;) {
    const { requests, firstAtInMs } = await api.arrivals();
    if (requests > 0) return firstAtInMs;
    // Asking without a pause would take a core from what is measured; the server notes when it came.
    await sleep(50);
  }
}

function createdAtOnce(objectId: string): Conclusion {
  const answer = `{"data":{"id":"${objectId}"},"error":null}`;
  const attempt = { number: 1, reason: null, httpStatus: 201, objectId, durationInMs: 20, answer };
  const attempts = [{ ...attempt, outcome: 'created' as const }];
  return { state: 'created', objectId, code: null, message: null, attempts };
}

/** Leaves a batch as an interrupted run does: its first rows are created. */
async function createFirst(verbs: LedgerVerbs, { batch, run }: PreparedBatch, rows: number): Promise<void> {
  for (let done = 0; done < rows; done += rowsPerClaim) {
    const claimed = await verbs.claimRows({
      batchId: batch.id,
      runId: run.id,
      leaseToken: String(done + 1),
      credential: '0123456789abcdef',
      keyLifetimeInMs: 86_400_000,
      approvalId: undefined,
      limit: rowsPerClaim,
      rows: 'fresh',
    });
    await verbs.recordConclusions(
      batch.id,
      run.id,
      claimed.map((row) => ({ ...row, conclusion: createdAtOnce(`object ${row.row}`) })),
    );
  }
}

await runSection(memoryAndResuming);
