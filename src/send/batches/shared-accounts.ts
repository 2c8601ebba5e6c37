/* Accounts that several rows of one file have: what is found once it is read to its end. */

import type { BatchRecord } from '../../domain/batches/batch.ts';
import type { PayeeChange } from '../../domain/rows/payee-change.ts';
import { definitionNamed } from '../../kinds/registry.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { payeeKeysOf } from '../../watch/payee.ts';

type FindingVerbs = Pick<LedgerVerbs, 'listSharedRows' | 'findEarlierPayees' | 'noteLaterFindings'>;

/** So many rows are looked up at once. */
const rowsAtOnce = 1_000;

/**
 * Of two rows of a file that share an account, the later one was found when it was read: gives the earlier one the same
 * finding, since nobody knows which of the two is right.
 */
export async function noteSharedRows(
  verbs: FindingVerbs,
  batch: Pick<BatchRecord, 'id' | 'environmentId'>,
): Promise<void> {
  const shared = await verbs.listSharedRows(batch.id);
  for (let at = 0; at < shared.length; at += rowsAtOnce) {
    const group = shared.slice(at, at + rowsAtOnce);
    const found = await verbs.findEarlierPayees(group.map(({ row }) => ({ batch: batch.id, row })));
    const rows = new Map(found.map((each) => [each.row, each]));
    const changes = group.flatMap(({ row, sharedBy }): PayeeChange[] => {
      const { resource = null, record = {} } = rows.get(row) ?? {};
      const keys = resource === null ? null : payeeKeysOf(definitionNamed(resource), record);
      return keys === null
        ? []
        : [{ row, code: 'account_shared', earlier: { batch: null, row: sharedBy }, keys }];
    });
    await verbs.noteLaterFindings(batch, changes);
  }
}
