/* Closing a batch: a person decides that no run may continue it, and that its unsent rows stay unsent. */

import type { Knex } from 'knex';
import { type BatchClosing, shortBatchId } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { changeBatch, countedOff, forgetUnusedRequests, isUnclaimed } from '../protocol/batch-lock.ts';
import { isAt, itsPlace, stateIs } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/** Who closed a batch, when and why; null if runs may continue the batch. */
export const findClosing = sql.shortVerb(
  async (database: sql.Database, batchId: string): Promise<BatchClosing | null> => {
    const found = await sql.findRow<BatchClosing>(
      database,
      { at: sql.text, by: sql.orNull(sql.text), note: sql.orNull(sql.text) },
      `SELECT ${sql.isoUtc('closed_at')} AS at, closed_by AS by, closed_note AS note FROM batches
       WHERE id = ? AND closed_at IS NOT NULL`,
      [batchId],
    );
    return found ?? null;
  },
);

/** @throws PaybatchError (`batch_closed`) with the remedy, if the batch is closed */
export async function requireOpenBatch(database: sql.Database, batchId: string): Promise<void> {
  const closing = await findClosing(database, batchId);
  if (closing !== null) throw batchClosed(batchId, closing);
}

/** The message for a caller who wants to send rows of a closed batch. */
export function batchClosed(batchId: string, { at, by }: BatchClosing): PaybatchError {
  const batch = shortBatchId(batchId);
  return new PaybatchError(
    'batch_closed',
    `Batch ${batch} was closed${by === null ? '' : ` by ${by}`} on ${at.slice(0, 16).replace('T', ' ')} UTC: nothing more of it is sent.`,
    {
      action: 'results',
      batch,
      effect: 'writes its failed file: corrected and imported, that is a new batch',
    },
  );
}

/** SQL: row state `s` is in doubt, so the effect of closing depends on whether its object exists. */
const isInDoubt = `(${stateIs('s', 'unknown', 'sending')} OR (${stateIs('s', 'held')} AND (s.owned_key IS NOT NULL OR s.may_exist)))`;

/** The result of closing a batch. */
type ClosingOutcome = 'closed' | 'closed_before' | 'in_doubt';

/**
 * Closes a batch: from now on none of its rows is claimed or prepared. `closeUnsentRows` then moves its rows. Refused while
 * a row of the batch is in doubt.
 */
export const closeBatch = sql.longVerb(
  (
    database: Knex,
    batchId: string,
    { by, note }: { readonly by: string; readonly note: string },
  ): Promise<ClosingOutcome> =>
    changeBatch<ClosingOutcome>(
      database,
      batchId,
      async (transaction) => {
        const standing = await sql.onlyRow(
          transaction,
          { isClosed: sql.bool, hasDoubt: sql.bool },
          `SELECT closed_at IS NOT NULL AS "isClosed",
             EXISTS (SELECT FROM send_chunks WHERE batch_id = b.id AND lease_token IS NOT NULL AND open_rows > 0)
               OR EXISTS (SELECT FROM row_states s WHERE s.batch_id = b.id AND ${isInDoubt}) AS "hasDoubt"
           FROM batches b WHERE id = ?`,
          [batchId],
        );
        if (standing.isClosed) return 'closed_before';
        if (standing.hasDoubt) return 'in_doubt';
        await sql.execute(
          transaction,
          'UPDATE batches SET closed_at = now(), closed_by = ?, closed_note = ? WHERE id = ?',
          [by, note, batchId],
        );
        return 'closed';
      },
      (outcome) => outcome === 'closed',
    ),
);

/** Records a closing that is known only from a run log. @returns whether it is new to this ledger */
export const keepLoggedClosing = sql.shortVerb(
  async (database: Knex, batchId: string): Promise<boolean> =>
    changeBatch(
      database,
      batchId,
      (transaction) =>
        sql.changesAny(
          transaction,
          'UPDATE batches SET closed_at = now() WHERE id = ? AND closed_at IS NULL',
          [batchId],
        ),
      (isNew) => isNew,
    ),
);

/** How many rows are moved while the lock is held once. */
const rowsAtOnce = 1_000;

/** The result of one step of closing, and the position of the next step. */
interface ClosedPage {
  readonly rows: number;
  /** Null if no row is left to examine. */
  readonly lastRow: number | null;
}

/** SQL: every request of row state `s` was refused conclusively or has not left, and no request is about to leave. */
const isUnsent = `CASE WHEN ${stateIs('s', 'staged', 'waiting')} THEN true
  WHEN ${stateIs('s', 'ready')} THEN ${isUnclaimed('s')}
  WHEN ${stateIs('s', 'held')} THEN s.owned_key IS NULL AND NOT s.may_exist ELSE false END`;

/**
 * Excludes the next never-sent rows of a closed batch from sending, in row order, after a row number. It deletes their
 * unused keys. It moves no row of a batch that is not closed.
 */
export const closeUnsentRows = sql.longVerb(
  (database: Knex, batchId: string, afterRow: number): Promise<ClosedPage> =>
    changeBatch(
      database,
      batchId,
      (transaction) => closePage(transaction, batchId, afterRow),
      ({ rows }) => rows > 0,
    ),
);

async function closePage(transaction: sql.Database, batchId: string, afterRow: number): Promise<ClosedPage> {
  const moved = await sql.query(
    transaction,
    { row: sql.int4, wasReady: sql.bool },
    `WITH unsent AS MATERIALIZED (
       SELECT ${itsPlace}, s.row_number, s.chunk, s.state FROM row_states s
       WHERE s.batch_id = ? AND s.row_number > ? AND s.state IN ('staged', 'waiting', 'ready', 'held') AND ${isUnsent}
         AND (SELECT closed_at FROM batches WHERE id = s.batch_id) IS NOT NULL
       ORDER BY s.row_number LIMIT ${rowsAtOnce}),
     moved AS (
       UPDATE row_states r SET state = 'invalid', code = 'closed', field = NULL,
         message = 'A person closed the batch before this row was sent.', owned_key = NULL, chunk = NULL,
         refused_at = NULL, run_id = NULL, changed_at = now()
       FROM unsent u WHERE ${isAt('r', 'u')}
       RETURNING r.row_number, u.chunk, u.state),
     ${countedOff('moved')}
     SELECT row_number AS row, state = 'ready' AS "wasReady" FROM moved ORDER BY row_number`,
    [batchId, afterRow, batchId],
  );
  const unused = moved.flatMap(({ row, wasReady }) => (wasReady ? [row] : []));
  await forgetUnusedRequests(transaction, batchId, unused);
  const lastRow = moved.length < rowsAtOnce ? null : (moved.at(-1)?.row ?? null);
  return { rows: moved.length, lastRow };
}
