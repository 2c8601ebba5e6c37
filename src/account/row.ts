/* A row with its whole history, for every channel. */

import { keyLifetimeFor } from '../call/api-access.ts';
import type { CallContext } from '../call/context.ts';
import type { BatchAccount, NextStep, RunAccount } from '../domain/batches/account.ts';
import { type BatchRecord, type RowsInDoubt, shortBatchId } from '../domain/batches/batch.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { RowEvent } from '../domain/rows/result-row.ts';
import { duplicateStatus, type ResultStatus, resultStatus } from '../domain/rows/row-state.ts';
import type { RowHistory, readRowHistory, StandingRow } from '../ledger/after-sending/row-history.ts';
import type { BoundVerbs } from '../ledger/verbs.ts';
import { nextSteps } from './next-steps.ts';

/** A row of a batch with its whole history. Times are ISO 8601, UTC. */
export interface RowView
  extends Omit<StandingRow, 'state' | 'originalState' | 'isExpired' | 'isUnsettled' | 'stagedAt'> {
  readonly status: ResultStatus;
  /** The data about doubt, as for a whole batch; null if the row is not in doubt. */
  readonly doubt: RowsInDoubt | null;
  /** The next steps, as for a whole batch. */
  readonly next: readonly NextStep[];
  /** The oldest first. */
  readonly history: readonly RowEvent[];
}

/**
 * Everything that the ledger knows about a row.
 * @throws PaybatchError (`usage`) when the batch has no row of that number
 */
export async function findRow(
  app: CallContext,
  verbs: BoundVerbs<{ readRowHistory: typeof readRowHistory }>,
  batch: BatchRecord,
  row: number,
): Promise<RowHistory> {
  const history = await verbs.readRowHistory(batch.id, row, keyLifetimeFor(app, batch.mode).durationInMs);
  if (history !== undefined) return history;
  const short = shortBatchId(batch.id);
  throw new PaybatchError(
    'row_not_found',
    `Batch ${short} has no row ${row}: rows are numbered as a spreadsheet program shows them, and the header is row 1.`,
    { action: 'status', batch: short, environment: batch },
  );
}

/** The data about the doubt of a row, as for a whole batch; null if the row is not in doubt. */
function doubtOf({ row }: RowHistory): RowsInDoubt | null {
  const { firstSentAt, keyRunsOutAt, isExpired, isUnsettled } = row;
  if (firstSentAt === null || keyRunsOutAt === null) return null;
  return {
    oldestSentAt: firstSentAt,
    oldestRunsOutAt: keyRunsOutAt,
    nextRunsOutAt: isExpired || isUnsettled ? null : keyRunsOutAt,
    expired: isExpired ? 1 : 0,
    unsettled: isUnsettled && !isExpired ? 1 : 0,
  };
}

/** The result files' name for the state of a row. */
function statusOfRow({ state, originalState }: StandingRow): ResultStatus {
  return state === 'duplicate' ? duplicateStatus(originalState ?? 'staged') : resultStatus(state);
}

/**
 * A row with its whole history, for display.
 * @param batch of the row; events refer to its runs by number
 */
export function rowViewOf(history: RowHistory, batch: BatchAccount): RowView {
  const { row } = history;
  const [status, doubt] = [statusOfRow(row), doubtOf(history)];
  const { state: _, originalState: __, isExpired: ___, isUnsettled: ____, stagedAt: _____, ...known } = row;
  return {
    ...known,
    status,
    doubt,
    next: nextSteps(accountOfRow(batch, row, status, doubt)),
    history: eventsOf(history, batch.runs),
  };
}

/** The account of the batch as if the batch had only this row. */
function accountOfRow(
  batch: BatchAccount,
  { code }: Pick<StandingRow, 'code'>,
  status: ResultStatus,
  doubt: RowsInDoubt | null,
): BatchAccount {
  const isCorrected = code === 'superseded';
  const counts = { [status]: 1 };
  return {
    ...batch,
    counts,
    repeats: {},
    contradicted: 0,
    unrecorded: 0,
    corrected: isCorrected ? counts : {},
    superseded: { all: isCorrected ? counts : {}, done: {} },
    valuesRefusedIn: null,
    doubt,
  };
}

/** The oldest first; events of the same moment are in their logical order. */
function eventsOf(
  { row, requests, attempts, verdicts, lateCreations }: RowHistory,
  runs: readonly RunAccount[],
): RowEvent[] {
  const runNumber = (id: string): number | null => {
    const at = runs.findIndex((run) => run.id === id);
    return at === -1 ? null : at + 1;
  };
  const keys = new Map(requests.map(({ generation, idempotencyKey }) => [generation, idempotencyKey]));
  const events: RowEvent[] = [
    { time: row.stagedAt, event: 'staged' },
    ...requests.map(({ writtenAt: time, runId, idempotencyKey, path }): RowEvent => {
      return { time, event: 'request_written', run: runNumber(runId), idempotencyKey, path };
    }),
    ...attempts.map((attempt): RowEvent => {
      const { sentAt, recordedAt, runId, generation, number, ...answered } = attempt;
      const { outcome, reason, httpStatus, objectId, durationInMs, answer } = answered;
      return {
        ...{ time: sentAt ?? recordedAt, event: 'attempt', run: runNumber(runId), attempt: number },
        idempotencyKey: keys.get(generation) ?? null,
        ...{ outcome, reason, httpStatus, objectId, durationInMs, answer },
      };
    }),
    ...verdicts.map(({ decidedAt: time, ...rest }): RowEvent => {
      const { verdict, fromState, objectId, attempts: sent, note, decidedBy } = rest;
      return { time, event: 'verdict', verdict, fromState, objectId, attempts: sent, note, decidedBy };
    }),
    ...lateCreations.map(({ notedAt: time, objectId, idempotencyKey }): RowEvent => {
      return { time, event: 'late_answer', objectId, idempotencyKey };
    }),
  ];
  return events.sort((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0));
}
