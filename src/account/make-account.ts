/* Puts the account of a batch together: what the ledger knows, what the call has seen, and what follows from both. */

import type { Attention, BatchAccount, RunAccount } from '../domain/batches/account.ts';
import type { BatchRecord, RunRecord } from '../domain/batches/batch.ts';
import type { BatchFacts, ChangesSummary } from '../domain/batches/batch-facts.ts';
import type { CallOutcome } from '../domain/failures/paybatch-error.ts';
import type { StatusCounts } from '../domain/rows/row-state.ts';
import { isUnderWay, rowsForPerson, stateOf } from './figures.ts';
import { nextSteps } from './next-steps.ts';

/** What a call knows of a batch besides the ledger. */
export interface Observed extends Pick<BatchAccount, 'files' | 'source' | 'notes'> {
  readonly now: Date;
  readonly attention?: Attention;
  readonly changes?: ChangesSummary;
  readonly logHead?: BatchAccount['logHead'];
}

/** Puts the account of a batch together. */
export function accountOf(batch: BatchRecord, facts: BatchFacts, observed: Observed): BatchAccount {
  const { id, kind, mode, origin, fileName: file, sheet, createdAt } = batch;
  const { now, attention = null, changes = null, logHead = null, ...seen } = observed;
  const runs = facts.runs.map((run, at) => runOf(run, at, now));
  const known = {
    ...facts,
    ...seen,
    ...{ id, kind, environment: { mode, origin }, file, sheet, createdAt, runs, attention, changes, logHead },
    rows: rowsIn(facts.counts),
    state: stateOf({ ...facts, runs }),
    needsPerson: rowsForPerson(facts),
    plan: null,
    lastRunAt: runs.at(-1)?.startedAt ?? null,
  };
  return { ...known, next: nextSteps(known) };
}

/** The same once a run has ended of which the ledger does not know it yet. */
export function withEndOf(
  account: BatchAccount,
  {
    runId,
    endedAt,
    outcome,
  }: { readonly runId: string; readonly endedAt: string; readonly outcome: CallOutcome },
): BatchAccount {
  const runs = account.runs.map((run) =>
    run.id === runId ? { ...run, endedAt, outcome, isUnderWay: false } : run,
  );
  return { ...account, runs, state: stateOf({ ...account, runs }) };
}

function runOf(run: RunRecord, at: number, now: Date): RunAccount {
  const { id, command, actor, owner, startedAt, endedAt, outcome } = run;
  return {
    ...{ id, number: at + 1, command, actor, host: owner.host, startedAt, endedAt, outcome },
    // What follows the process id tells this process from others that had its id before.
    process: owner.process.split(' ', 1)[0] ?? '',
    isUnderWay: isUnderWay(run, now),
  };
}

function rowsIn(counts: StatusCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
