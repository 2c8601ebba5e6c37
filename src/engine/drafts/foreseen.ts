/*
 * What the plan of a correction would decide about rows that pass the check: it looks at the objects of other rows, which
 * the check of a corrected row leaves to it.
 */

import type { BatchRecord } from '../../domain/batches/batch.ts';
import type { Reason, StagedRow } from '../../domain/rows/ledger-row.ts';
import type { ResultRow } from '../../domain/rows/result-row.ts';
import type { ResultStatus } from '../../domain/rows/row-state.ts';
import { judgeRival, type ReferencePort } from '../../kinds/request.ts';
import { candidatesOf, fatesOf } from '../../send/prepare.ts';

/** A row that passes the check as it is in the draft. */
export interface PassingRow {
  readonly staged: Pick<StagedRow, 'resource' | 'record'>;
  /** The row that it corrects. */
  readonly original: Pick<ResultRow, 'row' | 'status' | 'attempts'>;
}

/** Why a plan would not send a row. */
interface Foreseen {
  readonly status: Extract<ResultStatus, 'held' | 'waiting' | 'existing'>;
  readonly reason: Reason;
}

/** Of these rows those that a plan of their corrections would not send now, by the numbers of the rows that they correct. */
export async function foreseenFates(
  references: ReferencePort,
  batch: Pick<BatchRecord, 'id' | 'fileName'>,
  rows: readonly PassingRow[],
): Promise<ReadonlyMap<number, Foreseen>> {
  const corrected = new Set(rows.map(({ original }) => original.row));
  const candidates = await candidatesOf(
    { references },
    rows.flatMap(({ staged: { resource, record }, original: { row } }) =>
      resource === null ? [] : [{ row, resource, record, generation: 0 }],
    ),
  );
  const context = {
    batchId: batch.id,
    references: withoutOwn(references, batch.id, corrected),
    isPlanned: true,
  };
  const fates = await fatesOf(context, candidates);
  const foreseen = new Map<number, Foreseen>();
  for (const fate of fates) {
    if (fate.to !== 'ready') foreseen.set(fate.row, { status: fate.to, reason: fate.reason });
  }
  for (const { original } of rows) {
    if (original.status !== 'held' || original.attempts === 0) continue;
    const rival = {
      ...original,
      state: 'held',
      batch: batch.id,
      fileName: batch.fileName,
      objectId: null,
    } as const;
    foreseen.set(original.row, { status: 'held', reason: judgeRival(rival).reason });
  }
  return foreseen;
}

/** A row that was never sent gives its key up once its correction is planned. */
function withoutOwn(
  references: ReferencePort,
  batchId: string,
  corrected: ReadonlySet<number>,
): ReferencePort {
  return {
    ...references,
    findKeyOwners: async (kind, keys) => {
      const owners = await references.findKeyOwners(kind, keys);
      return new Map(
        [...owners].filter(
          ([, { batch, row, state }]) => !(batch === batchId && state === 'ready' && corrected.has(row)),
        ),
      );
    },
  };
}
