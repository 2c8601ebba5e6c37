import { existsSync } from 'node:fs';
import { type BatchRecord, shortBatchId } from '../../domain/batches/batch.ts';
import type { Remedy } from '../../domain/failures/remedy.ts';
import type { LoggedCreation } from '../../ledger/protocol/late-creations.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { readRunLog } from '../../output/log/read-run-log.ts';
import { countOf } from '../../output/words/wording.ts';
import { runLogPath } from '../files/files-of-batch.ts';
import type { CallContext } from '../running/context.ts';
import { type Check, ok, problem, problemOf } from './check.ts';

/** The newest batches whose logs are read. */
const batchesLookedAt = 50;

const answersPerGroup = 1_000;

/** A batch whose log tells of objects that no row has. */
interface Lost {
  readonly batch: BatchRecord;
  readonly objects: number;
}

/**
 * Compares what the run logs in the folder of results say was created with what the ledger knows. Objects that it does not know, which
 * earlier versions could lose, are kept as evidence: from then on `status`, `reconcile` and every run name them.
 */
export async function checkRunLogs(app: CallContext, verbs: LedgerVerbs): Promise<Check[]> {
  let logs = 0;
  const lost: Lost[] = [];
  for (const batch of await verbs.listBatches(batchesLookedAt)) {
    const path = runLogPath(app, batch);
    if (!existsSync(path) || (await isUnderWay(verbs, batch))) continue;
    logs += 1;
    try {
      const kept = await keepLostObjects(verbs, batch, path);
      if (kept > 0) lost.push({ batch, objects: kept });
    } catch (error) {
      return [problemOf('run logs', error)];
    }
  }
  if (lost.length > 0) {
    const which = lost.map(
      ({ batch, objects }) => `${countOf(objects, 'object')} of batch ${shortBatchId(batch.id)}`,
    );
    const finding = `the logs tell of objects that no row has: ${which.join(', ')}`;
    const naming = lost.map(
      ({ batch }): Remedy => ({
        ...{ action: 'reconcile', batch: shortBatchId(batch.id), environment: batch },
        effect: 'names them',
      }),
    );
    return [problem('run logs', finding, naming, 'decision_needed')];
  }
  return logs === 0
    ? []
    : [
        ok(
          'run logs',
          `every object that ${countOf(logs, 'log')} in the folder of results tell of is in the ledger`,
        ),
      ];
}

/** A run that has not ended may have answers in its log that the ledger is about to have. */
async function isUnderWay(verbs: LedgerVerbs, batch: BatchRecord): Promise<boolean> {
  return (await verbs.listRuns(batch.id)).some(({ endedAt }) => endedAt === null);
}

/**
 * Keeps objects that a run log tells of and no row has, as evidence.
 * @returns how many there are
 */
export async function keepLostObjects(verbs: LedgerVerbs, batch: BatchRecord, path: string): Promise<number> {
  let kept = 0;
  let group: LoggedCreation[] = [];
  const keep = async (): Promise<void> => {
    kept += await verbs.keepLoggedCreations(batch.id, group);
    group = [];
  };
  for await (const event of readRunLog(path)) {
    if (event.event !== 'row.answered' || event.outcome !== 'created' || event.id === null) continue;
    const { row, key: idempotencyKey, attempt: number, status: httpStatus, id: objectId } = event;
    group.push({ row, idempotencyKey, number, httpStatus, objectId });
    if (group.length >= answersPerGroup) await keep();
  }
  await keep();
  return kept;
}
