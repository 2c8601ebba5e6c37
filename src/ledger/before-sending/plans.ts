/* Plans: the rows that would be sent, their sums, and the hash that a person confirmed. */

import type { Knex } from 'knex';
import type {
  ForeseenRows,
  PlanGroup,
  PlanTotals,
  RowToPlan,
  ShownPlan,
  SkippedGroup,
} from '../../domain/batches/account.ts';
import type { Kind } from '../../domain/batches/batch.ts';
import { duplicateStatus, type RowState, resultStatus } from '../../domain/rows/row-state.ts';
import { changeRows } from '../protocol/batch-lock.ts';
import * as arrays from '../query/arrays.ts';
import {
  asFence,
  inputOf,
  isAt,
  isSentRegardless,
  type RowRange,
  rangeBindings,
  readPages,
  rowOf,
  rowStateOf,
  stateIs,
} from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/**
 * The rows of a plan, in row order, in groups: rows that may be sent, and rows that this batch has sent already. Sent rows
 * stay in the plan, so continuing a plan does not change it.
 * @param fromAfter the row number after which to begin
 */
export const readRowsToPlan = sql.verb(
  { pool: 'short', repeatable: { fromRow: 3 } },
  (database: sql.Database, batchId: string, fromAfter = 0): AsyncGenerator<readonly RowToPlan[]> => {
    const read = (range: RowRange): Promise<RowToPlan[]> =>
      sql.query<RowToPlan>(
        database,
        {
          row: sql.int4,
          state: sql.word(),
          resource: sql.text,
          generation: sql.int4,
          record: sql.json(),
          isSentRegardless: sql.bool,
          hasFamily: sql.bool,
        },
        `SELECT r.row_number AS row, r.state, r.resource, r.generation, i.record, ${isSentRegardless} AS "isSentRegardless",
           f.has_origin IS TRUE AS "hasFamily"
         FROM rows_between(?, ?, ?) r
         ${inputOf('r')}
         LEFT JOIN LATERAL (SELECT origin_batch IS NOT NULL AS has_origin FROM row_states
           WHERE ${hasFamilies} AND batch_id = r.batch_id AND row_number = r.row_number ${asFence}) f ON true
         WHERE r.state IN ('staged', 'waiting', 'ready', 'sending') OR r.first_sent_at IS NOT NULL
         ORDER BY r.row_number`,
        [...rangeBindings(range), batchId, batchId],
      );
    return readPages(database, batchId, read, fromAfter);
  },
);

/**
 * SQL: any row of a batch corrects another row, or is corrected. It runs once for a page; its binding is the batch's id,
 * twice.
 */
const hasFamilies = `(EXISTS (SELECT FROM corrected_rows WHERE batch_id = ?)
  OR EXISTS (SELECT FROM corrected_rows WHERE first_batch_id = ?))`;

/** Stages waiting rows again: the objects that they wait for exist now or are about to be created. @returns how many */
export const releaseWaiting = sql.longVerbOnce(
  (database: Knex, batchId: string, rows: readonly number[]): Promise<number> =>
    changeRows(
      database,
      batchId,
      `UPDATE row_states r SET state = 'staged', code = NULL, field = NULL, message = NULL, changed_at = now()
       FROM unnest(?::int[]) AS p (row_number)
       ${rowStateOf('p')} WHERE ${isAt('r', 's')} AND ${stateIs('r', 'waiting')}`,
      [rows, batchId],
    ),
);

/**
 * The handles among these whose object is about to be created by a batch of the same import. The row of that object is sent
 * before the rows that refer to it.
 * @param importBatches batches of this call, which count as well
 */
export const findComing = sql.longVerbOnce(
  async (
    database: sql.Database,
    batchId: string,
    kind: Kind,
    handles: readonly string[],
    importBatches: readonly string[],
  ): Promise<Set<string>> => {
    return new Set(
      await sql.valuesOf(
        database,
        sql.text,
        `SELECT DISTINCT r.handle FROM batches own
       CROSS JOIN LATERAL (SELECT batch_id, row_number FROM row_states
         WHERE environment_id = own.environment_id AND kind = ? AND handle = ANY(?::text[]) ${asFence}) s
       JOIN batches b ON b.id = s.batch_id ${rowOf('s')}
       WHERE own.id = ? AND r.state IN ('staged', 'ready', 'sending', 'unknown')
         AND (b.import_id = own.import_id OR b.id = ANY(?::uuid[]))`,
        [kind, handles, batchId, importBatches],
      ),
    );
  },
);

/**
 * The rows to be sent and the other rows of a planned batch, in groups, with exact sums.
 * @param foreseen rows that a run would move, if the plan is only shown
 */
export const sumPlan = sql.longVerbOnce(
  async (database: Knex, batchId: string, foreseen: ForeseenRows = nothingForeseen): Promise<PlanTotals> => ({
    send: await sumRowsToSend(database, batchId, foreseen),
    skip: await countSkipped(database, batchId, foreseen),
  }),
);

const nothingForeseen: ForeseenRows = { left: [], released: [] };

/**
 * SQL: row state `s` was created by the first answer to its chunk. Each row is looked up by its key, here and below. With
 * the view `rows` of a whole batch, the planner may compare each row with each creation.
 */
const isCreatedInChunk = `(s.chunk IS NOT NULL AND EXISTS (SELECT FROM created_objects f
  WHERE f.batch_id = s.batch_id AND f.row_number = s.row_number ${asFence}))`;

/** States of rows that are to be sent, or are being sent. */
const toSend = "('staged', 'ready', 'sending', 'unknown')";

/**
 * The name of an institution comes from a pinned list of the directory, or else from the file. Rails without a directory
 * have no names.
 */
function sumRowsToSend(
  database: sql.Database,
  batchId: string,
  { left, released }: ForeseenRows,
): Promise<PlanGroup[]> {
  const isSent = `s.state IN ${toSend} AND NOT ${isCreatedInChunk}`;
  const [condition, bindings] =
    left.length + released.length === 0
      ? [isSent, []]
      : [
          `(${isSent} AND s.row_number <> ALL(?::int[]) OR s.state = 'waiting' AND s.row_number = ANY(?::int[]))`,
          [arrays.numbersLiteral(left.map(({ row }) => row)), arrays.numbersLiteral(released)],
        ];
  return sql.query<PlanGroup>(
    database,
    {
      resource: sql.text,
      institution: sql.orNull(sql.text),
      currency: sql.orNull(sql.text),
      rows: sql.int4,
      rowsWithAmount: sql.int4,
      amount: sql.orNull(sql.text),
    },
    `WITH named AS (
       SELECT DISTINCT ON (lower(item->>'id')) lower(item->>'id') AS id, item->>'name' AS name
       FROM batch_institution_lists p JOIN institution_lists l ON l.id = p.list_id,
         LATERAL jsonb_array_elements(l.institutions) AS item
       WHERE p.batch_id = ? ORDER BY 1),
     -- Named when they are few: it takes a look at each name for every group.
     groups AS MATERIALIZED (
       SELECT s.resource, i.record->>'currency' AS currency, i.record->>'institution_id' AS institution_id,
         i.record->>'institution_name' AS institution_name, count(*) AS rows,
         count(i.record->>'amount') AS rows_with_amount, sum((i.record->>'amount')::numeric) AS amount
       FROM row_states s ${inputOf('s')}
       WHERE s.batch_id = ? AND ${condition}
       GROUP BY 1, 2, 3, 4)
     SELECT * FROM (
       SELECT g.resource, g.currency, coalesce(n.name, g.institution_name, g.institution_id) AS institution,
         sum(g.rows)::int AS rows, sum(g.rows_with_amount)::int AS "rowsWithAmount", sum(g.amount)::text AS amount
       FROM groups g LEFT JOIN named n ON n.id = lower(g.institution_id)
       GROUP BY 1, 2, 3) AS planned
     ORDER BY resource COLLATE "C", institution COLLATE "C" NULLS FIRST, currency COLLATE "C"`,
    [batchId, batchId, ...bindings],
  );
}

async function countSkipped(
  database: sql.Database,
  batchId: string,
  { left, released }: ForeseenRows,
): Promise<SkippedGroup[]> {
  const moved = [...released, ...left.map(({ row }) => row)];
  const known = await countKeptBack(database, batchId, moved);
  if (left.length === 0) return known;
  const all = new Map(known.map((group) => [`${group.status} ${group.code}`, group]));
  for (const { row, status, code } of left) {
    const group = all.get(`${status} ${code}`) ?? { status, code, rows: 0, firstRow: row };
    const firstRow = Math.min(group.firstRow, row);
    all.set(`${status} ${code}`, { ...group, rows: group.rows + 1, firstRow });
  }
  return [...all.values()].sort((one, other) => other.rows - one.rows || one.firstRow - other.firstRow);
}

/** @param moved rows that do not count if they are waiting */
async function countKeptBack(
  database: sql.Database,
  batchId: string,
  moved: readonly number[],
): Promise<SkippedGroup[]> {
  const groups = await sql.query(
    database,
    {
      state: sql.word<RowState>(),
      originalState: sql.orNull(sql.word<Exclude<RowState, 'duplicate'>>()),
      code: sql.orNull(sql.text),
      rows: sql.int4,
      firstRow: sql.int4,
    },
    `SELECT state, "originalState", code, count(*)::int AS rows, min(row_number) AS "firstRow"
     FROM (
       SELECT CASE WHEN s.state IN ${toSend} THEN 'created' ELSE s.state END AS state, NULL AS "originalState", s.code,
         s.row_number
       FROM row_states s
       WHERE s.batch_id = ? AND s.state <> 'duplicate' AND (s.state NOT IN ${toSend} OR ${isCreatedInChunk})
         ${moved.length === 0 ? '' : "AND NOT (s.state = 'waiting' AND s.row_number = ANY(?::int[]))"}
       UNION ALL
       SELECT 'duplicate', r.state, 'duplicate', s.repeated_in
       FROM (SELECT batch_id, same_as AS row_number, row_number AS repeated_in FROM row_states
         WHERE batch_id = ? AND state = 'duplicate' ${asFence}) s
       ${rowOf('s')}) skipped
     GROUP BY 1, 2, 3 ORDER BY 4 DESC, 5`,
    [batchId, ...(moved.length === 0 ? [] : [arrays.numbersLiteral(moved)]), batchId],
  );
  return groups.map(({ state, originalState, code, rows, firstRow }) => ({
    status: state === 'duplicate' ? duplicateStatus(originalState ?? 'staged') : resultStatus(state),
    code: state === 'created' ? null : code,
    rows,
    firstRow,
  }));
}

/** Stores the totals that a person saw together with a hash. */
export const savePlan = sql.longVerbOnce(
  (database: sql.Database, batchId: string, planHash: string, totals: PlanTotals): Promise<void> =>
    sql.run(
      database,
      `INSERT INTO plans (batch_id, plan_hash, totals) VALUES (?, ?, ?::jsonb)
       ON CONFLICT (batch_id, plan_hash) DO UPDATE SET totals = excluded.totals, planned_at = now()`,
      [batchId, planHash, JSON.stringify(totals)],
    ),
);

/** The totals that were shown with a hash; undefined if this ledger never showed the hash. */
export const loadPlan = sql.longVerbOnce(
  (database: sql.Database, batchId: string, planHash: string): Promise<PlanTotals | undefined> =>
    sql.findValue(
      database,
      sql.json<PlanTotals>(),
      'SELECT totals FROM plans WHERE batch_id = ? AND plan_hash = ?',
      [batchId, planHash],
    ),
);

/** The stored plan of a batch that was made last; undefined if the batch was never planned. */
export const readNewestPlan = sql.shortVerb(
  (database: sql.Database, batchId: string): Promise<ShownPlan | undefined> =>
    sql.findRow<ShownPlan>(
      database,
      { planHash: sql.text, totals: sql.json<PlanTotals>() },
      `SELECT plan_hash AS "planHash", totals FROM plans WHERE batch_id = ? ORDER BY planned_at DESC, plan_hash LIMIT 1`,
      [batchId],
    ),
);

/**
 * A mark that changes with every change of rows in an environment. A plan depends on the rows of its batch, and on the
 * objects that other batches have created or are about to create.
 */
export const readEnvironmentMark = sql.shortVerb(
  (database: sql.Database, environmentId: number): Promise<string> =>
    sql.onlyValue(
      database,
      sql.text,
      "SELECT concat_ws(' ', count(*), sum(revision)) AS mark FROM batches WHERE environment_id = ?",
      [environmentId],
    ),
);
