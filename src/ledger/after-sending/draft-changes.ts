/*
 * How drafts of corrections change. A cell has at most one valid edit, which a unique index enforces. If two people change
 * one cell at the same moment, the second one finds the edit of the first one. Rows do not change, so the batch's lock is
 * not needed.
 */

import type { Knex } from 'knex';
import {
  type CellEdit,
  type DraftEdit,
  type EditConflict,
  isCorrectable,
  type WantedEdit,
} from '../../domain/batches/draft.ts';
import { sqlState } from '../connection/database-failure.ts';
import * as arrays from '../query/arrays.ts';
import * as sql from '../query/sql.ts';
import { countingEdits, markOf } from './drafts.ts';
import { findEditableRows } from './results.ts';

/** How many rows each statement examines. */
const rowsAtOnce = 1_000;
const conflictsListed = 20;
const tries = 5;

/**
 * Makes edits, all of them or none. An edit that restores the file's value only ends the valid edit.
 * @param edits at most one for each cell
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
export interface WrittenEdits {
  /** The first conflicts; empty if all edits were made. */
  readonly conflicts: readonly EditConflict[];
  /**
   * How many cells were edited. An edit without a known earlier value does not count if the cell has the new value already.
   */
  readonly edited: number;
  /**
   * The mark of the step in the ledger: the microsecond of its transaction. If nothing was left to edit, it is the mark of
   * the earlier step in which the same person made these edits, because the answer to that call may have been lost. Null if
   * there is no such step.
   */
  readonly step: string | null;
}

/** SQLSTATEs: two edits of one cell (unique violation), and two transactions that wait for each other (deadlock). */
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

function cellKey({ row, place }: { readonly row: number; readonly place: number }): string {
  return `${row} ${place}`;
}

/**
 * Ends edits by their ids. With a condition on `ended_at`, a server without statistics would use the index of all valid
 * edits of all batches.
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
 * Discards valid edits: of one cell, of one row, or of a whole batch.
 * @returns how many edits it discarded
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
 * Ends the edits that a correction includes. An edit that has changed since then stays in the draft.
 * @param taken the edits with the values that the correction includes
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
