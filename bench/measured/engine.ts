import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LimitFunction } from 'p-limit';
import { createApiClient } from '../../src/api/client.ts';
import { createConcurrencyLimit, systemTiming } from '../../src/api/limiters.ts';
import { createSender } from '../../src/api/sender.ts';
import { openRunLog } from '../../src/disk/log/run-log.ts';
import type { PaybatchError } from '../../src/domain/failures/paybatch-error.ts';
import type { LedgerVerbs } from '../../src/ledger/verbs.ts';
import { leaseInMs, startHeartbeat } from '../../src/send/lease.ts';
import { processBatch } from '../../src/send/process-batch.ts';
import { gatherAnswers } from '../../src/send/recorder.ts';
import type { MeasuredApi } from './api-program.ts';
import type { PreparedBatch } from './prepared-batch.ts';

const dayInMs = 86_400_000;

/**
 * Submits a prepared batch as `import` does: the ledger's own verbs, signs of life that are asked for before each
 * request, a run log that is synced to disk, and the one client and sender.
 * @throws Error when a row did not come out as created
 */
export async function submitBatch(
  verbs: LedgerVerbs,
  { url, apiKey }: MeasuredApi,
  concurrency: number,
  { batch, run }: PreparedBatch,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-bench-'));
  const runLog = await openRunLog(join(folder, 'run.jsonl'), { batch: batch.id, now: () => new Date() });
  const client = createApiClient({
    baseUrl: url,
    apiKey,
    timeoutInMs: 30_000,
    connections: concurrency,
    userAgent: 'paybatch-bench',
  });
  const clock = { now: systemTiming.now, monotonicInMs: systemTiming.monotonicInMs };
  const halt = new AbortController();
  let lost: PaybatchError | undefined;
  const heartbeat = startHeartbeat({
    ledger: verbs,
    clock,
    runId: run.id,
    batchId: batch.id,
    onLost: (failure) => {
      lost = failure;
      halt.abort();
    },
  });
  let limiter: LimitFunction | undefined;
  let recorded = 0;
  try {
    await processBatch({
      ledger: verbs,
      references: {
        findByHandles: async () => new Map(),
        findCustomersById: async () => new Map(),
        findRivals: async () => new Map(),
        findKeyOwners: async () => new Map(),
      },
      sender: createSender({
        client,
        timing: systemTiming,
        maxAttempts: 5,
        concurrency: createConcurrencyLimit({
          maximum: concurrency,
          onLimitChange: (limit) => {
            if (limiter !== undefined) limiter.concurrency = limit;
          },
        }),
        stopSignal: halt.signal,
      }),
      runLog,
      clock,
      batchId: batch.id,
      run,
      leaseInMs,
      credential: '0123456789abcdef',
      keyLifetimeInMs: dayInMs,
      approvalId: undefined,
      checkContent: undefined,
      payees: undefined,
      concurrency,
      readAnswer: (definition, json) => definition.readAnswer(json, { customerIdPaths: ['data.id'] }),
      rows: 'all',
      latestRunWasWhole: false,
      waitingCodes: [],
      waitingDelayInMs: 0,
      newKey: randomUUID,
      gather: gatherAnswers,
      holdsBatch: heartbeat.holds,
      halt,
      onLimiter: (given) => {
        limiter = given;
      },
      onProgress: ({ length: rows }) => {
        recorded += rows;
      },
    });
  } finally {
    heartbeat.stop();
    await client.close();
    await runLog.close();
    await rm(folder, { recursive: true });
  }
  if (lost !== undefined) throw lost;
  const counts = await verbs.countStatuses(batch.id);
  if (counts.created !== recorded || recorded !== batch.rowCount) {
    throw new Error(`not every row was created: ${JSON.stringify(counts)}`);
  }
}
