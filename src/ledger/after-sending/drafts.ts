/* Reads drafts of corrections: the valid edits of cells, all edits that were ever made, and the edits of one step. */

import type { Knex } from 'knex';
import type { DraftEdit, KeptEdit, StepCell } from '../../domain/batches/draft.ts';
import * as arrays from '../query/arrays.ts';
import { byHash, roomyHashes } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

export const countDraft = sql.shortVerb((database: sql.Database, batchId: string) =>
  sql.onlyRow(
    database,
    { rows: sql.int4, edits: sql.int4 },
    `SELECT count(DISTINCT row_number)::int AS rows, count(*)::int AS edits FROM draft_edits
       WHERE batch_id = ? AND ended_at IS NULL`,
    [batchId],
  ),
);

/** The numbers of the rows with valid edits, after a row number, at most `limit`. */
export const listDraftRows = sql.shortVerb(
  (database: sql.Database, batchId: string, afterRow: number, limit: number): Promise<number[]> =>
    sql.valuesOf(
      database,
      sql.int4,
      `SELECT DISTINCT row_number AS row FROM draft_edits
       WHERE batch_id = ? AND ended_at IS NULL AND row_number > ? ORDER BY 1 LIMIT ?`,
      [batchId, afterRow, limit],
    ),
);

const storedColumns = {
  id: sql.int8,
  row: sql.int4,
  place: sql.int4,
  before: sql.jsonText<string>(),
  after: sql.jsonText<string>(),
  by: sql.text,
  at: sql.text,
  step: sql.int8,
};

type StoredEdit = sql.RowOf<typeof storedColumns>;

/** SQL of the mark of a step that was made at a moment. */
export function markOf(moment: string): string {
  return `(extract(epoch FROM ${moment}) * 1000000)::bigint`;
}

const stored = `e.id, e.row_number AS row, e.place, e.before, e.after, e.made_by AS by, ${sql.isoUtc('e.made_at')} AS at,
  ${markOf('e.made_at')} AS step`;

/** The valid edits of rows, by row and place. */
export const findDraftEdits = sql.shortVerb(
  async (database: sql.Database, batchId: string, rows: readonly number[]): Promise<DraftEdit[]> =>
    (await countingEdits(database, batchId, rows)).map(toEdit),
);

/** The valid edits of rows, with their ids and steps. */
export function countingEdits(
  database: sql.Database,
  batchId: string,
  rows: readonly number[],
): Promise<StoredEdit[]> {
  return sql.query(
    database,
    storedColumns,
    `SELECT ${stored} FROM draft_edits e
     WHERE e.batch_id = ? AND e.row_number = ANY(?::int[]) AND e.ended_at IS NULL ORDER BY e.row_number, e.place`,
    [batchId, arrays.numbersLiteral(rows)],
  );
}

function toEdit({ id: _, step: __, ...edit }: StoredEdit): DraftEdit {
  return edit;
}

/** All edits ever made of a row, the oldest first. */
export const listEditsOfRow = sql.shortVerb(
  async (database: sql.Database, batchId: string, row: number): Promise<KeptEdit[]> => {
    const found = await sql.query(
      database,
      {
        ...storedColumns,
        how: sql.orNull(sql.word<NonNullable<KeptEdit['end']>['how']>()),
        endedBy: sql.orNull(sql.text),
        endedAt: sql.orNull(sql.text),
        plannedBatch: sql.orNull(sql.uuid),
      },
      `SELECT ${stored}, e.ended_as AS how, e.ended_by AS "endedBy", ${sql.isoUtc('e.ended_at')} AS "endedAt",
         e.planned_batch AS "plannedBatch"
       FROM draft_edits e WHERE e.batch_id = ? AND e.row_number = ? ORDER BY e.id`,
      [batchId, row],
    );
    return found.map(({ how, endedBy, endedAt, plannedBatch, ...edit }) => ({
      ...toEdit(edit),
      end:
        how === null || endedBy === null || endedAt === null
          ? null
          : { how, by: endedBy, at: endedAt, plannedBatch },
    }));
  },
);

/**
 * The cells that a step has changed, by row and place. The restored cells are the ones that the step did not edit itself.
 * This check uses a hash table, because a look-up in the draft would read all edits that a cell has ever had.
 * @param step the mark that `writeEdits` returned
 */
export const findStep = sql.shortVerb(
  (database: Knex, batchId: string, step: string): Promise<readonly StepCell[]> =>
    database.transaction(async (transaction) => {
      await sql.execute(transaction, `SELECT ${roomyHashes}`);
      return cellsOfStep(transaction, batchId, step);
    }),
);

const timeOfStep = "timestamptz 'epoch' + ?::bigint * interval '1 microsecond'";

function cellsOfStep(transaction: sql.Database, batchId: string, step: string): Promise<readonly StepCell[]> {
  return sql.query(
    transaction,
    {
      row: sql.int4,
      place: sql.int4,
      before: sql.jsonText(),
      after: sql.orNull(sql.jsonText()),
      by: sql.text,
      isCurrent: sql.bool,
    },
    `WITH made AS MATERIALIZED (SELECT e.* FROM draft_edits e WHERE e.batch_id = ? AND e.made_at = ${timeOfStep}),
       restored AS MATERIALIZED (SELECT e.* FROM draft_edits e
         WHERE e.batch_id = ? AND e.ended_at = ${timeOfStep} AND e.ended_as = 'replaced'
           AND NOT ${byHash('(e.row_number, e.place) IN (SELECT row_number, place FROM made)')})
     SELECT row_number AS row, place, before, after, made_by AS by, ended_at IS NULL AS "isCurrent" FROM made
     UNION ALL
     SELECT r.row_number, r.place, r.after, NULL, r.ended_by, NOT EXISTS (SELECT FROM draft_edits l
       WHERE l.batch_id = r.batch_id AND l.row_number = r.row_number AND l.place = r.place AND l.id > r.id)
     FROM restored r
     ORDER BY 1, 2`,
    [batchId, step, batchId, step],
  );
}
