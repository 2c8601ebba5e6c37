/* Closes a batch: no run continues it, and its rows that were never sent stay unsent. */

import { writeBatchFiles } from '../account/batch-files/files-of-batch.ts';
import type { WrittenBatches } from '../account/result.ts';
import type { CallContext } from '../call/context.ts';
import { finishedEvent, type RunEvent } from '../disk/log/run-event.ts';
import { requireOutFolder } from '../disk/out-folder.ts';
import type { BatchAccount } from '../domain/batches/account.ts';
import {
  type BatchClosing,
  type BatchRecord,
  type RunRecord,
  shortBatchId,
} from '../domain/batches/batch.ts';
import { type CallOutcome, PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { ResultRow } from '../domain/rows/result-row.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { openCompletedLog, startedEvent } from '../send/batches/log-of-run.ts';
import { supersedeOwnRows } from '../send/batches/settle.ts';
import { closeUnsentRows } from './resolving/closed-rows.ts';
import { withDecidedBatch } from './resolving/decided-batch.ts';

/** A batch to close. */
interface CloseRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  /** Why; kept in the ledger. */
  readonly note: string;
}

/** A batch that is closed. */
export interface CloseResult extends WrittenBatches {
  readonly closing: BatchClosing;
  /** Number of rows that this call has taken out of what is to be sent. */
  readonly closedRows: number;
  /** Whether this call has closed it; false when an earlier call had. */
  readonly isNew: boolean;
}

/**
 * Closes a batch and writes its result files again. Nothing is sent, and nothing is reversed. A batch that is closed
 * already is not changed, and keeps its first note.
 * @throws PaybatchError (`usage`) without a note; (`busy`) while a run is alive; (`rows_in_doubt`) when rows may exist
 */
export async function closeBatch(app: CallContext, request: CloseRequest): Promise<CloseResult> {
  const note = request.note.trim();
  if (note === '') throw withoutNote();
  await requireOutFolder(app.settings.output);
  const access = await app.connections.ledger();
  const { verbs } = access;
  return withDecidedBatch(app, access, { command: 'close', named: request.batch }, async (batch, run) => {
    // A row that is corrected elsewhere is marked so, whatever happens to its batch.
    await supersedeOwnRows(app, verbs, batch.id);
    const closed = await verbs.closeBatch(batch.id, { by: app.actor.name, note });
    if (closed === 'in_doubt') throw rowsInDoubt(batch);
    const isComplete = closed === 'closed_before' && (await wasCompleted(verbs, batch.id));
    const result = await (isComplete ? lookAgain : complete)(app, verbs, batch, run);
    return { ...result, isNew: closed === 'closed' };
  });
}

/** Whether an earlier call has closed the batch completely: rows, log and files. */
async function wasCompleted(verbs: LedgerVerbs, batchId: string): Promise<boolean> {
  const runs = await verbs.listRuns(batchId);
  return runs.some(({ command, outcome }) => command === 'close' && outcome === 'done');
}

type ClosedBatch = Omit<CloseResult, 'isNew'>;

/** The steps after a batch is closed. If a crash cuts them off, the next call repeats them. */
async function complete(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  run: RunRecord,
): Promise<ClosedBatch> {
  const own = { batch, run, isNew: false };
  const { runLog, completed } = await openCompletedLog(app, verbs, own);
  try {
    runLog.append([await startedEvent(verbs, own, null), { event: 'batch.closed', run: run.id }]);
    // On disk before the call reports success: a ledger that is lost after that, and recovered from the log, does not
    // send its rows.
    await runLog.seal();
    const closedRows = await closeUnsentRows(verbs, batch.id);
    const account = await writeBatchFiles(app, verbs, batch, endingIn(run), async (rows) => {
      runLog.append(closedEvents(rows));
      await runLog.flush();
    });
    runLog.append([finishedEvent(run.id, account.counts, 'done')]);
    return closedBatch(account, closedRows);
  } finally {
    await runLog.close();
    await verbs.noteLogged([run.id, ...completed.map(({ id }) => id)]);
  }
}

/** Nothing is left to do: writes the files as `results` does. */
async function lookAgain(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  run: RunRecord,
): Promise<ClosedBatch> {
  return closedBatch(await writeBatchFiles(app, verbs, batch, endingIn(run)), 0);
}

function endingIn({ id }: RunRecord): { readonly runId: string; readonly outcome: () => CallOutcome } {
  return { runId: id, outcome: () => 'done' };
}

function closedBatch(account: BatchAccount, closedRows: number): ClosedBatch {
  const { closing, environment } = account;
  if (closing === null) throw new Error('a batch was closed and is not');
  return { outcome: 'done', batches: [account], failure: null, environment, closing, closedRows };
}

/**
 * The events of closed rows. A row whose key is in the log was never sent: without these lines, a recovery would take it
 * for one in doubt.
 */
function closedEvents(rows: readonly ResultRow[]): RunEvent[] {
  return rows
    .filter(({ code }) => code === 'closed')
    .map(({ row, idempotencyKey: key, attempts: attempt, status }) => ({
      ...({ event: 'row.final', row, key, attempt, status, id: null, code: 'closed' } as const),
    }));
}

function withoutNote(): PaybatchError {
  return new PaybatchError('usage', 'A batch is closed with a note that says why. Nothing was changed.', {
    action: 'set',
    oneOf: [{ setting: 'note' }],
  });
}

function rowsInDoubt({ id, mode, origin }: BatchRecord): PaybatchError {
  const of = { batch: shortBatchId(id), environment: { mode, origin } };
  return new PaybatchError(
    'rows_in_doubt',
    'Rows of the batch were sent and have no conclusive answer: they may exist. They have to be decided before the batch is closed. Nothing was changed.',
    [
      { action: 'reconcile', ...of, effect: 'writes them into a file for verdicts' },
      { action: 'reconcile', ...of, replay: true, effect: 'sends them alone again, under their own keys' },
    ],
  );
}
