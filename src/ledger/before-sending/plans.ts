import type { Knex } from 'knex';
import type { Kind } from '../../domain/batches/kind.ts';
import type { PlanGroup, PlanTotals, RowToPlan, SkippedGroup } from '../../domain/batches/plan.ts';
import { duplicateStatus, type RowState, resultStatus } from '../../domain/rows/row-state.ts';
import { changeRows } from '../protocol/batch-lock.ts';
import { inputOf, rowOf } from '../query/each-row.ts';
import { rangeBindings, readFirst } from '../query/pages.ts';
import { isSentRegardless } from '../query/sent-regardless.ts';
import { type Database, execute, query, stateIs } from '../query/sql.ts';

/**
 * The rows that a plan is about, in row order, after a row number: those that may be sent, and those that
 * this batch has sent already, since going on with a plan is no change of it.
 */
export function listRowsToPlan(
  database: Database,
  batchId: string,
  afterRow: number,
  limit: number,
): Promise<RowToPlan[]> {
  return readFirst(database, { batchId, afterRow, limit }, (range) =>
    query<RowToPlan>(
      database,
      `SELECT r.row_number AS row, r.state, r.resource, r.generation, i.record, ${isSentRegardless} AS "isSentRegardless"
       FROM rows_between(?, ?, ?) r
       ${inputOf('r')}
       WHERE r.state IN ('staged', 'waiting', 'ready', 'sending') OR r.first_sent_at IS NOT NULL
       ORDER BY r.row_number`,
      rangeBindings(range),
    ),
  );
}

/** Waiting rows whose objects are there by now, or about to come, are staged like any other. */
export function releaseWaiting(database: Knex, batchId: string, rows: readonly number[]): Promise<number> {
  return changeRows(
    database,
    batchId,
    `UPDATE stored_rows r SET state = 'staged', code = NULL, field = NULL, message = NULL, changed_at = now()
     FROM unnest(?::int[]) AS p (row_number)
     WHERE r.batch_id = ? AND r.row_number = p.row_number AND ${stateIs('r', 'waiting')}`,
    [rows, batchId],
  );
}

/**
 * Of these handles, those whose object is about to be created by a batch of the same import: its row is
 * going to be sent, before the rows that refer to it.
 * @param importBatches batches of this call, which count as well
 */
export async function findComing(
  database: Database,
  batchId: string,
  kind: Kind,
  handles: readonly string[],
  importBatches: readonly string[],
): Promise<Set<string>> {
  const found = await query<{ handle: string }>(
    database,
    `SELECT DISTINCT r.handle FROM batches own
     CROSS JOIN LATERAL (SELECT batch_id, row_number FROM stored_rows
       WHERE environment_id = own.environment_id AND kind = ? AND handle = ANY(?::text[]) OFFSET 0) s
     JOIN batches b ON b.id = s.batch_id ${rowOf('s')}
     WHERE own.id = ? AND r.state IN ('staged', 'ready', 'sending', 'unknown')
       AND (b.import_id = own.import_id OR b.id = ANY(?::uuid[]))`,
    [kind, handles, batchId, importBatches],
  );
  return new Set(found.map(({ handle }) => handle));
}

/** What stands to be sent and what does not, in groups, with exact sums; the batch has been planned. */
export async function sumPlan(database: Knex, batchId: string): Promise<PlanTotals> {
  return { send: await sumRowsToSend(database, batchId), skip: await countSkipped(database, batchId) };
}

/**
 * An institution's name is the directory's where a pinned list has it; the file's own where it does not.
 * Rails without a directory have none.
 */
function sumRowsToSend(database: Database, batchId: string): Promise<PlanGroup[]> {
  return query<PlanGroup>(
    database,
    `WITH named AS (
       SELECT DISTINCT ON (lower(item->>'id')) lower(item->>'id') AS id, item->>'name' AS name
       FROM batch_institution_lists p JOIN institution_lists l ON l.id = p.list_id,
         LATERAL jsonb_array_elements(l.institutions) AS item
       WHERE p.batch_id = ? ORDER BY 1)
     SELECT * FROM (
       SELECT r.resource, i.record->>'currency' AS currency,
         coalesce(n.name, i.record->>'institution_name', i.record->>'institution_id') AS institution,
         count(*)::int AS rows, count(i.record->>'amount')::int AS "rowsWithAmount",
         sum((i.record->>'amount')::numeric)::text AS amount
       FROM rows r JOIN row_inputs i USING (batch_id, row_number)
       LEFT JOIN named n ON n.id = lower(i.record->>'institution_id')
       WHERE r.batch_id = ? AND r.state IN ('staged', 'ready', 'sending', 'unknown')
       GROUP BY 1, 2, 3) AS planned
     ORDER BY resource COLLATE "C", institution COLLATE "C" NULLS FIRST, currency COLLATE "C"`,
    [batchId, batchId],
  );
}

async function countSkipped(database: Database, batchId: string): Promise<SkippedGroup[]> {
  const groups = await query<{
    state: RowState;
    originalState: Exclude<RowState, 'duplicate'> | null;
    code: string | null;
    rows: number;
    firstRow: number;
  }>(
    database,
    `SELECT r.state, o.state AS "originalState", CASE WHEN r.state = 'duplicate' THEN 'duplicate' ELSE r.code END AS code,
       count(*)::int AS rows, min(r.row_number) AS "firstRow"
     FROM rows r LEFT JOIN rows o ON r.state = 'duplicate' AND o.batch_id = r.batch_id AND o.row_number = r.same_as
     WHERE r.batch_id = ? AND r.state NOT IN ('staged', 'ready', 'sending', 'unknown')
     GROUP BY 1, 2, 3 ORDER BY 4 DESC, 5`,
    [batchId],
  );
  return groups.map(({ state, originalState, code, rows, firstRow }) => ({
    status: state === 'duplicate' ? duplicateStatus(originalState ?? 'staged') : resultStatus(state),
    code: state === 'created' ? null : code,
    rows,
    firstRow,
  }));
}

/** Keeps the totals that were shown with a hash. */
export async function savePlan(
  database: Database,
  batchId: string,
  planHash: string,
  totals: PlanTotals,
): Promise<void> {
  await execute(
    database,
    `INSERT INTO plans (batch_id, plan_hash, totals) VALUES (?, ?, ?::jsonb)
     ON CONFLICT (batch_id, plan_hash) DO UPDATE SET totals = excluded.totals, planned_at = now()`,
    [batchId, planHash, JSON.stringify(totals)],
  );
}

/** The totals that were shown with a hash; undefined when this ledger never showed it. */
export async function loadPlan(
  database: Database,
  batchId: string,
  planHash: string,
): Promise<PlanTotals | undefined> {
  const [plan] = await query<{ totals: PlanTotals }>(
    database,
    'SELECT totals FROM plans WHERE batch_id = ? AND plan_hash = ?',
    [batchId, planHash],
  );
  return plan?.totals;
}
