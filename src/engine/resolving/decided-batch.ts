/* The run under which a person's decision about a batch is recorded: it holds the batch, and sends nothing. */

import { randomUUID } from 'node:crypto';
import type { CallResult } from '../../account/result.ts';
import type { LedgerAccess } from '../../call/connections.ts';
import type { CallContext } from '../../call/context.ts';
import { findNamedBatch, requireDurableLedger } from '../../call/ledger-access.ts';
import type { BatchRecord, RunRecord } from '../../domain/batches/batch.ts';
import { type CallOutcome, PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { requireLedgerOfLogs } from '../../recover/batch-logs.ts';
import { logHead } from '../../send/batches/log-heads.ts';
import { keepLeases } from '../../send/lease.ts';
import { holdBatch } from '../../send/stage-input.ts';

/**
 * Holds a batch, closed or not, while a person's decision about it is recorded, and ends the run with the outcome of the
 * work. The batch's files and its run log name the head of its audit trail at that time.
 * @param named a batch id, or 4 or more of its first characters
 * @throws PaybatchError (`busy`) while another run holds it; that `findNamedBatch`, `requireDurableLedger` and
 *   `requireLedgerOfLogs` throw
 */
export async function withDecidedBatch<Result extends CallResult>(
  app: CallContext,
  access: LedgerAccess,
  { command, named }: { readonly command: string; readonly named: string },
  work: (batch: BatchRecord, run: RunRecord) => Promise<Result>,
): Promise<Result> {
  const { verbs } = access;
  const batch = await findNamedBatch(verbs, named);
  // It is a person's decision about real money: a power cut must not lose it.
  if (batch.mode === 'live') await requireDurableLedger(access);
  const { actor, clock } = app;
  const run = await holdBatch(batch, { ledger: verbs, command, newRunId: randomUUID, actor, ofClosed: true });
  const leases = keepLeases({ ledger: verbs, clock });
  leases.keep({ batch, run });
  let outcome: CallOutcome = 'usage';
  let result: Result;
  try {
    await requireLedgerOfLogs(app, verbs, [{ batch, run, isNew: false }]);
    result = await work(batch, run);
    outcome = result.outcome;
  } catch (error) {
    if (error instanceof PaybatchError) outcome = error.kind;
    throw error;
  } finally {
    leases.stop();
    await verbs.endRun(run.id, outcome);
  }
  if (result.batches.length === 0) return result;
  const auditHead = await logHead(app, verbs, { batch, run });
  return { ...result, batches: result.batches.map((account) => ({ ...account, auditHead })) };
}
