/* The data for the files of a batch: its rows in the form of result files, and its comparisons with the other side. */

import { partsOfTime, type SentOverTime } from '../../domain/batches/account.ts';
import type { ReconciliationFigures } from '../../domain/batches/reconciliation.ts';
import type { CallOutcome } from '../../domain/failures/paybatch-error.ts';
import type { Finding } from '../../domain/rows/finding.ts';
import { type ResultRow, shownCells } from '../../domain/rows/result-row.ts';
import { duplicateStatus, type RowState, resultStatus } from '../../domain/rows/row-state.ts';
import * as arrays from '../query/arrays.ts';
import {
  hasMovable,
  inputOf,
  type RowRange,
  rangeBindings,
  readPages,
  repeatedBy,
  requestOf,
  rowOf,
} from '../query/rows.ts';
import * as sql from '../query/sql.ts';

type OriginalState = Exclude<RowState, 'duplicate'>;

const storedColumns = {
  row: sql.int4,
  state: sql.word<RowState>(),
  cells: sql.jsonText<string[]>(),
  notes: sql.text,
  findings: sql.text,
  currency: sql.orNull(sql.text),
  amount: sql.orNull(sql.text),
  reference: sql.orNull(sql.text),
  objectId: sql.orNull(sql.text),
  code: sql.orNull(sql.text),
  field: sql.orNull(sql.text),
  message: sql.orNull(sql.text),
  httpStatus: sql.orNull(sql.int4),
  attempts: sql.int4,
  idempotencyKey: sql.orNull(sql.uuid),
  changedAt: sql.text,
  sameAs: sql.orNull(sql.int4),
  originalState: sql.orNull(sql.word<OriginalState>()),
  originalObjectId: sql.orNull(sql.text),
  originalCode: sql.orNull(sql.text),
  originalField: sql.orNull(sql.text),
  originalMessage: sql.orNull(sql.text),
  originalChangedAt: sql.orNull(sql.text),
};

type StoredRow = sql.RowOf<typeof storedColumns>;

/**
 * Every row of a batch once, in input order, in groups.
 * @param referenceField the field of a row's record with the row's own reference; null if the caller does not need it
 * @param fromAfter the row number after which to begin
 */
export const readResultRows = sql.verb(
  { pool: 'short', repeatable: { fromRow: 3 } },
  async function* (
    database: sql.Database,
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
export const findResultRows = sql.shortVerb(
  async (database: sql.Database, batchId: string, rows: readonly number[]): Promise<ResultRow[]> => {
    const named = `(SELECT ?::uuid AS batch_id, unnest(?::int[]) AS row_number) n ${rowOf('n')}`;
    const stored = await readStored(database, named, [batchId, arrays.numbersLiteral(rows)], null);
    return stored.map(toResultRow);
  },
);

/** The data of a row that an edit of its cells needs. */
type EditableRow = Pick<ResultRow, 'row' | 'status' | 'code'> & {
  /** The cells as the file shows them. */
  readonly cells: readonly string[];
};

/** LIKE pattern of findings that record how a file shows a cell. */
const tellsShown = '%"shown":%';

/**
 * The data of these rows that an edit needs, and no other data: a long block has thousands of rows, and a person waits for
 * it.
 */
export async function findEditableRows(
  database: sql.Database,
  batchId: string,
  rows: readonly number[],
): Promise<EditableRow[]> {
  const { row, state, code, cells, originalState, originalCode } = storedColumns;
  const found = await sql.query(
    database,
    { row, state, code, cells, findings: sql.jsonText<Finding[]>(), originalState, originalCode },
    `SELECT r.row_number AS row, r.state, r.code, i.cells, CASE WHEN i.findings LIKE ? THEN i.findings ELSE '[]' END AS findings,
       o.state AS "originalState", o.code AS "originalCode"
     FROM (SELECT ?::uuid AS batch_id, unnest(?::int[]) AS row_number) n ${rowOf('n')}
     ${inputOf('r')} ${repeatedBy('r')}`,
    [tellsShown, batchId, arrays.numbersLiteral(rows)],
  );
  return found.map((each) => {
    const own = { row: each.row, cells: shownCells(each) };
    if (each.state !== 'duplicate') return { ...own, status: resultStatus(each.state), code: each.code };
    return { ...own, status: duplicateStatus(requireOriginal(each.originalState)), code: each.originalCode };
  });
}

/** @param from SQL of a FROM clause that returns the rows `r`, with the columns of the view `rows` */
function readStored(
  database: sql.Database,
  from: string,
  bindings: readonly unknown[],
  referenceField: string | null,
): Promise<StoredRow[]> {
  return sql.query(
    database,
    storedColumns,
    `SELECT r.row_number AS row, r.state, i.cells, i.notes, i.findings, i.record->>'currency' AS currency,
       i.record->>'amount' AS amount, ${referenceField === null ? 'NULL' : 'i.record->>?'} AS reference, r.object_id AS "objectId", r.code, r.field, r.message,
       r.http_status AS "httpStatus", r.attempts, q.idempotency_key AS "idempotencyKey",
       ${sql.isoUtc('r.changed_at')} AS "changedAt", r.same_as AS "sameAs", o.state AS "originalState",
       o.object_id AS "originalObjectId", o.code AS "originalCode", o.field AS "originalField",
       o.message AS "originalMessage", ${sql.isoUtc('o.changed_at')} AS "originalChangedAt"
     FROM ${from}
     ${inputOf('r')}
     ${requestOf('r')}
     ${repeatedBy('r')}
     ORDER BY r.row_number`,
    [...(referenceField === null ? [] : [referenceField]), ...bindings],
  );
}

/** Called for every row of a batch, so it creates no intermediate objects. */
function toResultRow(stored: StoredRow): ResultRow {
  const { row, cells, httpStatus, attempts, idempotencyKey, currency, amount, reference, sameAs } = stored;
  const notes: string[] = stored.notes === '[]' ? [] : JSON.parse(stored.notes);
  const isRepeat = stored.state === 'duplicate';
  const result: { -readonly [Key in keyof ResultRow]: ResultRow[Key] } = {
    row,
    cells,
    status: isRepeat ? duplicateStatus(requireOriginal(stored.originalState)) : resultStatus(stored.state),
    objectId: isRepeat ? stored.originalObjectId : stored.objectId,
    code: isRepeat ? stored.originalCode : stored.code,
    field: isRepeat ? stored.originalField : stored.field,
    message: isRepeat ? stored.originalMessage : stored.message,
    httpStatus,
    attempts,
    idempotencyKey,
    changedAt: isRepeat ? (stored.originalChangedAt ?? stored.changedAt) : stored.changedAt,
    notes: isRepeat ? [...notes, `same as row ${sameAs}`] : notes,
  };
  if (currency !== null && amount !== null) result.money = { currency, amount };
  if (reference !== null) result.reference = reference;
  if (isRepeat && sameAs !== null) result.sameAs = sameAs;
  if (!isRepeat && stored.findings !== '[]') result.findings = JSON.parse(stored.findings);
  return result;
}

function requireOriginal(state: OriginalState | null): OriginalState {
  if (state === null) throw new Error('a duplicate row has lost the row that it repeats');
  return state;
}

/** Whether any row can still change without a person: a row to prepare, to send, or to send again. */
export const hasMovableRows = sql.longVerb(
  (database: sql.Database, batchId: string): Promise<boolean> =>
    sql.valueOr(
      false,
      database,
      sql.bool,
      `SELECT ${hasMovable('b.id')} AS "isMovable" FROM batches b WHERE b.id = ?`,
      [batchId],
    ),
);

/** Whether another run has claimed any row: that run is sending the row, or it was sending it when it was lost. */
export const hasRowsOfOtherRuns = sql.shortVerb(
  (database: sql.Database, batchId: string, runId: string): Promise<boolean> =>
    sql.onlyValue(
      database,
      sql.bool,
      `SELECT EXISTS (SELECT FROM send_chunks c JOIN claims l USING (batch_id, lease_token)
           WHERE batch_id = ? AND c.lease_token IS NOT NULL AND c.open_rows > 0 AND l.run_id <> ?)
         OR EXISTS (SELECT FROM row_states WHERE batch_id = ? AND state = 'sending' AND run_id <> ?) AS "isAny"`,
      [batchId, runId, batchId, runId],
    ),
);

/* When the rows of a batch got their status during sending, for a chart of a run. */

/** A chart of more rows looks the same, and takes longer to read. */
const mostRows = 2_000;

/**
 * How many rows of a batch got each status in each part of a time span. In a large batch only rows at equal distances are
 * read, and each one represents its neighbours.
 * @param span ISO 8601, UTC
 */
export const readSentOverTime = sql.shortVerb(
  (
    database: sql.Database,
    batchId: string,
    { from, to }: { readonly from: string; readonly to: string },
  ): Promise<SentOverTime[]> => {
    return sql.query<SentOverTime>(
      database,
      { status: sql.word(), part: sql.int4, rows: sql.int4 },
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
export const listReconciliations = sql.longVerbOnce((database: sql.Database, batchId: string) =>
  sql.query(
    database,
    {
      compared: sql.json<unknown>(),
      result: sql.json<ReconciliationFigures>(),
      madeBy: sql.text,
      outcome: sql.word<CallOutcome>(),
      madeAt: sql.text,
    },
    `SELECT compared, result, made_by AS "madeBy", outcome, ${sql.isoUtc('made_at')} AS "madeAt"
     FROM reconciliations WHERE batch_id = ? ORDER BY id`,
    [batchId],
  ),
);
