/* What the files of a batch show: its rows in the form of result files, and the comparisons that were made of it. */

import { partsOfTime, type SentOverTime } from '../../domain/batches/account.ts';
import type { ReconciliationFigures } from '../../domain/batches/reconciliation.ts';
import type { CallOutcome } from '../../domain/failures/paybatch-error.ts';
import { type ResultRow, shownCells } from '../../domain/rows/result-row.ts';
import { duplicateStatus, type RowState, resultStatus } from '../../domain/rows/row-state.ts';
import { hasMovable, inputOf, requestOf, rowOf } from '../query/planner.ts';
import {
  bool,
  type Database,
  int4,
  isoUtc,
  json,
  longVerb,
  longVerbOnce,
  numbersLiteral,
  orNull,
  query,
  type RowRange,
  rangeBindings,
  readPages,
  shortVerb,
  text,
  uuid,
  verb,
  word,
} from '../query/sql.ts';

type OriginalState = Exclude<RowState, 'duplicate'>;

interface StoredRow
  extends Omit<ResultRow, 'cells' | 'status' | 'notes' | 'findings' | 'money' | 'reference' | 'sameAs'> {
  readonly state: RowState;
  readonly cells: string;
  readonly notes: string;
  readonly findings: string;
  readonly currency: string | null;
  readonly amount: string | null;
  readonly reference: string | null;
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
 * @param referenceField the field of a row's record that is its own reference; null when it is not needed
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
    const read = (range: RowRange): Promise<StoredRow[]> =>
      readStored(database, 'rows_between(?, ?, ?) r', rangeBindings(range), referenceField);
    for await (const page of readPages(database, batchId, read, fromAfter)) yield page.map(toResultRow);
  },
);

/** Rows of a batch by their numbers, in input order; numbers without a row are left out. */
export const findResultRows = shortVerb(
  async (database: Database, batchId: string, rows: readonly number[]): Promise<ResultRow[]> => {
    const named = `(SELECT ?::uuid AS batch_id, unnest(?::int[]) AS row_number) n ${rowOf('n')}`;
    const stored = await readStored(database, named, [batchId, numbersLiteral(rows)], null);
    return stored.map(toResultRow);
  },
);

/** A row as an edit of its cells sees it. */
export type EditableRow = Pick<ResultRow, 'row' | 'status' | 'code'> & {
  /** As its file shows them. */
  readonly cells: readonly string[];
};

type StoredEditableRow = Pick<
  StoredRow,
  'row' | 'state' | 'code' | 'cells' | 'findings' | 'originalState' | 'originalCode'
>;

/** Finding texts that tell how a file shows a cell have this. */
const tellsShown = '%"shown":%';

/** The same rows, with only what an edit of their cells needs: a long block reads thousands while a person waits. */
export async function findEditableRows(
  database: Database,
  batchId: string,
  rows: readonly number[],
): Promise<EditableRow[]> {
  const found = await query<StoredEditableRow>(
    database,
    {
      row: int4,
      state: word(),
      code: orNull(text),
      cells: text,
      findings: text,
      originalState: orNull(word()),
      originalCode: orNull(text),
    },
    `SELECT r.row_number AS row, r.state, r.code, i.cells, CASE WHEN i.findings LIKE ? THEN i.findings ELSE '[]' END AS findings,
       o.state AS "originalState", o.code AS "originalCode"
     FROM (SELECT ?::uuid AS batch_id, unnest(?::int[]) AS row_number) n ${rowOf('n')}
     ${inputOf('r')} ${repeatedBy('r')}`,
    [tellsShown, batchId, numbersLiteral(rows)],
  );
  return found.map(({ row, state, originalState, originalCode, ...stored }) => {
    const cells = shownCells({ cells: JSON.parse(stored.cells), findings: JSON.parse(stored.findings) });
    if (state !== 'duplicate') return { row, cells, status: resultStatus(state), code: stored.code };
    return { row, cells, status: duplicateStatus(requireOriginal(originalState)), code: originalCode };
  });
}

/** SQL that joins the row `o` that row `row` repeats, only where it repeats one, wherever that is. */
function repeatedBy(row: string): string {
  return `LEFT JOIN LATERAL (SELECT state, object_id, code, field, message, changed_at FROM rows
    WHERE ${row}.state = 'duplicate' AND batch_id = ${row}.batch_id AND row_number = ${row}.same_as LIMIT 1) o ON true`;
}

/** @param from SQL of a FROM clause that returns the rows `r`, as the view `rows` has them */
function readStored(
  database: Database,
  from: string,
  bindings: readonly unknown[],
  referenceField: string | null,
): Promise<StoredRow[]> {
  return query<StoredRow>(
    database,
    {
      row: int4,
      state: word(),
      cells: text,
      notes: text,
      findings: text,
      currency: orNull(text),
      amount: orNull(text),
      reference: orNull(text),
      objectId: orNull(text),
      code: orNull(text),
      field: orNull(text),
      message: orNull(text),
      httpStatus: orNull(int4),
      attempts: int4,
      idempotencyKey: orNull(uuid),
      changedAt: text,
      sameAs: orNull(int4),
      originalState: orNull(word()),
      originalObjectId: orNull(text),
      originalCode: orNull(text),
      originalField: orNull(text),
      originalMessage: orNull(text),
      originalChangedAt: orNull(text),
    },
    `SELECT r.row_number AS row, r.state, i.cells, i.notes, i.findings, i.record->>'currency' AS currency,
       i.record->>'amount' AS amount, ${referenceField === null ? 'NULL' : 'i.record->>?'} AS reference, r.object_id AS "objectId", r.code, r.field, r.message,
       r.http_status AS "httpStatus", r.attempts, q.idempotency_key AS "idempotencyKey",
       ${isoUtc('r.changed_at')} AS "changedAt", r.same_as AS "sameAs", o.state AS "originalState",
       o.object_id AS "originalObjectId", o.code AS "originalCode", o.field AS "originalField",
       o.message AS "originalMessage", ${isoUtc('o.changed_at')} AS "originalChangedAt"
     FROM ${from}
     ${inputOf('r')}
     ${requestOf('r')}
     ${repeatedBy('r')}
     ORDER BY r.row_number`,
    [...(referenceField === null ? [] : [referenceField]), ...bindings],
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
  return {
    status: duplicateStatus(requireOriginal(stored.originalState)),
    objectId: stored.originalObjectId,
    code: stored.originalCode,
    field: stored.originalField,
    message: stored.originalMessage,
    changedAt: stored.originalChangedAt ?? stored.changedAt,
  };
}

function requireOriginal(state: OriginalState | null): OriginalState {
  if (state === null) throw new Error('a duplicate row has lost the row that it repeats');
  return state;
}

/** Whether any row can still move without a person: something to prepare, to send, or to send again. */
export const hasMovableRows = longVerb(async (database: Database, batchId: string): Promise<boolean> => {
  const [found] = await query(
    database,
    { isMovable: bool },
    `SELECT ${hasMovable('b.id')} AS "isMovable" FROM batches b WHERE b.id = ?`,
    [batchId],
  );
  return found?.isMovable ?? false;
});

/** Whether any row is under the lease of another run: that run is sending it, or was when it was lost. */
export const hasRowsOfOtherRuns = shortVerb(
  async (database: Database, batchId: string, runId: string): Promise<boolean> => {
    const [found] = await query(
      database,
      { isAny: bool },
      `SELECT EXISTS (SELECT FROM send_chunks c JOIN claims l USING (batch_id, lease_token)
           WHERE batch_id = ? AND c.lease_token IS NOT NULL AND c.open_rows > 0 AND l.run_id <> ?)
         OR EXISTS (SELECT FROM row_states WHERE batch_id = ? AND state = 'sending' AND run_id <> ?) AS "isAny"`,
      [batchId, runId, batchId, runId],
    );
    return found?.isAny ?? false;
  },
);

/* When the rows of a batch got their status while it was sent, for a picture of a run. */

/** A picture of more rows looks the same, and takes longer to read. */
const mostRows = 2_000;

/**
 * How many rows of a batch got which status in each part of a span of time. Of a large batch, rows at equal distances are
 * looked at, each of which represents those beside it.
 * @param span ISO 8601, UTC
 */
export const readSentOverTime = shortVerb(
  (
    database: Database,
    batchId: string,
    { from, to }: { readonly from: string; readonly to: string },
  ): Promise<SentOverTime[]> => {
    return query<SentOverTime>(
      database,
      { status: word(), part: int4, rows: int4 },
      `WITH bounds AS MATERIALIZED (
         SELECT min(row_number) AS first, max(row_number) AS last FROM row_states WHERE batch_id = ?),
       steps AS MATERIALIZED (
         SELECT first, last, greatest(1, ceil((last - first + 1) / ${mostRows}.0))::int AS step FROM bounds),
       looked AS MATERIALIZED (SELECT step, generate_series(first, last, step) AS row_number FROM steps),
       ended AS (
         SELECT 'created' AS status, o.created_at AS at, l.step FROM looked l
           JOIN created_objects o ON o.batch_id = ? AND o.row_number = l.row_number
         UNION ALL
         SELECT s.state, s.changed_at, l.step FROM looked l
           JOIN row_states s ON s.batch_id = ? AND s.row_number = l.row_number
           WHERE s.state IN ('rejected', 'unknown', 'held', 'waiting') AND s.attempts > 0)
       SELECT status, greatest(1, least(${partsOfTime}, ceil(${partsOfTime} * extract(epoch FROM at - ?::timestamptz)
           / greatest(0.001, extract(epoch FROM ?::timestamptz - ?::timestamptz)))))::int AS part, sum(step)::int AS rows
       FROM ended WHERE at BETWEEN ?::timestamptz AND ?::timestamptz GROUP BY 1, 2 ORDER BY 2, 1`,
      [batchId, batchId, batchId, from, to, from, from, to],
    );
  },
);

/** The comparisons of a batch with the other side, oldest first. */
export const listReconciliations = longVerbOnce((database: Database, batchId: string) =>
  query(
    database,
    {
      compared: json<unknown>(),
      result: json<ReconciliationFigures>(),
      madeBy: text,
      outcome: word<CallOutcome>(),
      madeAt: text,
    },
    `SELECT compared, result, made_by AS "madeBy", outcome, ${isoUtc('made_at')} AS "madeAt"
     FROM reconciliations WHERE batch_id = ? ORDER BY id`,
    [batchId],
  ),
);
