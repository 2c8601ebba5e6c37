import type { ResultRow } from '../domain/result-row.ts';
import {
  duplicateStatus,
  type ResultStatus,
  type RowState,
  resultStatus,
  type StatusCounts,
} from '../domain/row-state.ts';
import { hasMovable } from './movable.ts';
import { type Database, isoUtc, query } from './sql.ts';

type OriginalState = Exclude<RowState, 'duplicate'>;

interface StoredRow {
  readonly row: number;
  readonly state: RowState;
  readonly cells: string;
  readonly notes: string;
  readonly objectId: string | null;
  readonly code: string | null;
  readonly field: string | null;
  readonly message: string | null;
  readonly httpStatus: number | null;
  readonly attempts: number;
  readonly idempotencyKey: string | null;
  readonly changedAt: string;
  readonly sameAs: number | null;
  readonly originalState: OriginalState | null;
  readonly originalObjectId: string | null;
  readonly originalCode: string | null;
  readonly originalField: string | null;
  readonly originalMessage: string | null;
  readonly originalChangedAt: string | null;
}

const rowsPerPage = 2_000;

/**
 * Every row of a batch once, in input order, in groups: pages by row number, so no cursor stays open.
 * @param fromAfter the row number after which to begin
 */
export async function* readResultRows(
  database: Database,
  batchId: string,
  fromAfter = 0,
): AsyncGenerator<readonly ResultRow[]> {
  let afterRow = fromAfter;
  for (;;) {
    const page = await readPage(database, batchId, afterRow);
    if (page.length === 0) return;
    yield page.map(toResultRow);
    afterRow = page.at(-1)?.row ?? afterRow;
  }
}

function readPage(database: Database, batchId: string, afterRow: number): Promise<StoredRow[]> {
  return query<StoredRow>(
    database,
    `SELECT r.row_number AS row, r.state, i.cells, i.notes, r.object_id AS "objectId", r.code, r.field, r.message,
       r.http_status AS "httpStatus", r.attempts, q.idempotency_key AS "idempotencyKey",
       ${isoUtc('r.changed_at')} AS "changedAt", r.same_as AS "sameAs", o.state AS "originalState",
       o.object_id AS "originalObjectId", o.code AS "originalCode", o.field AS "originalField",
       o.message AS "originalMessage", ${isoUtc('o.changed_at')} AS "originalChangedAt"
     FROM (SELECT * FROM rows WHERE batch_id = ? AND row_number > ? ORDER BY row_number LIMIT ${rowsPerPage}) r
     -- Each look-up on its own: joined as whole tables, a late page would read everything before it again.
     CROSS JOIN LATERAL (SELECT cells, notes FROM row_inputs
       WHERE batch_id = r.batch_id AND row_number = r.row_number LIMIT 1) i
     LEFT JOIN LATERAL (SELECT idempotency_key FROM requests
       WHERE batch_id = r.batch_id AND row_number = r.row_number AND generation = r.generation LIMIT 1) q ON true
     LEFT JOIN LATERAL (SELECT state, object_id, code, field, message, changed_at FROM rows
       WHERE r.state = 'duplicate' AND batch_id = r.batch_id AND row_number = r.same_as LIMIT 1) o ON true
     ORDER BY r.row_number`,
    [batchId, afterRow],
  );
}

function toResultRow(stored: StoredRow): ResultRow {
  const { row, objectId, code, field, message, httpStatus, attempts, idempotencyKey, changedAt } = stored;
  const cells: string[] = JSON.parse(stored.cells);
  const notes: string[] = JSON.parse(stored.notes);
  if (stored.state !== 'duplicate') {
    const status = resultStatus(stored.state);
    return {
      row,
      cells,
      status,
      objectId,
      code,
      field,
      message,
      httpStatus,
      attempts,
      idempotencyKey,
      changedAt,
      notes,
    };
  }
  const original = originalOf(stored);
  return {
    row,
    cells,
    httpStatus,
    attempts,
    idempotencyKey,
    ...original,
    notes: [...notes, `same as row ${stored.sameAs}`],
    ...(stored.sameAs === null ? {} : { sameAs: stored.sameAs }),
  };
}

function originalOf(
  stored: StoredRow,
): Pick<ResultRow, 'status' | 'objectId' | 'code' | 'field' | 'message' | 'changedAt'> {
  if (stored.originalState === null) throw new Error('a duplicate row has lost the row that it repeats');
  return {
    status: duplicateStatus(stored.originalState),
    objectId: stored.originalObjectId,
    code: stored.originalCode,
    field: stored.originalField,
    message: stored.originalMessage,
    changedAt: stored.originalChangedAt ?? stored.changedAt,
  };
}

/**
 * How many rows of a batch stand in each status; the numbers add up to the batch's rows. Counted without the
 * view `rows`, which would look every row up in the other tables, before each run that goes on.
 */
export async function countStatuses(database: Database, batchId: string): Promise<StatusCounts> {
  const groups = await query<{ state: RowState; originalState: OriginalState | null; count: number }>(
    database,
    `WITH of_portions AS (
       SELECT (SELECT count(*)::int FROM creations WHERE batch_id = b.id) AS created,
         (SELECT coalesce(sum(open_rows), 0)::int FROM portions WHERE batch_id = b.id) AS sending
       FROM batches b WHERE b.id = ?)
     SELECT state, NULL AS "originalState", count(*)::int AS count
     FROM stored_rows WHERE batch_id = ? AND state <> 'duplicate' GROUP BY state
     UNION ALL
     SELECT 'duplicate', o.state, count(*)::int
     FROM stored_rows s JOIN rows o ON o.batch_id = s.batch_id AND o.row_number = s.same_as
     WHERE s.batch_id = ? AND s.state = 'duplicate' GROUP BY o.state
     UNION ALL SELECT 'created', NULL, created FROM of_portions
     UNION ALL SELECT 'sending', NULL, sending FROM of_portions
     -- What its portion makes of a row, the row itself does not know.
     UNION ALL SELECT 'ready', NULL, -(created + sending) FROM of_portions`,
    [batchId, batchId, batchId],
  );
  const counts = new Map<ResultStatus, number>();
  for (const { state, originalState, count } of groups) {
    const status = state === 'duplicate' ? duplicateStatus(originalState ?? 'staged') : resultStatus(state);
    counts.set(status, (counts.get(status) ?? 0) + count);
  }
  return Object.fromEntries([...counts].filter(([, count]) => count !== 0));
}

/** Whether any row can still move without a person: something to prepare, to send, or to send again. */
export async function hasMovableRows(database: Database, batchId: string): Promise<boolean> {
  const [found] = await query<{ isMovable: boolean }>(
    database,
    `SELECT ${hasMovable('b.id')} AS "isMovable" FROM batches b WHERE b.id = ?`,
    [batchId],
  );
  return found?.isMovable ?? false;
}

/** Whether any row is under a lease: a run is sending it, or was when it was lost. */
export async function hasRowsUnderLease(database: Database, batchId: string): Promise<boolean> {
  const [found] = await query<{ isAny: boolean }>(
    database,
    `SELECT EXISTS (SELECT FROM portions WHERE batch_id = ? AND lease_token IS NOT NULL)
       OR EXISTS (SELECT FROM stored_rows WHERE batch_id = ? AND state = 'sending') AS "isAny"`,
    [batchId, batchId],
  );
  return found?.isAny ?? false;
}
