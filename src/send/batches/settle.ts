/*
 * Settles batches before any of their rows is sent: their families, rows of closed batches, and payees that have changed.
 */

import { existsSync } from 'node:fs';
import { runLogPath } from '../../account/batch-files/files-of-batch.ts';
import type { LedgerAccess } from '../../call/connections.ts';
import type { CallContext } from '../../call/context.ts';
import { openRunLog } from '../../disk/log/run-log.ts';
import type { LeasedBatch } from '../../domain/batches/batch.ts';
import type { OpenFinding } from '../../ledger/before-sending/payee-changes.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { heldReason } from '../../watch/payee-comparison.ts';
import { whileLeased } from '../lease.ts';

/**
 * Separates the rows of leased batches from their corrections and other readings. Holds rows whose payees have changed, if
 * the settings require it. Runs before any row is checked again or sent.
 */
export function settleLeased(
  app: CallContext,
  access: LedgerAccess,
  held: readonly LeasedBatch[],
): Promise<void> {
  return whileLeased({ ledger: access.verbs, clock: app.clock }, held, async () => {
    for (const { batch } of held) {
      await settleBatch(app, access.verbs, batch.id);
      if (app.settings.controls.changes === 'hold') await holdChangedPayees(access.verbs, batch.id);
    }
  });
}

/**
 * Reconciles a batch with the batches of its family: rows that are corrected elsewhere are not sent any more, and
 * corrections that waited for a doubt continue once it is settled. Runs before any row of the batch is prepared or put
 * back. Each step locks one batch. It also completes what earlier steps left to do, for example after the program was
 * killed between them.
 * @returns the batches of its family with corrections that waited for a doubt and continue now
 */
export async function settleBatch(
  app: CallContext,
  verbs: LedgerVerbs,
  batchId: string,
): Promise<readonly string[]> {
  const relatives = await verbs.listRelatives(batchId);
  if (relatives.length === 0) return [];
  const family = [...relatives, batchId];
  for (const id of family) await supersedeOwnRows(app, verbs, id);
  const released: string[] = [];
  for (const id of family) if ((await verbs.releaseCorrections(id)) > 0) released.push(id);
  return released;
}

/**
 * Marks the rows of a batch that are corrected in another batch, so that they are not sent. Rows of other batches that this
 * batch corrects are not changed. A superseded row is written to the log of its own batch before its correction is sent. If
 * the ledger is lost later and recovered from this log alone, the recovered ledger does not send the row either.
 */
export async function supersedeOwnRows(app: CallContext, verbs: LedgerVerbs, batchId: string): Promise<void> {
  let afterRow: number | null = 0;
  while (afterRow !== null) {
    const { rows, lastRow }: Awaited<ReturnType<LedgerVerbs['supersedeCorrected']>> =
      await verbs.supersedeCorrected(batchId, afterRow);
    if (rows.length > 0) await logSuperseded(app, verbs, batchId, rows);
    afterRow = lastRow;
  }
}

/**
 * Marks the rows of a closed batch that were never sent, so that they stay unsent. A second call completes what a crash has
 * left undone. If the batch is not closed, no row is changed.
 * @returns how many rows were changed
 */
export async function closeUnsentRows(
  verbs: Pick<LedgerVerbs, 'closeUnsentRows'>,
  batchId: string,
): Promise<number> {
  let moved = 0;
  let afterRow: number | null = 0;
  while (afterRow !== null) {
    const page: Awaited<ReturnType<LedgerVerbs['closeUnsentRows']>> = await verbs.closeUnsentRows(
      batchId,
      afterRow,
    );
    moved += page.rows;
    afterRow = page.lastRow;
  }
  return moved;
}

async function logSuperseded(
  app: CallContext,
  verbs: LedgerVerbs,
  batchId: string,
  rows: readonly number[],
): Promise<void> {
  const batch = await verbs.findBatch(batchId);
  if (batch === undefined) throw new Error('a batch of a family is not there');
  const logged = await verbs.findRowsToLog(batchId, rows);
  const paths = new Set([runLogPath(app, batch), ...(await verbs.listRunLogs(batchId))]);
  for (const path of [...paths].filter((each) => existsSync(each))) {
    const runLog = await openRunLog(path, { batch: batchId, now: app.clock.now });
    try {
      runLog.append(logged.map((row) => ({ event: 'row.final', ...row, id: null, code: 'superseded' })));
      await runLog.flush();
    } finally {
      await runLog.close();
    }
  }
}

/* Rows that wait for a person because their payees differ from the known ones. */

/**
 * Holds the rows of a batch that have findings, would be sent, and have no decision. These are rows that were staged before
 * holding was switched on, and rows whose finding was made after staging.
 */
async function holdChangedPayees(verbs: LedgerVerbs, batchId: string): Promise<void> {
  for (let afterRow = 0; ; ) {
    const findings = await verbs.listOpenFindings(batchId, afterRow);
    const last = findings.at(-1);
    if (last === undefined) return;
    afterRow = last.row;
    const rows = [...new Set(findings.map(({ row }) => row))].map((row) => ({
      row,
      to: 'held' as const,
      findings: [],
      reason: reasonOf(
        findings.filter((finding) => finding.row === row),
        batchId,
      ),
    }));
    await verbs.writeRechecked(batchId, rows);
  }
}

function reasonOf(findings: readonly OpenFinding[], batchId: string): ReturnType<typeof heldReason> {
  const [first] = findings;
  const places = findings.map(({ code, earlierBatch, earlierRow }) => ({
    code,
    earlier: { batch: earlierBatch === batchId ? null : earlierBatch, row: earlierRow },
  }));
  return heldReason(places, first?.resource ?? null);
}
