import type { NormalisedRecord } from '../domain/record.ts';
import type { RowState } from '../domain/row-state.ts';
import { type Database, execute, isoUtc, query } from './sql.ts';

const rowsPerPage = 2_000;

/** A created row with what was sent for it and what the API answered. */
export interface AnsweredRow {
  readonly row: number;
  readonly resource: string;
  readonly objectId: string;
  readonly body: Buffer;
  /** Null when no answer was kept: it was too large, or a person's verdict stands in its place. */
  readonly answer: string | null;
}

/** The created rows of a batch in row order, in groups, each with the answer that created it. */
export function readAnsweredRows(
  database: Database,
  batchId: string,
): AsyncGenerator<readonly AnsweredRow[]> {
  return pages((afterRow) =>
    query<AnsweredRow>(
      database,
      `SELECT r.row_number AS row, r.resource, r.object_id AS "objectId", q.body, a.answer
       FROM (SELECT * FROM rows WHERE batch_id = ? AND state = 'created' AND row_number > ?
             ORDER BY row_number LIMIT ${rowsPerPage}) r
       JOIN requests q USING (batch_id, row_number, generation)
       LEFT JOIN LATERAL (SELECT answer FROM attempts
         WHERE batch_id = r.batch_id AND row_number = r.row_number AND generation = r.generation
           AND outcome = 'created' ORDER BY number DESC LIMIT 1) a ON true
       ORDER BY r.row_number`,
      [batchId, afterRow],
    ),
  );
}

/** A row that only a person, or the next run, moves on: with all that its history tells. */
export interface DoubtfulRow {
  readonly row: number;
  readonly state: Extract<RowState, 'unknown' | 'held' | 'sending'>;
  readonly idempotencyKey: string | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly attempts: number;
  readonly httpStatus: number | null;
  /** When a request of its key first left; null when none did. */
  readonly firstSentAt: string | null;
  readonly changedAt: string;
  /** Since the first sending, or, when nothing was sent, since its state last changed; by the ledger's clock. */
  readonly ageInMs: number;
}

export function readDoubtfulRows(
  database: Database,
  batchId: string,
): AsyncGenerator<readonly DoubtfulRow[]> {
  return pages((afterRow) =>
    query<DoubtfulRow>(
      database,
      `SELECT r.row_number AS row, r.state, q.idempotency_key AS "idempotencyKey", r.code, r.message, r.attempts,
         r.http_status AS "httpStatus", ${isoUtc('r.first_sent_at')} AS "firstSentAt",
         ${isoUtc('r.changed_at')} AS "changedAt",
         (extract(epoch FROM now() - coalesce(r.first_sent_at, r.changed_at)) * 1000)::float8 AS "ageInMs"
       FROM rows r LEFT JOIN requests q USING (batch_id, row_number, generation)
       WHERE r.batch_id = ? AND r.state IN ('unknown', 'held', 'sending') AND r.row_number > ?
       ORDER BY r.row_number LIMIT ${rowsPerPage}`,
      [batchId, afterRow],
    ),
  );
}

/** Rows that contradict each other about one object. */
export interface Contradiction {
  /** `id`: one id stands on two rows; `natural_key`: one natural key has two ids. */
  readonly kind: 'id' | 'natural_key';
  readonly objectIds: readonly string[];
  readonly rows: readonly { readonly batch: string; readonly row: number }[];
}

/** SQL: a row that says which object a natural key has. One that was sent on a person's word owns another key. */
const namesItsObject = (row: string): string =>
  `${row}.object_id IS NOT NULL AND (${row}.state = 'existing' OR ${row}.state = 'created' AND ${row}.natural_key = ${row}.owned_key)`;

/**
 * Ids that stand on two created rows, and natural keys with two objects, where this batch is one of them: the
 * ledger lets no two rows create one key, but a person may name another object as the existing one. That is
 * right for an object that was sent on a person's word.
 */
export function findContradictions(
  database: Database,
  batchId: string,
  limit: number,
): Promise<Contradiction[]> {
  const found = `array_agg(DISTINCT r.object_id) AS "objectIds",
    json_agg(json_build_object('batch', r.batch_id, 'row', r.row_number) ORDER BY r.batch_id, r.row_number) AS rows`;
  return query<Contradiction>(
    database,
    `SELECT * FROM (
       SELECT 'id' AS kind, ${found}
       FROM (SELECT DISTINCT environment_id, kind, object_id FROM created_objects WHERE batch_id = ?) s
       JOIN created_objects r USING (environment_id, kind, object_id) GROUP BY object_id HAVING count(*) > 1
       UNION ALL
       SELECT 'natural_key', ${found}
       FROM (SELECT DISTINCT environment_id, kind, natural_key FROM rows o WHERE batch_id = ? AND ${namesItsObject('o')}) s
       JOIN rows r USING (environment_id, kind, natural_key)
       WHERE ${namesItsObject('r')} AND NOT (r.state = 'existing' AND EXISTS (
         SELECT FROM rows o WHERE o.environment_id = r.environment_id AND o.kind = r.kind AND o.state = 'created'
           AND o.object_id = r.object_id AND o.natural_key = r.natural_key AND o.owned_key <> o.natural_key))
       GROUP BY natural_key HAVING count(DISTINCT r.object_id) > 1) c
     LIMIT ?`,
    [batchId, batchId, limit],
  );
}

/** What one run's sending came to for a row, for judging whether its object had been there before. */
export interface ReplayedRow {
  readonly row: number;
  readonly state: RowState;
  readonly objectId: string | null;
  readonly resource: string;
  /** The answer that created or confirmed it in this run; null when none did. */
  readonly answer: string | null;
}

/** The rows that a run sent, in row order, as they stand now. */
export function findReplayedRows(database: Database, batchId: string, runId: string): Promise<ReplayedRow[]> {
  return query<ReplayedRow>(
    database,
    `SELECT r.row_number AS row, r.state, r.object_id AS "objectId", r.resource,
       (array_agg(a.answer ORDER BY a.number DESC) FILTER (WHERE a.outcome = 'created'))[1] AS answer
     FROM attempts a JOIN rows r USING (batch_id, row_number)
     WHERE a.batch_id = ? AND a.run_id = ? GROUP BY r.row_number, r.state, r.object_id, r.resource
     ORDER BY r.row_number`,
    [batchId, runId],
  );
}

/** Answers of rows that needed one request only: their time of creation lies between two times of ours. */
export interface TimedAnswer {
  readonly answer: string;
  readonly sentAt: string;
  readonly recordedAt: string;
}

/** The newest such answers of an environment before a moment. */
export function findTimedAnswers(
  database: Database,
  environmentId: number,
  before: string,
  limit: number,
): Promise<TimedAnswer[]> {
  return query<TimedAnswer>(
    database,
    `SELECT a.answer, ${isoUtc('r.first_sent_at')} AS "sentAt", ${isoUtc('a.recorded_at')} AS "recordedAt"
     FROM rows r JOIN attempts a USING (batch_id, row_number, generation)
     WHERE r.environment_id = ? AND r.state = 'created' AND r.attempts = 1 AND a.outcome = 'created'
       AND a.answer IS NOT NULL AND a.recorded_at < ?::timestamptz
     ORDER BY a.recorded_at DESC LIMIT ?`,
    [environmentId, before, limit],
  );
}

/** A row of a batch that exists at the API, or may, with what was sent for it where anything was. */
export interface OwnRecord {
  readonly row: number;
  readonly state: RowState;
  readonly resource: string;
  readonly objectId: string | null;
  readonly record: NormalisedRecord;
  readonly body: Buffer | null;
  /** The UTC day of the first sending, `YYYY-MM-DD`. */
  readonly day: string | null;
}

/** Every row of a batch whose object is this batch's own and exists, or may, in row order, in groups. */
export function readOwnRecords(database: Database, batchId: string): AsyncGenerator<readonly OwnRecord[]> {
  return pages((afterRow) =>
    query<OwnRecord>(
      database,
      `SELECT r.row_number AS row, r.state, r.resource, r.object_id AS "objectId", i.record, q.body,
         to_char(r.first_sent_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day
       FROM (SELECT * FROM rows WHERE batch_id = ? AND row_number > ?
               AND (state IN ('created', 'unknown', 'sending') OR (state = 'held' AND first_sent_at IS NOT NULL))
             ORDER BY row_number LIMIT ${rowsPerPage}) r
       JOIN row_inputs i USING (batch_id, row_number)
       LEFT JOIN requests q USING (batch_id, row_number, generation)
       ORDER BY r.row_number`,
      [batchId, afterRow],
    ),
  );
}

/** Pages by row number, so that no cursor stays open. */
async function* pages<Row extends { readonly row: number }>(
  read: (afterRow: number) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let afterRow = 0;
  for (;;) {
    const page = await read(afterRow);
    if (page.length === 0) return;
    yield page;
    afterRow = page.at(-1)?.row ?? afterRow;
  }
}

/**
 * Notes which records of a temporary table are objects of other batches, or objects that rows of this batch
 * found already there.
 * @param open a table with `n` and `id`; `into` one with `n` and `place`
 */
export async function noteKnownElsewhere(
  database: Database,
  batch: { readonly environmentId: number; readonly kind: string },
  open: string,
  into: string,
): Promise<void> {
  await execute(
    database,
    `INSERT INTO ${into} (n, place)
     SELECT o.n, 'row ' || r.row_number || ' of batch ' || left(r.batch_id::text, 8)
     FROM ${open} o JOIN rows r ON r.object_id = o.id
     WHERE r.environment_id = ? AND r.kind = ? AND r.state IN ('created', 'existing')`,
    [batch.environmentId, batch.kind],
  );
}
