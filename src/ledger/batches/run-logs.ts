/*
 * The links between a batch and its run logs: the paths of the logs, data that only the logs have, and data that only the
 * ledger has.
 */

import type { ChainTip, KeptLogHead, LoggedClaim } from '../../domain/batches/run.ts';
import type { LoggableAnswer } from '../../domain/rows/result-row.ts';
import { asFence, lookUp, lookUpIfAny, rangeBindings, readPages, rowOf, rowStateOf } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/** Records the path of a log that a run writes or that a recovery has read. */
export const noteRunLog = sql.shortVerb(
  (database: sql.Database, runId: string, path: string): Promise<void> =>
    sql.run(
      database,
      'UPDATE runs SET log_paths = array_append(log_paths, ?) WHERE id = ? AND NOT (? = ANY(log_paths))',
      [path, runId, path],
    ),
);

/** The paths of all logs that runs of a batch wrote or from which the batch was recovered. */
export const listRunLogs = sql.shortVerb(
  (database: sql.Database, batchId: string): Promise<string[]> =>
    sql.valuesOf(
      database,
      sql.text,
      'SELECT DISTINCT unnest(log_paths) AS path FROM runs WHERE batch_id = ? ORDER BY 1',
      [batchId],
    ),
);

/** The batches of claims that this ledger has neither made itself nor imported from a log. */
export const findUnknownBatches = sql.shortVerb(
  async (
    database: sql.Database,
    claims: readonly (LoggedClaim & { readonly batch: string })[],
  ): Promise<string[]> => {
    if (claims.length === 0) return [];
    return sql.valuesOf(
      database,
      sql.uuid,
      `SELECT DISTINCT c.batch FROM unnest(?::uuid[], ?::text[], ?::int[]) AS c (batch, run, claim)
       WHERE NOT EXISTS (SELECT FROM logged_claims l WHERE l.batch_id = c.batch AND l.run = c.run AND l.claim = c.claim ${asFence})
         AND NOT EXISTS (SELECT FROM runs r WHERE r.batch_id = c.batch AND r.id::text = c.run AND EXISTS (SELECT FROM claims k
           WHERE k.batch_id = r.batch_id AND k.lease_token = (r.number::bigint << 32) + c.claim AND k.run_id = r.id) ${asFence})`,
      [claims.map(({ batch }) => batch), claims.map(({ run }) => run), claims.map(({ claim }) => claim)],
    );
  },
);

/**
 * How many of these claims the ledger has neither made itself nor imported from a log. A log contains only committed claims.
 * So a single unknown claim proves that this ledger has lost data, or that the log belongs to another ledger.
 */
export const countUnknownClaims = sql.shortVerb(
  (database: sql.Database, batchId: string, claims: readonly LoggedClaim[]): Promise<number> =>
    sql.onlyValue(
      database,
      sql.int4,
      `SELECT count(*)::int AS count FROM unnest(?::text[], ?::int[]) AS c (run, claim)
       WHERE NOT EXISTS (SELECT FROM logged_claims l WHERE l.batch_id = ? AND l.run = c.run AND l.claim = c.claim ${asFence})
         AND NOT EXISTS (SELECT FROM runs r
           WHERE r.batch_id = ? AND r.id::text = c.run AND (c.claim = 0 OR EXISTS (SELECT FROM claims k
             -- The number of a claim is the lower half of its lease token.
             WHERE k.batch_id = r.batch_id AND k.lease_token = (r.number::bigint << 32) + c.claim AND k.run_id = r.id))
           ${asFence})`,
      [claims.map(({ run }) => run), claims.map(({ claim }) => claim), batchId, batchId],
    ),
);

/** How many of these answered keys are unknown to this ledger, or were never sent according to it. */
export const countUnknownAnswers = sql.shortVerb(
  (database: sql.Database, batchId: string, keys: readonly string[]): Promise<number> =>
    sql.onlyValue(
      database,
      sql.int4,
      `SELECT count(*)::int AS count FROM unnest(?::uuid[]) AS a (key)
       -- By its key alone, which is unique: with the batch beside it, all of the batch's requests may be read for each.
       LEFT JOIN LATERAL (SELECT batch_id, row_number, generation FROM requests
         WHERE idempotency_key = a.key ${asFence}) q ON q.batch_id = ?
       ${lookUpIfAny('state, generation, chunk FROM row_states', 's', 'q', { batch: '?' })}
       WHERE (q.row_number IS NULL AND NOT EXISTS (SELECT FROM logged_keys
           WHERE batch_id = ? AND idempotency_key = a.key ${asFence}))
         OR (s.state = 'ready' AND s.generation = q.generation AND NOT EXISTS (SELECT FROM send_chunks c
           WHERE c.batch_id = ? AND c.chunk = s.chunk AND c.lease_token IS NOT NULL ${asFence}))`,
      [keys, batchId, batchId, batchId, batchId],
    ),
);

/** Stores claims from a recovered log, so that this ledger knows them from then on. */
export const keepLoggedClaims = sql.longVerbOnce(
  (database: sql.Database, batchId: string, claims: readonly LoggedClaim[]): Promise<void> =>
    sql.run(
      database,
      `INSERT INTO logged_claims (batch_id, run, claim) SELECT ?, c.* FROM unnest(?::text[], ?::int[]) c
       ON CONFLICT DO NOTHING`,
      [batchId, claims.map(({ run }) => run), claims.map(({ claim }) => claim)],
    ),
);

/** Stores keys from a recovered log that no request of this ledger has. */
export const keepLoggedKeys = sql.longVerbOnce(
  (database: sql.Database, batchId: string, keys: readonly string[]): Promise<void> =>
    sql.run(
      database,
      `INSERT INTO logged_keys (batch_id, idempotency_key) SELECT ?, k.key FROM unnest(?::uuid[]) AS k (key)
       WHERE NOT EXISTS (SELECT FROM requests WHERE idempotency_key = k.key ${asFence}) ON CONFLICT DO NOTHING`,
      [batchId, keys],
    ),
);

/**
 * The ended runs of a batch whose log may lack data of the ledger: the run was killed, or writing its log failed.
 * @param lostLog the path of a log that no longer exists; the runs that wrote it are included
 */
export const listUnloggedRuns = sql.shortVerb(
  (database: sql.Database, batchId: string, lostLog: string | null) =>
    sql.query(
      database,
      {
        id: sql.uuid,
        startedAt: sql.text,
        /** Whether the run has claimed rows. */
        hasClaims: sql.bool,
      },
      `SELECT id, ${sql.isoUtc('started_at')} AS "startedAt",
         EXISTS (SELECT FROM claims WHERE batch_id = runs.batch_id AND run_id = runs.id) AS "hasClaims"
       FROM runs WHERE batch_id = ? AND ended_at IS NOT NULL AND (NOT is_logged OR ?::text = ANY(log_paths))
       ORDER BY number`,
      [batchId, lostLog],
    ),
);

/**
 * Records that the log now contains all of the ledger's data about these runs.
 * @param end the last lines of the log of one of these runs; null if it has no log
 */
export const noteLogged = sql.shortVerb(
  (
    database: sql.Database,
    runIds: readonly string[],
    end: { readonly run: string; readonly head: KeptLogHead } | null = null,
  ): Promise<void> =>
    sql.run(
      database,
      `UPDATE runs SET is_logged = true, log_head = CASE WHEN id = ?::uuid THEN ?::jsonb ELSE log_head END
       WHERE id = ANY(?::uuid[])`,
      [end?.run ?? null, end === null ? null : JSON.stringify(end.head), runIds],
    ),
);

/**
 * The last lines of a batch's log from the end of the last run that completed writing it; empty if there was no such run.
 */
export const findKeptTips = sql.shortVerb(
  (database: sql.Database, batchId: string, path: string): Promise<readonly ChainTip[]> =>
    sql.valueOr(
      [],
      database,
      sql.json(),
      `SELECT log_head -> 'tips' AS tips FROM runs WHERE batch_id = ? AND log_head ->> 'path' = ?
       ORDER BY number DESC LIMIT 1`,
      [batchId, path],
    ),
);

/** The rows that another ledger has sent under these keys, and that this ledger has also sent, under other keys. */
export const findRowsSentTwice = sql.shortVerb(
  async (
    database: sql.Database,
    batchId: string,
    sent: readonly { readonly row: number; readonly key: string }[],
  ): Promise<number[]> => {
    if (sent.length === 0) return [];
    return sql.valuesOf(
      database,
      sql.int4,
      `SELECT DISTINCT p.row_number AS row FROM unnest(?::int[], ?::uuid[]) AS p (row_number, key)
       ${rowStateOf('p')} ${rowOf('s')}
       WHERE (r.first_sent_at IS NOT NULL OR r.state = 'created')
         AND NOT EXISTS (SELECT FROM requests q
           WHERE q.batch_id = s.batch_id AND q.row_number = s.row_number AND q.idempotency_key = p.key ${asFence})
       ORDER BY 1`,
      [sent.map(({ row }) => row), sent.map(({ key }) => key), batchId],
    );
  },
);

/**
 * The answers that runs recorded, by row and attempt, in groups.
 * @param runIds null for all runs of a batch; then the keys of sent rows without an answer are returned as well
 */
export const readLoggableAnswers = sql.longVerbOnce(
  (
    database: sql.Database,
    batchId: string,
    runIds: readonly string[] | null,
  ): AsyncGenerator<readonly LoggableAnswer[]> =>
    readPages(database, batchId, (range) =>
      sql.query<LoggableAnswer>(
        database,
        {
          row: sql.int4,
          state: sql.word(),
          rowGeneration: sql.int4,
          objectId: sql.orNull(sql.text),
          code: sql.orNull(sql.text),
          changedAt: sql.text,
          key: sql.uuid,
          generation: sql.int4,
          requestHash: sql.text,
          writtenAt: sql.text,
          attempt: sql.orNull(sql.json()),
        },
        `SELECT r.row_number AS row, r.state, r.generation AS "rowGeneration", r.object_id AS "objectId", r.code,
           ${sql.isoUtc('r.changed_at')} AS "changedAt", q.idempotency_key AS key, q.generation,
           encode(q.fingerprint, 'hex') AS "requestHash", ${sql.isoUtc('q.created_at')} AS "writtenAt",
           CASE WHEN a.number IS NOT NULL THEN json_build_object('number', a.number, 'outcome', a.outcome,
             'reason', a.reason, 'httpStatus', a.http_status, 'objectId', a.object_id, 'durationInMs', a.duration_in_ms,
             'recordedAt', ${sql.isoUtc('a.recorded_at')}) END AS attempt
         FROM rows_between(?, ?, ?) r
         ${lookUp('* FROM requests', 'q', 'r')}
         LEFT JOIN LATERAL (SELECT * FROM attempts WHERE batch_id = r.batch_id AND row_number = r.row_number
           AND generation = q.generation AND (?::uuid[] IS NULL OR run_id = ANY(?::uuid[])) ${asFence}) a ON true
         WHERE a.number IS NOT NULL OR (?::uuid[] IS NULL AND r.generation = q.generation AND r.first_sent_at IS NOT NULL)
         ORDER BY r.row_number, q.generation, a.number`,
        [...rangeBindings(range), runIds, runIds, runIds],
      ),
    ),
);
