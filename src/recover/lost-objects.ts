/* Objects that a run log has and no row has. */

import { readRunLog } from '../disk/log/read-run-log.ts';
import type { BatchRecord } from '../domain/batches/batch.ts';
import type { LoggedCreation } from '../ledger/protocol/late-creations.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

const answersPerGroup = 1_000;
const answersAlone: ReadonlySet<'row.answered'> = new Set(['row.answered']);

/**
 * Keeps objects that a run log has and no row has, as evidence.
 * @returns how many there are
 */
export async function keepLostObjects(verbs: LedgerVerbs, batch: BatchRecord, path: string): Promise<number> {
  let kept = 0;
  let group: LoggedCreation[] = [];
  const keep = async (): Promise<void> => {
    kept += await verbs.keepLoggedCreations(batch.id, group);
    group = [];
  };
  for await (const event of readRunLog(path, { events: answersAlone, passesOverDamage: true })) {
    if (event.event !== 'row.answered' || event.outcome !== 'created' || event.id === null) continue;
    const { row, key: idempotencyKey, attempt: number, status: httpStatus, id: objectId } = event;
    group.push({ row, idempotencyKey, number, httpStatus, objectId });
    if (group.length >= answersPerGroup) await keep();
  }
  await keep();
  return kept;
}
