/*
 * Compares the tables with the requests, answers and objects in run logs. No statement here calls a function of the database
 * that could be replaced.
 */

import * as arrays from '../query/arrays.ts';
import { lookUp, lookUpIfAny } from '../query/rows.ts';
import * as sql from '../query/sql.ts';
import { hashOfRequest } from './rows.ts';

/** A request as recorded in a run log. */
interface LoggedRequest {
  readonly row: number;
  readonly generation: number;
  readonly key: string;
  /** SHA-256 of its path and body, in hex. */
  readonly request_hash: string;
}

/**
 * The indexes of the logged requests that the ledger does not have with the same content, or not as the present request of
 * the row.
 */
export const findOtherRequests = sql.longVerb(
  (database: sql.Database, batchId: string, logged: readonly LoggedRequest[]): Promise<number[]> =>
    sql.valuesOf(
      database,
      sql.int4,
      `SELECT g.n::int - 1 AS n
       FROM unnest(?::int[], ?::bigint[], ?::uuid[], ?::text[]) WITH ORDINALITY AS g (row_number, generation, key, hash, n)
       ${lookUpIfAny('generation FROM row_states', 's', 'g', { batch: '?' })}
       ${lookUpIfAny('idempotency_key, path, body FROM requests', 'q', 'g', { batch: '?', and: 'AND generation = s.generation' })}
       WHERE (s.generation = g.generation AND q.idempotency_key = g.key AND encode(${hashOfRequest}, 'hex') = g.hash) IS NOT TRUE`,
      [
        ...arrays.arraysOf(logged, 'row', 'generation', 'key').map(arrays.numbersLiteral),
        arrays.numbersLiteral(logged.map(({ request_hash: hash }) => hash)),
        batchId,
        batchId,
      ],
    ),
);

/** An answer as recorded in a run log. */
export interface LoggedAnswer {
  readonly row: number;
  readonly attempt: number;
  readonly key: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly status: number | null;
  readonly id: string | null;
}

/**
 * The indexes of the logged answers that the ledger does not have with the same content, or whose object is not the row's
 * object.
 */
export const findOtherAnswers = sql.longVerb(
  (database: sql.Database, batchId: string, logged: readonly LoggedAnswer[]): Promise<number[]> =>
    sql.valuesOf(
      database,
      sql.int4,
      `SELECT g.n::int - 1 AS n
       FROM unnest(?::int[], ?::bigint[], ?::uuid[], ?::bigint[], ${arrays.textsParameter}, ${arrays.textsParameter}, ${arrays.textsParameter})
         WITH ORDINALITY AS g (row_number, number, key, status, outcome, reason, id, n)
       ${lookUpIfAny('generation, outcome, reason, http_status FROM attempts', 'a', 'g', { batch: '?', and: 'AND number = g.number' })}
       ${lookUpIfAny('idempotency_key FROM requests', 'q', 'g', { batch: '?', and: 'AND generation = a.generation' })}
       ${lookUpIfAny('object_id FROM created_objects', 'f', 'g', { batch: '?' })}
       WHERE g.row_number IS NOT NULL AND (q.idempotency_key = g.key AND a.outcome = g.outcome
         AND a.reason IS NOT DISTINCT FROM g.reason AND a.http_status IS NOT DISTINCT FROM g.status
         AND (g.outcome <> 'created' OR f.object_id = g.id)) IS NOT TRUE`,
      [
        ...arrays.arraysOf(logged, 'row', 'attempt', 'key', 'status').map(arrays.numbersLiteral),
        ...arrays.textsBindings(logged.map(({ outcome }) => outcome)),
        ...arrays.textsBindings(logged.map(({ reason }) => reason)),
        ...arrays.textsBindings(logged.map(({ id }) => id)),
        batchId,
        batchId,
        batchId,
      ],
    ),
);

const knownAnswerColumns = {
  row: sql.int4,
  /** The number of the request among those of the row. */
  number: sql.int4,
  idempotencyKey: sql.uuid,
  outcome: sql.text,
  reason: sql.orNull(sql.text),
  httpStatus: sql.orNull(sql.int4),
  /** The object that its row has now; null if it has none. */
  rowsObject: sql.orNull(sql.text),
};

/** An answer as recorded in the ledger. */
export type KnownAnswer = sql.RowOf<typeof knownAnswerColumns>;

/** The answers of rows, if the ledger has the request of the answer. */
export const readKnownAnswers = sql.longVerb(
  (database: sql.Database, batchId: string, rows: readonly number[]): Promise<KnownAnswer[]> => {
    return sql.query(
      database,
      knownAnswerColumns,
      `SELECT a.row_number AS row, a.number, q.idempotency_key AS "idempotencyKey", a.outcome, a.reason,
         a.http_status AS "httpStatus", f.object_id AS "rowsObject"
       FROM unnest(?::int[]) AS g (row_number)
       ${lookUp('* FROM attempts', 'a', 'g', { batch: '?' })}
       ${lookUp('idempotency_key FROM requests', 'q', 'g', { batch: '?', and: 'AND generation = a.generation' })}
       ${lookUpIfAny('object_id FROM created_objects', 'f', 'g', { batch: '?' })}`,
      [arrays.numbersLiteral(rows), batchId, batchId, batchId],
    );
  },
);

const knownRequestColumns = {
  row: sql.int4,
  generation: sql.int4,
  /** Whether it is the request under the row's present key. */
  isPresent: sql.bool,
  idempotencyKey: sql.uuid,
  /** SHA-256 of its path and body, in hex. */
  requestHash: sql.text,
};

/** A request as recorded in the ledger. */
export type KnownRequest = sql.RowOf<typeof knownRequestColumns>;

/** All requests of rows, of every generation. */
export const readKnownRequests = sql.longVerb(
  (database: sql.Database, batchId: string, rows: readonly number[]): Promise<KnownRequest[]> => {
    return sql.query(
      database,
      knownRequestColumns,
      `SELECT q.row_number AS row, q.generation, q.generation = s.generation AS "isPresent",
         q.idempotency_key AS "idempotencyKey", encode(${hashOfRequest}, 'hex') AS "requestHash"
       FROM unnest(?::int[]) AS g (row_number)
       ${lookUp('generation FROM row_states', 's', 'g', { batch: '?' })}
       ${lookUp('* FROM requests', 'q', 'g', { batch: '?' })}`,
      [arrays.numbersLiteral(rows), batchId, batchId],
    );
  },
);

/**
 * The objects that the ledger knows for rows. This includes objects that a lost run created, and objects that a person took
 * back.
 */
export const readKnownObjects = sql.longVerb(
  (database: sql.Database, batchId: string, rows: readonly number[]) => {
    return sql.query(
      database,
      { row: sql.int4, objectId: sql.text },
      `SELECT g.row_number AS row, o.object_id AS "objectId" FROM unnest(?::int[]) AS g (row_number)
       CROSS JOIN LATERAL (
         SELECT object_id FROM created_objects WHERE batch_id = ? AND row_number = g.row_number
         UNION ALL SELECT object_id FROM late_creations WHERE batch_id = ? AND row_number = g.row_number
         UNION ALL SELECT object_id FROM verdicts
         WHERE batch_id = ? AND row_number = g.row_number AND from_state = 'created') o`,
      [arrays.numbersLiteral(rows), batchId, batchId, batchId],
    );
  },
);
