/* What the tables have of requests and answers that run logs tell of. */

import { asFence } from '../query/planner.ts';
import {
  arraysOf,
  bool,
  type Database,
  int4,
  longVerb,
  numbersLiteral,
  orNull,
  query,
  text,
  textsBindings,
  textsParameter,
  uuid,
  valuesOf,
} from '../query/sql.ts';

/** SQL of the hash of request `q`, as `fingerprintOf` makes it. */
export const hashOfRequest = `sha256(convert_to('POST ' || q.path || chr(10), 'UTF8') || q.body)`;

/** A request as a run log has it. */
export interface LoggedRequest {
  readonly row: number;
  readonly generation: number;
  readonly key: string;
  /** SHA-256 of its path and body, in hex. */
  readonly request_hash: string;
}

/** Of these requests, the places of those that the ledger does not have in the same way, or not as the present ones of their rows. */
export const findOtherRequests = longVerb(
  (database: Database, batchId: string, logged: readonly LoggedRequest[]): Promise<number[]> =>
    valuesOf(
      database,
      int4,
      `SELECT g.n::int - 1 AS n
       FROM unnest(?::int[], ?::bigint[], ?::uuid[], ?::text[]) WITH ORDINALITY AS g (row_number, generation, key, hash, n)
       LEFT JOIN LATERAL (SELECT generation FROM row_states
         WHERE batch_id = ? AND row_number = g.row_number ${asFence}) s ON true
       LEFT JOIN LATERAL (SELECT idempotency_key, path, body FROM requests
         WHERE batch_id = ? AND row_number = g.row_number AND generation = s.generation ${asFence}) q ON true
       WHERE (s.generation = g.generation AND q.idempotency_key = g.key AND encode(${hashOfRequest}, 'hex') = g.hash) IS NOT TRUE`,
      [
        ...arraysOf(logged, 'row', 'generation', 'key').map(numbersLiteral),
        numbersLiteral(logged.map(({ request_hash: hash }) => hash)),
        batchId,
        batchId,
      ],
    ),
);

/** An answer as a run log has it. */
export interface LoggedAnswer {
  readonly row: number;
  readonly attempt: number;
  readonly key: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly status: number | null;
  readonly id: string | null;
}

/** Of these answers, the places of those that the ledger does not have in the same way, with their object as that of the row. */
export const findOtherAnswers = longVerb(
  (database: Database, batchId: string, logged: readonly LoggedAnswer[]): Promise<number[]> =>
    valuesOf(
      database,
      int4,
      `SELECT g.n::int - 1 AS n
       FROM unnest(?::int[], ?::bigint[], ?::uuid[], ?::bigint[], ${textsParameter}, ${textsParameter}, ${textsParameter})
         WITH ORDINALITY AS g (row_number, number, key, status, outcome, reason, id, n)
       LEFT JOIN LATERAL (SELECT generation, outcome, reason, http_status FROM attempts
         WHERE batch_id = ? AND row_number = g.row_number AND number = g.number ${asFence}) a ON true
       LEFT JOIN LATERAL (SELECT idempotency_key FROM requests WHERE batch_id = ? AND row_number = g.row_number
         AND generation = a.generation ${asFence}) q ON true
       LEFT JOIN LATERAL (SELECT object_id FROM created_objects
         WHERE batch_id = ? AND row_number = g.row_number ${asFence}) f ON true
       WHERE g.row_number IS NOT NULL AND (q.idempotency_key = g.key AND a.outcome = g.outcome
         AND a.reason IS NOT DISTINCT FROM g.reason AND a.http_status IS NOT DISTINCT FROM g.status
         AND (g.outcome <> 'created' OR f.object_id = g.id)) IS NOT TRUE`,
      [
        ...arraysOf(logged, 'row', 'attempt', 'key', 'status').map(numbersLiteral),
        ...textsBindings(logged.map(({ outcome }) => outcome)),
        ...textsBindings(logged.map(({ reason }) => reason)),
        ...textsBindings(logged.map(({ id }) => id)),
        batchId,
        batchId,
        batchId,
      ],
    ),
);

/** An answer as the ledger has it. */
export interface KnownAnswer {
  readonly row: number;
  /** Counts the requests of the row. */
  readonly number: number;
  readonly idempotencyKey: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly httpStatus: number | null;
  /** The object that its row has now; null where it has none. */
  readonly rowsObject: string | null;
}

/** The answers of rows whose request is there. */
export const readKnownAnswers = longVerb(
  (database: Database, batchId: string, rows: readonly number[]): Promise<KnownAnswer[]> => {
    return query<KnownAnswer>(
      database,
      {
        row: int4,
        number: int4,
        idempotencyKey: uuid,
        outcome: text,
        reason: orNull(text),
        httpStatus: orNull(int4),
        rowsObject: orNull(text),
      },
      `SELECT a.row_number AS row, a.number, q.idempotency_key AS "idempotencyKey", a.outcome, a.reason,
         a.http_status AS "httpStatus", f.object_id AS "rowsObject"
       FROM unnest(?::int[]) AS g (row_number)
       CROSS JOIN LATERAL (SELECT * FROM attempts WHERE batch_id = ? AND row_number = g.row_number ${asFence}) a
       CROSS JOIN LATERAL (SELECT idempotency_key FROM requests WHERE batch_id = ? AND row_number = g.row_number
         AND generation = a.generation ${asFence}) q
       LEFT JOIN LATERAL (SELECT object_id FROM created_objects
         WHERE batch_id = ? AND row_number = g.row_number ${asFence}) f ON true`,
      [numbersLiteral(rows), batchId, batchId, batchId],
    );
  },
);

/** A request as the ledger has it, and the objects that it knows of for the row. */
export interface LoggedEvidence {
  readonly row: number;
  readonly generation: number;
  /** Whether it is the request under the row's present key. */
  readonly isPresent: boolean;
  readonly idempotencyKey: string;
  /** SHA-256 of its path and body, in hex. */
  readonly requestHash: string;
}

/** All requests of rows, of every generation. */
export const readLoggedEvidence = longVerb(
  (database: Database, batchId: string, rows: readonly number[]): Promise<LoggedEvidence[]> => {
    return query<LoggedEvidence>(
      database,
      { row: int4, generation: int4, isPresent: bool, idempotencyKey: uuid, requestHash: text },
      `SELECT q.row_number AS row, q.generation, q.generation = s.generation AS "isPresent",
         q.idempotency_key AS "idempotencyKey", encode(${hashOfRequest}, 'hex') AS "requestHash"
       FROM unnest(?::int[]) AS g (row_number)
       CROSS JOIN LATERAL (SELECT generation FROM row_states
         WHERE batch_id = ? AND row_number = g.row_number ${asFence}) s
       CROSS JOIN LATERAL (SELECT * FROM requests WHERE batch_id = ? AND row_number = g.row_number ${asFence}) q`,
      [numbersLiteral(rows), batchId, batchId],
    );
  },
);

/** The objects that the ledger knows of for rows, also those that a lost run created, and those that a person took back. */
export const readKnownObjects = longVerb(
  (
    database: Database,
    batchId: string,
    rows: readonly number[],
  ): Promise<{ readonly row: number; readonly objectId: string }[]> => {
    return query(
      database,
      { row: int4, objectId: text },
      `SELECT g.row_number AS row, o.object_id AS "objectId" FROM unnest(?::int[]) AS g (row_number)
       CROSS JOIN LATERAL (
         SELECT object_id FROM created_objects WHERE batch_id = ? AND row_number = g.row_number
         UNION ALL SELECT object_id FROM late_creations WHERE batch_id = ? AND row_number = g.row_number
         UNION ALL SELECT object_id FROM verdicts
         WHERE batch_id = ? AND row_number = g.row_number AND from_state = 'created') o`,
      [numbersLiteral(rows), batchId, batchId, batchId],
    );
  },
);
