/*
 * Rows that wait for a person or for time: how they are found, how verdicts about them are recorded, and how they return to
 * work.
 */

import type { Knex } from 'knex';
import type { SelectableRow } from '../../domain/batches/open-rows.ts';
import type { DecidedRow, RowToResolve } from '../../domain/rows/ledger-row.ts';
import { changeBatch } from '../protocol/batch-lock.ts';
import { noteObjects } from '../protocol/late-creations.ts';
import { allowBesideCreated } from '../protocol/origins.ts';
import {
  byKeysOnly,
  compared,
  inOrderOfIndex,
  inputOf,
  isAt,
  requestOf,
  rowOf,
  rowStateOf,
} from '../query/rows.ts';
import * as sql from '../query/sql.ts';

const selectableRowsPerPage = 1_000;

/**
 * The held and unknown rows of a batch in row order, in groups. They are found in the indexes of these states, because
 * reading the whole batch would take longer than a page can wait.
 * @param areCellsAsked if false, the rows have no cells
 */
export const readSelectableRows = sql.longVerbOnce(async function* (
  database: Knex,
  batchId: string,
  areCellsAsked: boolean,
): AsyncGenerator<readonly SelectableRow[]> {
  for (let afterRow = 0; ; ) {
    const page = await database.transaction((transaction) =>
      selectableRowsAfter(transaction, batchId, afterRow, areCellsAsked),
    );
    if (page.length > 0) yield page;
    if (page.length < selectableRowsPerPage) return;
    afterRow = page.at(-1)?.row ?? afterRow;
  }
});

/**
 * A row in these states is in no chunk, so `row_states` has its whole state. The view `rows` would look it up a second time.
 */
async function selectableRowsAfter(
  transaction: sql.Database,
  batchId: string,
  afterRow: number,
  areCellsAsked: boolean,
): Promise<readonly SelectableRow[]> {
  await sql.execute(transaction, `${inOrderOfIndex}, ${byKeysOnly}`);
  const first = (state: string): string => `(SELECT batch_id, row_number, state, code, generation, attempts
    FROM row_states WHERE batch_id = ? AND state = '${state}' AND row_number > ?
    ORDER BY row_number LIMIT ${selectableRowsPerPage})`;
  return sql.query<SelectableRow>(
    transaction,
    {
      row: sql.int4,
      state: sql.word(),
      code: sql.orNull(sql.text),
      generation: sql.int4,
      attempts: sql.int4,
      idempotencyKey: sql.orNull(sql.uuid),
      amount: sql.orNull(sql.text),
      currency: sql.orNull(sql.text),
      cells: sql.jsonText(),
    },
    `SELECT r.row_number AS row, r.state, r.code, r.generation, r.attempts, q.idempotency_key AS "idempotencyKey",
       i.record->>'amount' AS amount, i.record->>'currency' AS currency, ${areCellsAsked ? 'i.cells' : "'[]' AS cells"}
     FROM (SELECT * FROM (${first('held')} UNION ALL ${first('unknown')}) c
       ORDER BY row_number LIMIT ${selectableRowsPerPage}) r
     ${inputOf('r')} ${requestOf('r')} ORDER BY r.row_number`,
    [batchId, afterRow, batchId, afterRow],
  );
}

export const findRowsToResolve = sql.longVerbOnce(
  (database: sql.Database, batchId: string, rows: readonly number[]): Promise<RowToResolve[]> =>
    sql.query<RowToResolve>(
      database,
      {
        row: sql.int4,
        state: sql.word(),
        resource: sql.orNull(sql.text),
        record: sql.json(),
        generation: sql.int4,
        code: sql.orNull(sql.text),
        message: sql.orNull(sql.text),
        httpStatus: sql.orNull(sql.int4),
        firstSentAt: sql.orNull(sql.text),
        attempts: sql.int4,
        idempotencyKey: sql.orNull(sql.uuid),
      },
      `SELECT r.row_number AS row, r.state, r.resource, i.record, r.generation, r.code, r.message, r.attempts,
         r.http_status AS "httpStatus", q.idempotency_key AS "idempotencyKey", ${sql.isoUtc('r.first_sent_at')} AS "firstSentAt"
       FROM (SELECT DISTINCT ?::uuid AS batch_id, unnest(?::int[]) AS row_number) n
       ${rowOf('n')} ${inputOf('n')} ${requestOf('r')} ORDER BY r.row_number`,
      [batchId, rows],
    ),
);

/**
 * Rows with their decisions, in pages, because a million of them must not be in memory at once. They are read in the
 * database transaction that writes them.
 */
type DecidedPages = (
  transaction: Knex,
) => AsyncIterable<readonly DecidedRow[]> | Iterable<readonly DecidedRow[]>;

/**
 * Records verdicts and moves their rows on, all of them or none. A row that is to be sent again gets its next generation and
 * starts anew; its old request stays as history.
 * @returns false if a row is no longer in the state that the person decided about, or was sent since then, or another row
 * has got its object; then nothing is changed
 */
export const writeVerdicts = sql.longVerbOnce(
  async (
    database: Knex,
    batchId: string,
    by: { readonly runId: string; readonly user: string },
    pages: DecidedPages,
  ): Promise<boolean> => {
    try {
      await changeBatch(database, batchId, async (transaction) => {
        for await (const decided of pages(transaction)) await writePage(transaction, batchId, by, decided);
      });
      return true;
    } catch (error) {
      if (error === notAsDecided) return false;
      throw error;
    }
  },
);

/** Undoes the verdicts: a row has changed or was sent since the decision, or another row has got one of their objects. */
const notAsDecided = new Error('a row is no longer what a person decided about');

async function writePage(
  transaction: sql.Database,
  batchId: string,
  by: { readonly runId: string; readonly user: string },
  decided: readonly DecidedRow[],
): Promise<void> {
  const rows = decided.map(({ row }) => row);
  const fromStates = decided.map(({ fromState }) => fromState);
  const attempts = decided.map((each) => each.attempts);
  const objectIds = decided.map(({ objectId }) => objectId);
  const sent = decided.flatMap(({ row, verdict }) => (verdict === 'send' ? [row] : []));
  if (!(await allowBesideCreated(transaction, batchId, sent))) throw notAsDecided;
  await sql.execute(
    transaction,
    `INSERT INTO verdicts (batch_id, row_number, generation, from_state, from_code, attempts, verdict, object_id, note,
                           decided_by, run_id)
     SELECT s.batch_id, s.row_number, s.generation, d.from_state, s.code, d.attempts, d.verdict, d.object_id, d.note, ?, ?
     FROM unnest(?::int[], ?::text[], ?::int[], ?::text[], ?::text[], ?::text[])
       AS d (row_number, from_state, attempts, verdict, object_id, note)
     ${rowStateOf('d')}`,
    [
      by.user,
      by.runId,
      rows,
      fromStates,
      attempts,
      decided.map(({ verdict }) => verdict),
      objectIds,
      decided.map(({ note }) => note),
      batchId,
    ],
  );
  const named = decided.flatMap(({ row, to, objectId }) =>
    to === 'created' && objectId !== null ? [{ row, objectId }] : [],
  );
  const noted = await noteObjects(transaction, batchId, named);
  if (noted.size !== named.length) throw notAsDecided;
  const moved = await sql.execute(
    transaction,
    `UPDATE row_states r SET state = d.state, object_id = d.object_id, code = 'resolved', field = NULL,
       message = d.message, changed_at = now(),
       owned_key = CASE WHEN d.state = 'created' THEN r.owned_key END,
       ${startingAfresh}
     FROM unnest(?::int[], ?::text[], ?::int[], ?::text[], ?::text[], ?::text[])
       AS d (row_number, from_state, attempts, state, object_id, message)
     ${rowStateOf('d')} WHERE ${isAt('r', 's')} AND ${compared('r.state')} = d.from_state AND r.attempts = d.attempts`,
    [
      rows,
      fromStates,
      attempts,
      decided.map(({ to }) => to),
      objectIds,
      decided.map(({ message }) => message),
      batchId,
    ],
  );
  if (moved !== decided.length) throw notAsDecided;
}

/** The columns that are reset in a row that gets a new key. The generation increases only if the old one has a request. */
const startingAfresh = `
  generation = r.generation + CASE WHEN d.state = 'staged' AND EXISTS (
    SELECT FROM requests q WHERE q.batch_id = r.batch_id AND q.row_number = r.row_number
      AND q.generation = r.generation) THEN 1 ELSE 0 END,
  run_id = CASE WHEN d.state <> 'staged' THEN r.run_id END,
  credential = CASE WHEN d.state <> 'staged' THEN r.credential END,
  first_sent_at = CASE WHEN d.state <> 'staged' THEN r.first_sent_at END,
  may_exist = r.may_exist AND d.state <> 'staged'`;

const verdictRecordColumns = {
  row: sql.int4,
  verdict: sql.word<DecidedRow['verdict']>(),
  fromState: sql.word<DecidedRow['fromState']>(),
  fromCode: sql.orNull(sql.text),
  objectId: sql.orNull(sql.text),
  note: sql.text,
  decidedBy: sql.text,
  decidedAt: sql.text,
};

/** A verdict as a person recorded it. */
export type VerdictRecord = sql.RowOf<typeof verdictRecordColumns>;

/** The verdicts on a batch's rows, oldest first, at most `limit`. */
export const listVerdicts = sql.longVerbOnce(
  (database: sql.Database, batchId: string, limit: number): Promise<VerdictRecord[]> =>
    sql.query(
      database,
      verdictRecordColumns,
      `SELECT row_number AS row, verdict, from_state AS "fromState", from_code AS "fromCode",
         object_id AS "objectId", note, decided_by AS "decidedBy", ${sql.isoUtc('decided_at')} AS "decidedAt"
       FROM verdicts WHERE batch_id = ? ORDER BY id LIMIT ?`,
      [batchId, limit],
    ),
);

/**
 * Lets a batch's rejected rows be sent again under new keys. Their refusal was conclusive, so no object of the old key can
 * be created. The old requests and attempts stay as history. Rows that wait because of a refusal need not wait any longer. A
 * row that another batch corrects stays refused, and so do the rows of a closed batch.
 * @returns the number of rows
 */
export const returnRejected = sql.longVerbOnce(
  (database: Knex, batchId: string): Promise<number> =>
    changeBatch(database, batchId, async (transaction) => {
      await sql.execute(transaction, endOfWaiting, [batchId]);
      return sql.execute(transaction, returned, [batchId]);
    }),
);

const endOfWaiting = 'UPDATE row_states SET refused_at = NULL WHERE batch_id = ? AND refused_at IS NOT NULL';

const returned = `UPDATE row_states SET state = 'staged', generation = generation + 1, code = NULL, field = NULL, message = NULL,
       first_sent_at = NULL, may_exist = false, credential = NULL, run_id = NULL, changed_at = now()
     WHERE batch_id = ? AND state = 'rejected' AND code IS DISTINCT FROM 'superseded'
       AND (SELECT closed_at FROM batches WHERE id = row_states.batch_id) IS NULL`;
