import { createRateLimiter } from '../../src/api/rate.ts';
import { createConcurrencyLimit } from '../../src/api/run-limits.ts';
import { createSender } from '../../src/api/sender.ts';
import { compareLog } from '../../src/pipeline/recovery/compare-log.ts';
import { startHeartbeat } from '../../src/pipeline/run/heartbeat.ts';
import { processBatch } from '../../src/pipeline/sending/process-batch.ts';
import { ModelLedger } from './model-ledger.ts';
import { ModelTransactions } from './model-transactions.ts';

/** What is under test: the real parts, or copies of them with a bug planted. */
export interface Engine {
  readonly processBatch: typeof processBatch;
  readonly compareLog: typeof compareLog;
  readonly startHeartbeat: typeof startHeartbeat;
  readonly createSender: typeof createSender;
  readonly createConcurrencyLimit: typeof createConcurrencyLimit;
  readonly createRateLimiter: typeof createRateLimiter;
  readonly ModelLedger: typeof ModelLedger;
  readonly ModelTransactions: typeof ModelTransactions;
}

export const realEngine: Engine = {
  processBatch,
  compareLog,
  startHeartbeat,
  createSender,
  createConcurrencyLimit,
  createRateLimiter,
  ModelLedger,
  ModelTransactions,
};
