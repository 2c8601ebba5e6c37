/*
 * Checks the rows of a batch again with the lists of institutions, before they are sent. Rows that no longer pass are
 * excluded, and held rows that can now be checked are released.
 */

import type { Knex } from 'knex';
import { noteText } from '../../domain/rows/finding.ts';
import type { RecheckedRow, RowToRecheck, VerifiedRow } from '../../domain/rows/ledger-row.ts';
import { changeBatch, countedOff, forgetUnusedRequests, isUnclaimed } from '../protocol/batch-lock.ts';
import * as arrays from '../query/arrays.ts';
import {
  inputOf,
  isAt,
  isSentRegardless,
  rangeBindings,
  readFirst,
  rowStateOf,
  stateIs,
} from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/** SQL: row `r` is held only because no complete list showed whether its institution exists. */
const isUnverified = `(${stateIs('r', 'held')} AND r.code = 'institution_unverifiable' AND r.first_sent_at IS NULL)`;

/**
 * The next rows that name an institution and were never sent, in row order, after a row number. They are rows to be sent,
 * and rows that no complete list could verify. Rows that a person has decided to send anyway are not included.
 */
export const listRowsToRecheck = sql.longVerb(
  async (
    database: sql.Database,
    batchId: string,
    afterRow: number,
    limit: number,
  ): Promise<RowToRecheck[]> => {
    // Only at the start of the walk. Usually all rows are done; then no row is read.
    const start = afterRow === 0 ? await firstUnsent(database, batchId) : afterRow + 1;
    if (start === null) return [];
    return readFirst(database, { batchId, afterRow: start - 1, limit }, (range) =>
      sql.query<RowToRecheck>(
        database,
        {
          row: sql.int4,
          resource: sql.orNull(sql.text),
          record: sql.json(),
          cells: sql.orNull(sql.jsonText()),
          isUnverified: sql.bool,
        },
        `SELECT r.row_number AS row, r.resource, i.record, r.state = 'held' AS "isUnverified",
           CASE WHEN r.resource IS NULL THEN i.cells END AS cells
         FROM rows_between(?, ?, ?) r
         ${inputOf('r')}
         WHERE (r.state IN ('staged', 'waiting', 'ready') OR ${isUnverified})
           AND coalesce(i.record->>'institution_id', i.record->>'institution_name') IS NOT NULL
           AND NOT ${isSentRegardless}
         ORDER BY r.row_number`,
        rangeBindings(range),
      ),
    );
  },
);

/**
 * The first row number that may need a recheck; null if no row does. Each condition is that of a partial index, and its
 * first row is read in that index's order.
 */
async function firstUnsent(database: sql.Database, batchId: string): Promise<number | null> {
  const conditions = [
    "state IN ('staged', 'waiting')",
    "state = 'ready' AND chunk IS NULL",
    "state = 'held' AND code = 'institution_unverifiable' AND first_sent_at IS NULL",
  ];
  const firsts = conditions.map(
    (condition) =>
      `(SELECT row_number FROM row_states WHERE batch_id = ? AND ${condition} ORDER BY row_number LIMIT 1)`,
  );
  return sql.onlyValue(
    database,
    sql.orNull(sql.int4),
    `SELECT least(${firsts.join(', ')},
       (SELECT min(first_row) FROM send_chunks WHERE batch_id = ? AND lease_token IS NULL AND open_rows > 0)) AS row`,
    [batchId, batchId, batchId, batchId],
  );
}

/**
 * Excludes rows that no longer pass from sending. It moves only rows that were never sent: a row that is claimed at this
 * moment is left to its worker. It deletes the request of a ready row, because its key was never used and a person may let
 * the row be prepared again. The natural key becomes free again.
 * @returns the number of moved rows
 */
export const writeRechecked = sql.longVerbOnce(
  async (database: Knex, batchId: string, rows: readonly RecheckedRow[]): Promise<number> => {
    const write = async (transaction: sql.Database): Promise<number> => {
      const moved = await takeOut(transaction, batchId, rows);
      await writeFindings(
        transaction,
        batchId,
        rows.filter(({ row }) => moved.has(row)),
      );
      return moved.size;
    };
    return changeBatch(database, batchId, write, (moved) => moved > 0);
  },
);

/** @returns the rows that were neither claimed nor sent, and that are now excluded from sending */
async function takeOut(
  transaction: sql.Database,
  batchId: string,
  rows: readonly RecheckedRow[],
): Promise<Set<number>> {
  const reasons = rows.map(({ reason }) => reason);
  const moved = await sql.query(
    transaction,
    { row: sql.int4 },
    `WITH failed AS (
       SELECT s.place, s.chunk, p.state, p.code, p.field, p.message
       FROM unnest(?::int[], ?::text[], ?::text[], ?::text[], ?::text[]) AS p (row_number, state, code, field, message)
       ${rowStateOf('p')}
       WHERE ${stateIs('s', 'staged', 'waiting', 'ready')} AND s.first_sent_at IS NULL AND ${isUnclaimed('s')}),
     moved AS (
       UPDATE row_states r SET state = f.state, owned_key = NULL, run_id = NULL, chunk = NULL, code = f.code,
         field = f.field, message = f.message, changed_at = now()
       FROM failed f WHERE ${isAt('r', 'f')}
       RETURNING r.row_number, f.chunk),
     ${countedOff('moved')}
     SELECT row_number AS row FROM moved`,
    [
      numbersOf(rows),
      rows.map(({ to }) => to),
      ...arrays.arraysOf(reasons, 'code', 'field', 'message'),
      ...[batchId, batchId],
    ],
  );
  return new Set(numbersOf(moved));
}

function numbersOf(rows: readonly { readonly row: number }[]): number[] {
  return rows.map(({ row }) => row);
}

async function writeFindings(
  transaction: sql.Database,
  batchId: string,
  rows: readonly RecheckedRow[],
): Promise<void> {
  const numbers = numbersOf(rows);
  await forgetUnusedRequests(transaction, batchId, numbers);
  await sql.execute(transaction, 'SELECT note_recheck(?, ?::int[], ?::text[], NULL, NULL)', [
    batchId,
    numbers,
    rows.map(({ findings }) => JSON.stringify(findings)),
  ]);
}

/**
 * Releases rows that were held because no complete list showed whether their institution exists. They are then to be
 * prepared or to be corrected. Rows whose state the ledger has changed since then stay unchanged.
 * @returns the number of moved rows
 */
export const writeVerified = sql.longVerbOnce(
  async (database: Knex, batchId: string, rows: readonly VerifiedRow[]): Promise<number> => {
    const reasonOf = (row: VerifiedRow) => (row.to === 'invalid' ? row.reason : null);
    const write = async (transaction: sql.Database): Promise<number> => {
      const moved = await sql.query(
        transaction,
        { row: sql.int4 },
        `UPDATE row_states r SET state = p.state, resource = coalesce(r.resource, p.resource), code = p.code,
           field = p.field, message = p.message, changed_at = now()
         FROM unnest(?::int[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
           AS p (row_number, state, resource, code, field, message)
         ${rowStateOf('p')} WHERE ${isAt('r', 's')} AND ${isUnverified}
         RETURNING r.row_number AS row`,
        [
          numbersOf(rows),
          rows.map(({ to }) => to),
          rows.map((row) => (row.to === 'staged' ? row.resource : null)),
          rows.map((row) => reasonOf(row)?.code ?? null),
          rows.map((row) => reasonOf(row)?.field ?? null),
          rows.map((row) => reasonOf(row)?.message ?? null),
          batchId,
        ],
      );
      const numbers = new Set(numbersOf(moved));
      await writeVerifiedInputs(
        transaction,
        batchId,
        rows.filter(({ row }) => numbers.has(row)),
      );
      return moved.length;
    };
    return changeBatch(database, batchId, write, (moved) => moved > 0);
  },
);

async function writeVerifiedInputs(
  transaction: sql.Database,
  batchId: string,
  rows: readonly VerifiedRow[],
): Promise<void> {
  await sql.execute(transaction, 'SELECT note_recheck(?, ?::int[], ?::text[], ?::jsonb[], ?::jsonb[])', [
    batchId,
    numbersOf(rows),
    rows.map((row) => JSON.stringify(row.to === 'invalid' ? row.findings : [])),
    rows.map((row) => (row.to === 'staged' ? JSON.stringify(row.record) : null)),
    rows.map((row) => JSON.stringify(row.to === 'staged' ? row.notes.map(noteText) : [])),
  ]);
}
