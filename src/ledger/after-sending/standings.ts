/* Where batches stand, for a page of them at once: the number of statements does not depend on how many they are. */

import type { Knex } from 'knex';
import type { BatchFamily } from '../../domain/batches/batch.ts';
import type { BatchStanding, RefusedAlike, RowTotals } from '../../domain/batches/batch-summary.ts';
import type { StatusCounts } from '../../domain/rows/row-state.ts';
import {
  type Corrections,
  countCorrected,
  countSupersededOf,
  findFirstBatches,
  readCorrections,
} from '../batches/families.ts';
import { listRunsOf } from '../batches/runs.ts';
import { countUnrecordedOf } from '../protocol/late-creations.ts';
import { json, orNull, uuid } from '../query/columns.ts';
import { type Database, execute, query } from '../query/sql.ts';
import { verb } from '../query/verb.ts';
import { countRowsOf } from './row-counts.ts';
import { readDoubts, readUnansweredOf, readWaitingOf } from './unfinished.ts';

/** A batch, and how long its rows may be sent again under their keys. */
export interface BatchToRead {
  readonly id: string;
  readonly keyLifetimeInMs: number;
}

/**
 * Where batches stand, in one view of the ledger. Only rows of batches that have changed since a run last added them up
 * are counted.
 * @returns by batch
 */
export const readStandings = verb(
  { pool: 'long', repeatable: true },
  (database: Knex, batches: readonly BatchToRead[]): Promise<ReadonlyMap<string, BatchStanding>> => {
    return database.transaction((transaction) => standingsIn(transaction, batches), {
      isolationLevel: 'repeatable read',
    });
  },
);

async function standingsIn(
  transaction: Database,
  batches: readonly BatchToRead[],
): Promise<ReadonlyMap<string, BatchStanding>> {
  const ids = batches.map(({ id }) => id);
  const firsts = await findFirstBatches(transaction, ids);
  const corrections =
    firsts.size === 0
      ? new Map<string, Corrections>()
      : await readCorrections(transaction, [...new Set(firsts.values())]);
  const kept = await readKept(transaction, [...new Set([...ids, ...corrections.keys()])]);
  const changed = [...kept].flatMap(([id, { totals }]) => (totals === null ? [id] : []));
  const counted = changed.length === 0 ? new Map() : await countRowsOf(transaction, changed);
  const totalsOf = (id: string): Pick<BatchStanding, 'counts' | 'contradicted' | 'sums'> =>
    kept.get(id)?.totals ?? { ...(counted.get(id) ?? { counts: {}, contradicted: 0 }), sums: null };
  const inFamilies = new Map([...firsts].filter(([, firstId]) => corrections.has(firstId)));
  const isAlone = inFamilies.size === 0;
  const corrected = isAlone ? new Map() : await countCorrected(transaction, inFamilies);
  const superseded = isAlone ? new Map() : await countSupersededOf(transaction, [...inFamilies.keys()]);
  const unrecorded = await countUnrecordedOf(transaction, ids);
  const doubts = await readDoubts(transaction, batches);
  const unanswered = await readUnansweredOf(transaction, ids);
  const waitingIds = ids.filter((id) => (totalsOf(id).counts.waiting ?? 0) > 0);
  const waiting = waitingIds.length === 0 ? new Map() : await readWaitingOf(transaction, waitingIds);
  const runs = await listRunsOf(transaction, ids);
  return new Map(
    ids.map((id) => {
      const ofFirst = corrections.get(firsts.get(id) ?? id);
      return [
        id,
        {
          ...totalsOf(id),
          unrecorded: unrecorded.get(id) ?? 0,
          corrected: corrected.get(id) ?? 0,
          superseded: superseded.get(id) ?? { all: {}, done: {} },
          doubt: doubts.get(id) ?? null,
          unanswered: unanswered.get(id) ?? null,
          refusedAlike: kept.get(id)?.refusedAlike ?? null,
          waiting: waiting.get(id) ?? [],
          family: ofFirst === undefined ? null : familyOf(ofFirst, totalsOf(ofFirst.firstId).counts),
          runs: runs.get(id) ?? [],
        },
      ];
    }),
  );
}

/** @param counts of the first batch */
function familyOf({ firstId, batches, doneOnlyHere }: Corrections, counts: StatusCounts): BatchFamily {
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const { created = 0, existing = 0 } = counts;
  return { first: { id: firstId, rows }, doneRows: created + existing + doneOnlyHere, corrections: batches };
}

/** What stands in a batch's own line. */
interface KeptOfBatch {
  readonly refusedAlike: RefusedAlike | null;
  /** Null where rows have changed since they were added up. */
  readonly totals: RowTotals | null;
}

async function readKept(
  transaction: Database,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, KeptOfBatch>> {
  const found = await query<KeptOfBatch & { readonly id: string }>(
    transaction,
    { id: uuid, refusedAlike: orNull(json()), totals: orNull(json()) },
    `SELECT id, refused_alike AS "refusedAlike", CASE WHEN totals_revision = revision THEN totals END AS totals
     FROM batches WHERE id = ANY(?::uuid[])`,
    [batchIds],
  );
  return new Map(found.map(({ id, ...kept }) => [id, kept]));
}

/**
 * Keeps what the rows of a batch add up to, so that nobody has to count them while they stay as they are.
 * @param revision the batch's from before the rows were read; should a row have changed since, nothing is kept
 */
export const keepRowTotals = verb(
  { pool: 'long', repeatable: true },
  async (
    database: Database,
    batchId: string,
    revision: string,
    { counts, contradicted, sums }: RowTotals,
  ): Promise<void> => {
    await execute(
      database,
      'UPDATE batches SET totals = ?::jsonb, totals_revision = revision WHERE id = ? AND revision = ?',
      [JSON.stringify({ counts, contradicted, sums }), batchId, revision],
    );
  },
);
