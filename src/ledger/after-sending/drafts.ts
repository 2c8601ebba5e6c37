/*
 * Drafts of corrections. A cell has one valid edit, which a unique index guards: if two people change one cell at
 * the same moment, the second finds the first one's edit. Rows are not changed, so the batch's lock is not needed.
 */

import type { Knex } from 'knex';
import {
  type CellEdit,
  type DraftEdit,
  type EditConflict,
  isCorrectable,
  type KeptEdit,
  type StepCell,
  type WantedEdit,
} from '../../domain/batches/open-rows.ts';
import { sqlState } from '../connection/database-failure.ts';
import * as arrays from '../query/arrays.ts';
import { byHash, roomyHashes } from '../query/rows.ts';
import * as sql from '../query/sql.ts';
import { findEditableRows } from './results.ts';

export const countDraft = sql.shortVerb((database: sql.Database, batchId: string) =>
  sql.onlyRow(
    database,
    { rows: sql.int4, edits: sql.int4 },
    `SELECT count(DISTINCT row_number)::int AS rows, count(*)::int AS edits FROM draft_edits
       WHERE batch_id = ? AND ended_at IS NULL`,
    [batchId],
  ),
);

/** The first rows after a row number that have valid edits. */
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

/** SQL of the mark of a step, by its moment. */
function markOf(moment: string): string {
  return `(extract(epoch FROM ${moment}) * 1000000)::bigint`;
}

const stored = `e.id, e.row_number AS row, e.place, e.before, e.after, e.made_by AS by, ${sql.isoUtc('e.made_at')} AS at,
  ${markOf('e.made_at')} AS step`;

/** The valid edits of rows, by row and place. */
export const findDraftEdits = sql.shortVerb(
  async (database: sql.Database, batchId: string, rows: readonly number[]): Promise<DraftEdit[]> =>
    (await countingEdits(database, batchId, rows)).map(toEdit),
);

function countingEdits(
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

/** This many rows are examined with each statement. */
const rowsAtOnce = 1_000;
const conflictsListed = 20;
const tries = 5;

/**
 * Makes edits, all of them or none. An edit that restores the file's value ends the valid edit, and
 * makes none.
 * @param edits one for each cell
 */
export const writeEdits = sql.longVerbOnce(
  async (
    database: Knex,
    batchId: string,
    by: string,
    edits: readonly WantedEdit[],
  ): Promise<WrittenEdits> => {
    const ordered = [...edits].sort((one, other) => one.row - other.row || one.place - other.place);
    for (let round = 1; ; round += 1) {
      try {
        return await database.transaction((transaction) => writeAll(transaction, batchId, by, ordered));
      } catch (error) {
        // Another user was faster: the next read finds their edit of the cell.
        if (round >= tries || !(error === changedMeanwhile || raceStates.has(sqlState(error)))) throw error;
      }
    }
  },
);

/** The result of edits. */
interface WrittenEdits {
  /** The first conflicts; none where all edits were made. */
  readonly conflicts: readonly EditConflict[];
  /** How many cells were edited: cells that were not seen, and have the value already, are not. */
  readonly edited: number;
  /**
   * The mark of the step in the ledger: the microsecond of its transaction. If nothing was left to edit, that of the step in
   * which the same person did, whose answer may have been lost; else null.
   */
  readonly step: string | null;
}

const timeOfStep = "timestamptz 'epoch' + ?::bigint * interval '1 microsecond'";

/** Two edits of one cell, and two transactions that wait for each other. */
const raceStates: ReadonlySet<string> = new Set(['23505', '40P01']);
const changedMeanwhile = new Error('an edit was ended by somebody else');

async function writeAll(
  transaction: sql.Database,
  batchId: string,
  by: string,
  edits: readonly WantedEdit[],
): Promise<WrittenEdits> {
  const step = await sql.onlyValue(transaction, sql.int8, `SELECT ${markOf('now()')} AS step`);
  const conflicts: EditConflict[] = [];
  const replaced: string[] = [];
  const made: CellEdit[] = [];
  const marksBefore = new Set<string>();
  let edited = 0;
  for (let at = 0; at < edits.length; at += rowsAtOnce) {
    const group = edits.slice(at, at + rowsAtOnce);
    const numbers = [...new Set(group.map(({ row }) => row))];
    const rows = new Map(
      (await findEditableRows(transaction, batchId, numbers)).map((row) => [row.row, row]),
    );
    const counting = new Map(
      (await countingEdits(transaction, batchId, numbers)).map((edit) => [cellKey(edit), edit]),
    );
    for (const edit of group) {
      const row = rows.get(edit.row);
      const known = counting.get(cellKey(edit));
      const own = row?.cells[edit.place] ?? '';
      const now = known?.after ?? own;
      const before = edit.before ?? now;
      if (edit.before === null && row !== undefined && edit.after === now) {
        if (known?.by === by) marksBefore.add(known.step);
        continue;
      }
      edited += 1;
      if (row === undefined || !isCorrectable(row) || now !== before) {
        conflicts.push({
          row: edit.row,
          place: edit.place,
          now,
          status: row?.status ?? null,
          changedBy: known?.by ?? null,
          changedAt: known?.at ?? null,
        });
      } else if (edit.after !== now) {
        if (known !== undefined) replaced.push(known.id);
        if (edit.after !== own || edit.isRight === true) made.push({ ...edit, before });
      } else if (edit.isRight === true && known === undefined) made.push({ ...edit, before });
      else if (edit.isRight === false && known !== undefined) replaced.push(known.id);
    }
  }
  if (conflicts.length > 0) return { conflicts: conflicts.slice(0, conflictsListed), edited: 0, step: null };
  if ((await end(transaction, replaced, 'replaced', by)) !== replaced.length) throw changedMeanwhile;
  await sql.execute(
    transaction,
    `INSERT INTO draft_edits (batch_id, row_number, place, before, after, made_by)
     SELECT ?, d.row_number, d.place, d.before, d.after, ?
     FROM unnest(?::int[], ?::int[], ${arrays.textsParameter}, ${arrays.textsParameter}) AS d (row_number, place, before, after)`,
    [
      batchId,
      by,
      arrays.numbersLiteral(made.map(({ row }) => row)),
      arrays.numbersLiteral(made.map(({ place }) => place)),
      ...arrays.textsBindings(made.map(({ before }) => JSON.stringify(before))),
      ...arrays.textsBindings(made.map(({ after }) => JSON.stringify(after))),
    ],
  );
  const [before = null] = marksBefore.size === 1 ? marksBefore : [];
  return { conflicts: [], edited, step: edited === 0 ? before : step };
}

/**
 * The cells that a step has changed, by row and place. The cells that it has edited are looked up in a hash table: a look-up
 * in the draft goes through all edits that a cell has ever had.
 * @param step of `writeEdits`
 */
export const findStep = sql.shortVerb(
  (database: Knex, batchId: string, step: string): Promise<readonly StepCell[]> =>
    database.transaction(async (transaction) => {
      await sql.execute(transaction, `SELECT ${roomyHashes}`);
      return cellsOfStep(transaction, batchId, step);
    }),
);

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

function cellKey({ row, place }: { readonly row: number; readonly place: number }): string {
  return `${row} ${place}`;
}

/**
 * Ends edits by their ids. A condition on `ended_at` would lead a server without statistics to the index of all
 * valid edits, of every batch.
 */
function end(
  database: sql.Database,
  ids: readonly string[],
  how: 'replaced' | 'planned',
  by: string,
  plannedBatch: string | null = null,
): Promise<number> {
  return sql.execute(
    database,
    `UPDATE draft_edits SET ended_as = ?, ended_by = ?, ended_at = now(), planned_batch = ?
     WHERE id = ANY(?::bigint[]) AND ended_as IS NULL`,
    [how, by, plannedBatch, arrays.numbersLiteral(ids)],
  );
}

/**
 * Discards valid edits: of one cell, of one row, or all of a batch.
 * @returns how many
 */
export const discardEdits = sql.longVerb(
  (
    database: sql.Database,
    batchId: string,
    by: string,
    which: { readonly row?: number | undefined; readonly place?: number | undefined },
  ): Promise<number> =>
    sql.execute(
      database,
      `UPDATE draft_edits SET ended_as = 'discarded', ended_by = ?, ended_at = now()
       WHERE batch_id = ? AND ended_at IS NULL AND row_number = coalesce(?::int, row_number)
         AND place = coalesce(?::int, place)`,
      [by, batchId, which.row ?? null, which.place ?? null],
    ),
);

/**
 * Ends the edits that a correction includes. One that was changed since stays in the draft.
 * @param taken with the value that the correction includes
 */
export const endPlannedEdits = sql.longVerb(
  async (
    database: Knex,
    batchId: string,
    by: string,
    taken: readonly DraftEdit[],
    plannedBatch: string,
  ): Promise<void> => {
    await database.transaction(async (transaction) => {
      const values = new Map(taken.map((edit) => [cellKey(edit), edit.after]));
      const rows = [...new Set(taken.map(({ row }) => row))];
      for (let at = 0; at < rows.length; at += rowsAtOnce) {
        const counting = await countingEdits(transaction, batchId, rows.slice(at, at + rowsAtOnce));
        const same = counting.filter((edit) => values.get(cellKey(edit)) === edit.after);
        await end(
          transaction,
          same.map(({ id }) => id),
          'planned',
          by,
          plannedBatch,
        );
      }
    });
  },
);
