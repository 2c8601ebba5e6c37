/* How many rows of batches stand where. */

import type { RowTotals } from '../../domain/batches/batch-summary.ts';
import {
  duplicateStatus,
  type ResultStatus,
  type RowState,
  resultStatus,
  type StatusCounts,
} from '../../domain/rows/row-state.ts';
import { answerDiffers } from '../../domain/sending/conclusion.ts';
import { bool, int4, orNull, uuid, word } from '../query/columns.ts';
import { rowOf } from '../query/each-row.ts';
import { asFence } from '../query/planner.ts';
import { type Database, groupedById, query } from '../query/sql.ts';
import { verb } from '../query/verb.ts';

/** Rows of one state, as the tables have them. */
interface StateGroup {
  readonly id: string;
  readonly state: RowState;
  readonly originalState: Exclude<RowState, 'duplicate'> | null;
  readonly isInChunk: boolean;
  readonly count: number;
  readonly contradicted: number;
  /** Of the batch's chunks: rows that are neither created nor taken out, and those of them that are claimed. */
  readonly open: number;
  readonly claimed: number;
}

/** How many rows of a batch stand in each status; the numbers add up to the batch's rows. */
export const countStatuses = verb(
  { pool: 'long', repeatable: true },
  async (database: Database, batchId: string): Promise<StatusCounts> => {
    return (await countRowsOf(database, [batchId])).get(batchId)?.counts ?? {};
  },
);

/**
 * How many rows of batches stand in each status, and how many are contradicted, by batch. Counted without the view
 * `rows`, which would look every row up in the other tables, before each run that goes on.
 */
export async function countRowsOf(
  database: Database,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, Omit<RowTotals, 'sums'>>> {
  const groups = await query<StateGroup>(
    database,
    {
      id: uuid,
      state: word(),
      originalState: orNull(word()),
      isInChunk: bool,
      count: int4,
      contradicted: int4,
      open: int4,
      claimed: int4,
    },
    `WITH open AS (
       SELECT batch_id, sum(open_rows)::int AS open,
         coalesce(sum(open_rows) FILTER (WHERE lease_token IS NOT NULL), 0)::int AS claimed
       FROM send_chunks WHERE batch_id = ANY(?::uuid[]) GROUP BY batch_id)
     SELECT g.*, coalesce(open, 0) AS open, coalesce(claimed, 0) AS claimed FROM (
       SELECT batch_id AS id, state, NULL AS "originalState", chunk IS NOT NULL AS "isInChunk", count(*)::int AS count,
         (count(*) FILTER (WHERE state = 'created' AND code = ?))::int AS contradicted
       FROM row_states WHERE batch_id = ANY(?::uuid[]) AND state <> 'duplicate' GROUP BY 1, 2, 4
       UNION ALL
       SELECT s.batch_id, 'duplicate', r.state, false, count(*)::int, 0
       FROM (SELECT batch_id, same_as AS row_number FROM row_states
         WHERE batch_id = ANY(?::uuid[]) AND state = 'duplicate' ${asFence}) s
       ${rowOf('s')} GROUP BY 1, 3) g LEFT JOIN open ON open.batch_id = g.id`,
    [batchIds, answerDiffers, batchIds, batchIds],
  );
  return new Map([...groupedById(groups)].map(([id, each]) => [id, countedIn(each)]));
}

function countedIn(groups: readonly Omit<StateGroup, 'id'>[]): Omit<RowTotals, 'sums'> {
  const counts = new Map<ResultStatus, number>();
  const add = (status: ResultStatus, count: number): void => {
    if (count !== 0) counts.set(status, (counts.get(status) ?? 0) + count);
  };
  for (const { state, originalState, isInChunk, count, open, claimed } of groups) {
    if (state === 'duplicate') add(duplicateStatus(originalState ?? 'staged'), count);
    else if (!isInChunk) add(resultStatus(state), count);
    else {
      // What its chunk makes of a row, the row itself does not know.
      add('created', count - open);
      add(resultStatus('sending'), claimed);
      add(resultStatus('ready'), open - claimed);
    }
  }
  const contradicted = groups.reduce((sum, group) => sum + group.contradicted, 0);
  return { counts: Object.fromEntries(counts), contradicted };
}
