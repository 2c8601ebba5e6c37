import { createConcurrencyLimit, createRateLimiter } from '../../src/api/limiters.ts';
import { createSender } from '../../src/api/sender.ts';
import { readRunLogLines } from '../../src/disk/log/read-run-log.ts';
import { readRunHead } from '../../src/disk/log/run-head.ts';
import { openRunLog } from '../../src/disk/log/run-log.ts';
import { compareLog } from '../../src/recover/compare-log.ts';
import { restoreBatch } from '../../src/recover/restore.ts';
import { readHistory } from '../../src/recover/run-history.ts';
import { requireKnownClaims } from '../../src/send/claim-log.ts';
import { startHeartbeat } from '../../src/send/lease.ts';
import { processBatch } from '../../src/send/process-batch.ts';
import { ModelLedger } from './model-ledger.ts';
import { ModelTransactions } from './model-transactions.ts';

/** What is under test: the real parts, or copies of them with a bug planted. */
export interface Engine {
  readonly processBatch: typeof processBatch;
  readonly compareLog: typeof compareLog;
  readonly requireKnownClaims: typeof requireKnownClaims;
  readonly openRunLog: typeof openRunLog;
  readonly readRunLogLines: typeof readRunLogLines;
  readonly readRunHead: typeof readRunHead;
  readonly readHistory: typeof readHistory;
  readonly restoreBatch: typeof restoreBatch;
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
  requireKnownClaims,
  openRunLog,
  readRunLogLines,
  readRunHead,
  readHistory,
  restoreBatch,
  startHeartbeat,
  createSender,
  createConcurrencyLimit,
  createRateLimiter,
  ModelLedger,
  ModelTransactions,
};
