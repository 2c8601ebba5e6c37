import type { ResultRow } from '../../domain/rows/result-row.ts';
import {
  duplicateStatus,
  type ResultStatus,
  type RowState,
  resultStatus,
  type StatusCounts,
} from '../../domain/rows/row-state.ts';
import { answerDiffers } from '../../domain/sending/conclusion.ts';
import { hasMovable, inputOf, requestOf, rowOf } from '../query/each-row.ts';
import { asFence } from '../query/planner.ts';
import { type Database, isoUtc, query, type RowRange, rangeBindings, readPages } from '../query/sql.ts';
import { verb } from '../query/verb.ts';

type OriginalState = Exclude<RowState, 'duplicate'>;

interface StoredRow {
  readonly row: number;
  readonly state: RowState;
  readonly cells: string;
  readonly notes: string;
  readonly findings: string;
  readonly currency: string | null;
  readonly amount: string | null;
  readonly reference: string | null;
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

/**
 * Every row of a batch once, in input order, in groups.
 * @param referenceField the field of a row's record that is its own reference; null when it need not be told
 * @param fromAfter the row number after which to begin
 */
export const readResultRows = verb(
  { pool: 'short', repeatable: { fromRow: 3 } },
  async function* (
    database: Database,
    batchId: string,
    referenceField: string | null = null,
    fromAfter = 0,
  ): AsyncGenerator<readonly ResultRow[]> {
    const read = (range: RowRange): Promise<StoredRow[]> => readPage(database, range, referenceField);
    for await (const page of readPages(database, batchId, read, fromAfter)) yield page.map(toResultRow);
  },
);

function readPage(database: Database, range: RowRange, referenceField: string | null): Promise<StoredRow[]> {
  return query<StoredRow>(
    database,
    `SELECT r.row_number AS row, r.state, i.cells, i.notes, i.findings, i.record->>'currency' AS currency,
       i.record->>'amount' AS amount, ${referenceField === null ? 'NULL' : 'i.record->>?'} AS reference, r.object_id AS "objectId", r.code, r.field, r.message,
       r.http_status AS "httpStatus", r.attempts, q.idempotency_key AS "idempotencyKey",
       ${isoUtc('r.changed_at')} AS "changedAt", r.same_as AS "sameAs", o.state AS "originalState",
       o.object_id AS "originalObjectId", o.code AS "originalCode", o.field AS "originalField",
       o.message AS "originalMessage", ${isoUtc('o.changed_at')} AS "originalChangedAt"
     FROM rows_between(?, ?, ?) r
     ${inputOf('r')}
     ${requestOf('r')}
     -- Only for rows that repeat another one, wherever that stands.
     LEFT JOIN LATERAL (SELECT state, object_id, code, field, message, changed_at FROM rows
       WHERE r.state = 'duplicate' AND batch_id = r.batch_id AND row_number = r.same_as LIMIT 1) o ON true
     ORDER BY r.row_number`,
    [...(referenceField === null ? [] : [referenceField]), ...rangeBindings(range)],
  );
}

function toResultRow(stored: StoredRow): ResultRow {
  const { row, objectId, code, field, message, httpStatus, attempts, idempotencyKey, changedAt } = stored;
  const cells: string[] = JSON.parse(stored.cells);
  const notes: string[] = stored.notes === '[]' ? [] : JSON.parse(stored.notes);
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
      ...moneyOf(stored),
      ...referenceOf(stored),
      ...(stored.findings === '[]' ? {} : { findings: JSON.parse(stored.findings) }),
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
    ...moneyOf(stored),
    ...referenceOf(stored),
    notes: [...notes, `same as row ${stored.sameAs}`],
    ...(stored.sameAs === null ? {} : { sameAs: stored.sameAs }),
  };
}

function moneyOf({ currency, amount }: StoredRow): Pick<ResultRow, 'money'> {
  return currency === null || amount === null ? {} : { money: { currency, amount } };
}

function referenceOf({ reference }: StoredRow): Pick<ResultRow, 'reference'> {
  return reference === null ? {} : { reference };
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

/** Rows of one state, as the tables have them. */
interface StateGroup {
  readonly state: RowState;
  readonly originalState: OriginalState | null;
  readonly isInChunk: boolean;
  readonly count: number;
}

/**
 * How many rows of a batch stand in each status; the numbers add up to the batch's rows. Counted without the
 * view `rows`, which would look every row up in the other tables, before each run that goes on.
 */
export const countStatuses = verb(
  { pool: 'long', repeatable: true },
  async (database: Database, batchId: string): Promise<StatusCounts> => {
    const groups = await query<StateGroup & { readonly open: number; readonly claimed: number }>(
      database,
      `WITH open AS (
         SELECT coalesce(sum(open_rows), 0)::int AS open,
           coalesce(sum(open_rows) FILTER (WHERE lease_token IS NOT NULL), 0)::int AS claimed
         FROM send_chunks WHERE batch_id = ?)
       SELECT * FROM (
         SELECT state, NULL AS "originalState", chunk IS NOT NULL AS "isInChunk", count(*)::int AS count
         FROM row_states WHERE batch_id = ? AND state <> 'duplicate' GROUP BY 1, 3
         UNION ALL
         SELECT 'duplicate', r.state, false, count(*)::int
         FROM (SELECT batch_id, same_as AS row_number FROM row_states
           WHERE batch_id = ? AND state = 'duplicate' ${asFence}) s
         ${rowOf('s')} GROUP BY 2) groups CROSS JOIN open`,
      [batchId, batchId, batchId],
    );
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
    return Object.fromEntries(counts);
  },
);

/** How many created rows have an answer that contradicts what was sent. */
export const countContradicted = verb(
  { pool: 'long', repeatable: false },
  async (database: Database, batchId: string): Promise<number> => {
    const [found] = await query<{ count: number }>(
      database,
      `SELECT count(*)::int AS count FROM row_states
       WHERE batch_id = ? AND state = 'created' AND code = ?`,
      [batchId, answerDiffers],
    );
    return found?.count ?? 0;
  },
);

/** Whether any row can still move without a person: something to prepare, to send, or to send again. */
export const hasMovableRows = verb(
  { pool: 'long', repeatable: true },
  async (database: Database, batchId: string): Promise<boolean> => {
    const [found] = await query<{ isMovable: boolean }>(
      database,
      `SELECT ${hasMovable('b.id')} AS "isMovable" FROM batches b WHERE b.id = ?`,
      [batchId],
    );
    return found?.isMovable ?? false;
  },
);

/** Whether any row is under the lease of another run: that is sending it, or was when it was lost. */
export const hasRowsOfOtherRuns = verb(
  { pool: 'short', repeatable: true },
  async (database: Database, batchId: string, runId: string): Promise<boolean> => {
    const [found] = await query<{ isAny: boolean }>(
      database,
      `SELECT EXISTS (SELECT FROM send_chunks c JOIN claims l USING (batch_id, lease_token)
           WHERE batch_id = ? AND c.lease_token IS NOT NULL AND c.open_rows > 0 AND l.run_id <> ?)
         OR EXISTS (SELECT FROM row_states WHERE batch_id = ? AND state = 'sending' AND run_id <> ?) AS "isAny"`,
      [batchId, runId, batchId, runId],
    );
    return found?.isAny ?? false;
  },
);
