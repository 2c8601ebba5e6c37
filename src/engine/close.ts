/* Closes a batch: no run continues it, and its rows that were never sent stay unsent. */

import type { WrittenBatches } from '../account/result.ts';
import type { CallContext } from '../call/context.ts';
import { requireOutFolder } from '../disk/file-system.ts';
import { type BatchClosing, type BatchRecord, shortBatchId } from '../domain/batches/batch.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { closeUnsentRows, supersedeOwnRows } from '../send/batches/settle.ts';
import { withDecidedBatch, withRun } from '../send/run.ts';

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
  return withDecidedBatch(app, access, { command: 'close', named: request.batch }, async (own, leases) => {
    const { batch, run } = own;
    // A row that is corrected elsewhere is marked so, whatever happens to its batch.
    await supersedeOwnRows(app, verbs, batch.id);
    const closed = await verbs.closeBatch(batch.id, { by: app.actor.name, note });
    if (closed === 'in_doubt') throw rowsInDoubt(batch);
    // If a crash has cut off an earlier call, this one completes it. Otherwise only the files are left to be written.
    const isComplete = closed === 'closed_before' && (await wasCompleted(verbs, batch.id));
    let closedRows = 0;
    const kind = isComplete ? 'decides' : 'closes';
    const { account } = await withRun(
      app,
      access,
      own,
      { kind, outcomeOf: () => 'done', leases },
      async ({ runLog }) => {
        if (runLog === undefined) return;
        runLog.append([{ event: 'batch.closed', run: run.id }]);
        // On disk before the call reports success: a ledger that is lost after that, and recovered from the log, does not
        // send its rows.
        await runLog.seal();
        closedRows = await closeUnsentRows(verbs, batch.id);
      },
    );
    const { closing, environment } = account;
    if (closing === null) throw new Error('a batch was closed and is not');
    const isNew = closed === 'closed';
    return { outcome: 'done', batches: [account], failure: null, environment, closing, closedRows, isNew };
  });
}

/** Whether an earlier call has closed the batch completely: rows, log and files. */
async function wasCompleted(verbs: LedgerVerbs, batchId: string): Promise<boolean> {
  const runs = await verbs.listRuns(batchId);
  return runs.some(({ command, outcome }) => command === 'close' && outcome === 'done');
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
