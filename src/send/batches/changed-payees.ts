/* Rows whose payees differ from those that are known, and that wait for a person. */

import type { OpenFinding } from '../../ledger/before-sending/payee-changes.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { heldReason } from '../../watch/payee-watch.ts';

/**
 * Holds the rows of a batch that have findings, would be sent, and about which nobody has decided: those that were staged
 * when nobody wanted them held, and those whose finding came after they were staged.
 * @returns how many rows were moved
 */
export async function holdChangedPayees(
  verbs: Pick<LedgerVerbs, 'listOpenFindings' | 'writeRechecked'>,
  batchId: string,
): Promise<number> {
  let [held, afterRow] = [0, 0];
  for (;;) {
    const findings = await verbs.listOpenFindings(batchId, afterRow);
    const last = findings.at(-1);
    if (last === undefined) return held;
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
    held += await verbs.writeRechecked(batchId, rows);
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
