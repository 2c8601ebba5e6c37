/* The data that reconciliation reads: answers, rows in doubt, contradictions, and a batch's own objects. */

import type { Contradiction } from '../../domain/batches/reconciliation.ts';
import type { NormalisedRecord, UndecidedRow } from '../../domain/rows/ledger-row.ts';
import type { RowState } from '../../domain/rows/row-state.ts';
import { contradicting } from '../protocol/late-creations.ts';
import * as arrays from '../query/arrays.ts';
import { asFence, inputOf, isUnsettled, rangeBindings, readPages, requestOf, rowOf } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/** The created rows of a batch in row order, in groups, each with the answer that created it. */
export const readAnsweredRows = sql.longVerbOnce((database: sql.Database, batchId: string) =>
  readPages(database, batchId, (range) =>
    sql.query(
      database,
      {
        row: sql.int4,
        resource: sql.text,
        objectId: sql.text,
        body: sql.bytes,
        /** Null if no answer was stored: it was too large, or a person's verdict replaces it. */
        answer: sql.orNull(sql.text),
      },
      `SELECT r.row_number AS row, r.resource, r.object_id AS "objectId", q.body, a.answer
         FROM rows_between(?, ?, ?) r
         ${requestOf('r')}
         LEFT JOIN LATERAL (SELECT answer FROM attempts
           WHERE batch_id = r.batch_id AND row_number = r.row_number AND generation = r.generation
             AND outcome = 'created' AND object_id = r.object_id AND answer IS NOT NULL
           ORDER BY number DESC LIMIT 1) a ON true
         WHERE r.state = 'created' AND q.batch_id IS NOT NULL ORDER BY r.row_number`,
      rangeBindings(range),
    ),
  ),
);

export const readUndecidedRows = sql.longVerbOnce(
  (database: sql.Database, batchId: string): AsyncGenerator<readonly UndecidedRow[]> =>
    readPages(database, batchId, (range) =>
      sql.query<UndecidedRow>(
        database,
        {
          row: sql.int4,
          state: sql.word(),
          idempotencyKey: sql.orNull(sql.uuid),
          record: sql.json(),
          code: sql.orNull(sql.text),
          message: sql.orNull(sql.text),
          attempts: sql.int4,
          httpStatus: sql.orNull(sql.int4),
          firstSentAt: sql.orNull(sql.text),
          changedAt: sql.text,
          ageInMs: sql.float8,
          isUnsettled: sql.bool,
        },
        `SELECT r.row_number AS row, r.state, q.idempotency_key AS "idempotencyKey", i.record, r.code, r.message, r.attempts,
           r.http_status AS "httpStatus", ${sql.isoUtc('r.first_sent_at')} AS "firstSentAt",
           ${sql.isoUtc('r.changed_at')} AS "changedAt",
           (extract(epoch FROM now() - coalesce(r.first_sent_at, r.changed_at)) * 1000)::float8 AS "ageInMs",
           ${isUnsettled('r')} AS "isUnsettled"
         FROM rows_between(?, ?, ?) r
         ${inputOf('r')}
         ${requestOf('r')}
         WHERE r.state IN ('unknown', 'held', 'sending') ORDER BY r.row_number`,
        rangeBindings(range),
      ),
    ),
);

/**
 * Natural keys with two objects, one of which belongs to this batch. The ledger does not let two rows create one key, but a
 * person may name another object as the existing one. So only the keys of such rows are examined. Two objects are right if a
 * person had a row sent anyway: that row then owns another key. Also returns the objects that were created for rows of this
 * batch but that these rows do not record.
 */
export const findContradictions = sql.longVerbOnce(
  (database: sql.Database, batchId: string, limit: number): Promise<Contradiction[]> =>
    sql.query<Contradiction>(
      database,
      { kind: sql.word(), objectIds: sql.texts, rows: sql.json() },
      `WITH named AS (
         SELECT s.environment_id, s.kind, s.natural_key, s.batch_id, s.row_number, s.object_id, EXISTS (
             SELECT FROM created_objects c JOIN row_states o USING (batch_id, row_number)
             WHERE c.environment_id = s.environment_id AND c.kind = s.kind AND c.object_id = s.object_id
               AND o.natural_key = s.natural_key AND o.owned_key <> o.natural_key) AS is_right
         FROM batches b JOIN row_states s ON s.environment_id = b.environment_id AND s.kind = b.kind
           AND s.state = 'existing' AND s.natural_key IS NOT NULL
         WHERE b.id = ?),
       owners AS (
         SELECT k.environment_id, k.kind, k.natural_key, r.batch_id, r.row_number, r.object_id, false AS is_right
         FROM (SELECT DISTINCT environment_id, kind, natural_key FROM named) k
         CROSS JOIN LATERAL (SELECT batch_id, row_number FROM row_states
           WHERE environment_id = k.environment_id AND kind = k.kind AND owned_key = k.natural_key ${asFence}) s
         ${rowOf('s')} WHERE r.state = 'created')
       SELECT * FROM (
         SELECT 'natural_key' AS kind, array_agg(DISTINCT n.object_id) FILTER (WHERE NOT n.is_right) AS "objectIds",
           json_agg(json_build_object('batch', n.batch_id, 'row', n.row_number) ORDER BY n.batch_id, n.row_number)
             FILTER (WHERE NOT n.is_right) AS rows
         FROM (SELECT * FROM named UNION ALL SELECT * FROM owners) n
         GROUP BY n.natural_key
         HAVING count(DISTINCT n.object_id) FILTER (WHERE NOT n.is_right) > 1 AND bool_or(n.batch_id = ?)
         UNION ALL
         SELECT 'unrecorded', array_agg(DISTINCT u.object_id),
           json_build_array(json_build_object('batch', u.batch_id, 'row', u.row_number))
         FROM ${contradicting} GROUP BY u.batch_id, u.row_number) c
       LIMIT ?`,
      [batchId, batchId, batchId, limit],
    ),
);

const replayedRowColumns = {
  row: sql.int4,
  state: sql.word<RowState>(),
  objectId: sql.orNull(sql.text),
  resource: sql.text,
  /** The answer that created or confirmed the object in this run; null if there was no such answer. */
  answer: sql.orNull(sql.text),
};

/** The result of one run for a row that it sent. It shows whether the row's object existed before. */
export type ReplayedRow = sql.RowOf<typeof replayedRowColumns>;

/**
 * The rows that a run sent and whose objects were unknown before that run, in their present state, in row order, in groups.
 */
export const readReplayedRows = sql.longVerbOnce(
  (database: sql.Database, batchId: string, runId: string): AsyncGenerator<readonly ReplayedRow[]> =>
    readPages(database, batchId, (range) =>
      sql.query(
        database,
        replayedRowColumns,
        `SELECT r.row_number AS row, r.state, r.object_id AS "objectId", r.resource,
           a.answer
         FROM rows_between(?, ?, ?) r
         CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE run_id = ?) AS sent,
             count(*) FILTER (WHERE run_id <> ? AND outcome = 'created') AS known,
             (array_agg(answer ORDER BY number DESC) FILTER (WHERE run_id = ? AND outcome = 'created'))[1] AS answer
           FROM attempts WHERE batch_id = r.batch_id AND row_number = r.row_number) a
         WHERE a.sent > 0 AND a.known = 0 ORDER BY r.row_number`,
        [...rangeBindings(range), runId, runId, runId],
      ),
    ),
);

/** The newest stored answers of an environment, recorded before a moment, that created an object at the first request. */
export const findTimedAnswers = sql.longVerbOnce(
  (database: sql.Database, environmentId: number, before: string, limit: number) =>
    sql.query(
      database,
      { answer: sql.text, sentAt: sql.text, recordedAt: sql.text },
      `SELECT a.answer, ${sql.isoUtc('r.first_sent_at')} AS "sentAt", ${sql.isoUtc('a.recorded_at')} AS "recordedAt"
       FROM rows r JOIN attempts a USING (batch_id, row_number, generation)
       WHERE r.environment_id = ? AND r.state = 'created' AND r.attempts = 1 AND a.outcome = 'created'
         AND a.answer IS NOT NULL AND a.recorded_at < ?::timestamptz
       ORDER BY a.recorded_at DESC LIMIT ?`,
      [environmentId, before, limit],
    ),
);

const ownRecordColumns = {
  row: sql.int4,
  state: sql.word<RowState>(),
  resource: sql.text,
  objectId: sql.orNull(sql.text),
  record: sql.json<NormalisedRecord>(),
  body: sql.orNull(sql.bytes),
  /** The UTC day of the first sending, `YYYY-MM-DD`. */
  day: sql.orNull(sql.text),
};

/** A row of a batch whose object exists at the API or may exist there, with its request if it had one. */
export type OwnRecord = sql.RowOf<typeof ownRecordColumns>;

/** SQL: a batch's own data, from rows `r` with their input `i` and request `q`. */
const ownRecord = `r.row_number AS row, r.state, r.resource, r.object_id AS "objectId", i.record, q.body,
  to_char(r.first_sent_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day`;

/** SQL: row `r` has or may have its own object. */
const mayHaveObject =
  "(r.state IN ('created', 'unknown', 'sending') OR (r.state = 'held' AND r.first_sent_at IS NOT NULL))";

/** Every row of a batch that has or may have its own object, in row order, in groups. */
export const readOwnRecords = sql.longVerbOnce(
  (database: sql.Database, batchId: string): AsyncGenerator<readonly OwnRecord[]> =>
    readPages(database, batchId, (range) =>
      sql.query(
        database,
        ownRecordColumns,
        `SELECT ${ownRecord}
         FROM rows_between(?, ?, ?) r
         ${inputOf('r')}
         ${requestOf('r')}
         WHERE ${mayHaveObject} ORDER BY r.row_number`,
        rangeBindings(range),
      ),
    ),
);

/** The records of a batch that have one of these object ids, or that own one of these natural keys, in row order. */
export const findOwnRecords = sql.longVerb(
  (
    database: sql.Database,
    batch: { readonly id: string; readonly environmentId: number; readonly kind: string },
    objectIds: readonly string[],
    naturalKeys: readonly Buffer[],
  ): Promise<OwnRecord[]> =>
    sql.query(
      database,
      ownRecordColumns,
      `SELECT ${ownRecord}
       FROM (
         SELECT found.* FROM unnest(?::text[]) AS named (id) CROSS JOIN LATERAL (
           SELECT batch_id, row_number FROM created_objects
           WHERE environment_id = ? AND kind = ? AND object_id = named.id ${asFence}) found
         UNION
         SELECT found.* FROM unnest(?::bytea[]) AS named (key) CROSS JOIN LATERAL (
           SELECT batch_id, row_number FROM row_states
           WHERE environment_id = ? AND kind = ? AND owned_key = named.key ${asFence}) found) s
       ${rowOf('s')} ${inputOf('r')} ${requestOf('r')}
       WHERE s.batch_id = ? AND ${mayHaveObject} ORDER BY r.row_number`,
      [
        ...[objectIds, batch.environmentId, batch.kind],
        ...[arrays.bytesLiteral(naturalKeys), batch.environmentId, batch.kind],
        batch.id,
      ],
    ),
);

/**
 * Finds the records of a temporary table that are objects of other batches, or that rows of this batch found to exist
 * already, and stores where each one is known.
 * @param open a table with `n` and `id`
 * @param into a table with `n` and `place`
 */
export const noteKnownElsewhere = sql.longVerbOnce(
  (
    database: sql.Database,
    batch: { readonly environmentId: number; readonly kind: string },
    open: string,
    into: string,
  ): Promise<void> =>
    sql.run(
      database,
      `INSERT INTO ${into} (n, place)
       SELECT o.n, 'row ' || r.row_number || ' of batch ' || left(r.batch_id::text, 8)
       FROM ${open} o CROSS JOIN LATERAL (
         SELECT batch_id, row_number FROM created_objects WHERE environment_id = ? AND kind = ? AND object_id = o.id
         UNION ALL
         SELECT batch_id, row_number FROM row_states
         WHERE environment_id = ? AND kind = ? AND object_id = o.id AND state = 'existing') r`,
      [batch.environmentId, batch.kind, batch.environmentId, batch.kind],
    ),
);
