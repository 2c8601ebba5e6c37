/* Finds created rows whose answer the ledger does not have, and adds the facts about their objects. */

import type { Knex } from 'knex';
import type {
  FactsObstacle,
  KeptAnswer,
  MissingResponse,
  RepeatedAnswer,
} from '../../domain/rows/result-row.ts';
import { answerDiffers } from '../../domain/sending/outcome.ts';
import { changeBatch, holdsItsBatch } from '../protocol/batch-lock.ts';
import { keepLateCreations, runOfALog } from '../protocol/late-creations.ts';
import * as arrays from '../query/arrays.ts';
import {
  asFence,
  isAt,
  lookUp,
  rangeBindings,
  readFirst,
  readPages,
  rowStateOf,
  stateIs,
} from '../query/rows.ts';
import * as sql from '../query/sql.ts';
import { isFromTheFuture } from './claim.ts';
import { attemptsBindings, attemptsOfMoved, findRecorded } from './record.ts';

/*
 * A ledger that was rebuilt from run logs knows the ids of objects, but not the API's answers about them. An API that
 * remembers idempotency keys repeats its answer to the same request. The rows stay `created`, whatever the answer is: no
 * function here changes a state.
 */

/** The limits for the requests of created rows that may be sent again. */
interface FactsWanted {
  /** Fingerprint of the API key in use. */
  readonly credential: string;
  /** The maximum age of a key since its first sending; null if it is not known how long the API keeps keys. */
  readonly keyAgeInMs: number | null;
}

/** SQL: created rows `s` of a range whose answer this ledger never had, with the facts about them from the run log. */
const missingResponses = `row_states s
  CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE run_id <> '${runOfALog}') AS kept,
      count(*) FILTER (WHERE run_id = '${runOfALog}' AND generation = s.generation) AS logged
    FROM attempts WHERE batch_id = s.batch_id AND row_number = s.row_number AND outcome = 'created'
      AND object_id = s.object_id) a
  WHERE s.batch_id = ? AND s.row_number > ? AND s.row_number <= ? AND s.state = 'created' AND a.kept = 0`;

/** SQL: the reason why the request of such a row is not sent again; null if it may be sent again. */
const obstacle = `CASE
  WHEN EXISTS (SELECT FROM late_creations u
    ${lookUp('object_id FROM created_objects', 'c', 'u')}
    WHERE u.batch_id = ? AND u.object_id <> c.object_id) THEN 'other_object'
  WHEN a.logged = 0 THEN 'not_proven'
  WHEN s.credential IS DISTINCT FROM ? THEN 'other_credential'
  WHEN ?::float8 IS NULL THEN 'lifetime_not_stated'
  WHEN s.first_sent_at IS NULL OR now() - s.first_sent_at >= ? * interval '1 millisecond' OR ${isFromTheFuture}
    THEN 'key_too_old' END`;

function obstacleBindings(
  batchId: string,
  { credential, keyAgeInMs }: FactsWanted,
): readonly [string, string, number | null, number | null] {
  return [batchId, credential, keyAgeInMs, keyAgeInMs];
}

/** Created rows for whose objects this ledger has no answer, in row order, at most `limit`. */
export const listMissingResponses = sql.longVerb(
  (
    database: sql.Database,
    batchId: string,
    { afterRow, limit, ...wanted }: FactsWanted & { readonly afterRow: number; readonly limit: number },
  ): Promise<MissingResponse[]> =>
    readFirst(database, { batchId, afterRow, limit }, (range) =>
      sql.query<MissingResponse>(
        database,
        {
          row: sql.int4,
          resource: sql.text,
          generation: sql.int4,
          objectId: sql.text,
          idempotencyKey: sql.uuid,
          path: sql.text,
          body: sql.utf8,
          fingerprint: sql.bytes,
          attempts: sql.int4,
          keyTimeLeftInMs: sql.float8,
          obstacle: sql.orNull(sql.word()),
        },
        `SELECT w.*, q.idempotency_key AS "idempotencyKey", q.path, convert_from(q.body, 'UTF8') AS body, q.fingerprint
         FROM (SELECT s.row_number AS row, s.resource, s.generation, s.object_id AS "objectId", s.attempts,
             (extract(epoch FROM least(s.first_sent_at - now(), interval '0')) * 1000 + coalesce(?::float8, 0))::float8 AS "keyTimeLeftInMs",
             ${obstacle} AS obstacle
           FROM ${missingResponses} ORDER BY s.row_number LIMIT ?) w
         CROSS JOIN LATERAL (SELECT * FROM requests
           WHERE batch_id = ? AND row_number = w.row AND generation = w.generation ${asFence}) q
         ORDER BY w.row`,
        [wanted.keyAgeInMs, ...obstacleBindings(batchId, wanted), ...rangeBindings(range), limit, batchId],
      ),
    ),
);

/** The number of such rows by obstacle. Null is the key for rows whose request may be sent again. */
export const countMissingResponses = sql.longVerb(
  async (
    database: sql.Database,
    batchId: string,
    wanted: FactsWanted,
  ): Promise<Map<FactsObstacle | null, number>> => {
    const counts = new Map<FactsObstacle | null, number>();
    const pages = readPages(database, batchId, (range) =>
      sql.query(
        database,
        { obstacle: sql.orNull(sql.word<FactsObstacle>()), rows: sql.int4 },
        `SELECT ${obstacle} AS obstacle, count(*)::int AS rows FROM ${missingResponses} GROUP BY 1`,
        [...obstacleBindings(batchId, wanted), ...rangeBindings(range)],
      ),
    );
    for await (const page of pages) {
      for (const { obstacle: found, rows } of page) counts.set(found, (counts.get(found) ?? 0) + rows);
    }
    return counts;
  },
);

/**
 * Records the answers to requests of created rows that were sent again, while the run holds its batch. Only the row's number
 * of requests and the status of its last answer change. If an answer names an object that the row does not have, it is kept
 * as evidence, even if the run no longer holds the batch. Repeating a call after a lost reply changes nothing.
 * @returns the rows whose answers were recorded, by this call or by the call that it repeats
 */
export const recordRepeatedAnswers = sql.shortVerb(
  (
    database: Knex,
    batchId: string,
    runId: string,
    answers: readonly RepeatedAnswer[],
  ): Promise<Set<number>> =>
    changeBatch(database, batchId, async (transaction) => {
      const others = answers.map((answer) => ({ ...answer, conclusion: { attempts: otherObjects(answer) } }));
      await keepLateCreations(transaction, batchId, runId, others);
      if (!(await holdsItsBatch(transaction, runId))) return new Set<number>();
      const noted = await noteAnswers(transaction, batchId, runId, answers);
      const recorded = await findRecorded(transaction, batchId, runId, answers);
      return new Set([...noted, ...recorded].map(({ row }) => row));
    }),
);

function otherObjects({ objectId, conclusion }: RepeatedAnswer): RepeatedAnswer['conclusion']['attempts'] {
  return conclusion.attempts.filter(({ objectId: named }) => named !== null && named !== objectId);
}

/**
 * If a row has more requests than when it was listed, another run has sent it again meanwhile, and its answer is not
 * recorded.
 */
function noteAnswers(
  transaction: sql.Database,
  batchId: string,
  runId: string,
  answers: readonly RepeatedAnswer[],
): Promise<{ row: number }[]> {
  const of = (value: (answer: RepeatedAnswer) => number | null | undefined): string =>
    arrays.numbersLiteral(answers.map((answer) => value(answer) ?? null));
  return sql.query(
    transaction,
    { row: sql.int4 },
    `WITH moved AS (
       UPDATE row_states r SET attempts = c.last_number, http_status = coalesce(c.http_status, r.http_status)
       FROM unnest(?::int[], ?::int[], ?::int[], ?::int[], ?::int[])
         AS c (row_number, generation, first_number, last_number, http_status)
       ${rowStateOf('c')}
       WHERE ${isAt('r', 's')} AND ${stateIs('r', 'created')}
         AND r.generation = c.generation AND r.attempts < c.first_number
       RETURNING r.row_number),
     ${attemptsOfMoved}
     SELECT row_number AS row FROM moved`,
    [
      of(({ row }) => row),
      of(({ generation }) => generation),
      of(({ conclusion }) => conclusion.attempts.at(0)?.number),
      of(({ conclusion }) => conclusion.attempts.at(-1)?.number),
      of(({ conclusion }) => conclusion.attempts.at(-1)?.httpStatus),
      batchId,
      ...attemptsBindings(batchId, runId, answers),
    ],
  );
}

/**
 * The answers that created the objects of rows of a batch, whichever batch of the environment created them. Each answer is
 * looked up by its keys. With a join of whole tables, every creation in the ledger would be compared with each of the rows
 * if the server's statistics are older than the batch.
 * @param rows created or existing rows, with their objects
 * @returns one answer for each of the rows, in no particular order
 */
export const readKeptAnswers = sql.shortVerb(
  (
    database: sql.Database,
    batchId: string,
    rows: readonly { readonly row: number; readonly objectId: string }[],
  ): Promise<KeptAnswer[]> =>
    sql.query<KeptAnswer>(
      database,
      {
        row: sql.int4,
        record: sql.json(),
        resource: sql.text,
        answer: sql.orNull(sql.text),
        contradiction: sql.orNull(sql.text),
      },
      `SELECT n.row_number AS row, i.record, o.resource, a.answer, d.message AS contradiction
       FROM unnest(?::int[], ${arrays.textsParameter}) AS n (row_number, object_id)
       JOIN batches b ON b.id = ?
       ${lookUp('record FROM row_inputs', 'i', 'n', { batch: 'b.id' })}
       ${lookUp('resource FROM row_states', 'o', 'n', { batch: 'b.id' })}
       LEFT JOIN LATERAL (SELECT batch_id, row_number, object_id FROM created_objects
         WHERE environment_id = b.environment_id AND kind = b.kind AND object_id = n.object_id ${asFence}) c ON true
       LEFT JOIN LATERAL (SELECT answer FROM attempts
         WHERE batch_id = c.batch_id AND row_number = c.row_number AND outcome = 'created'
           AND object_id = c.object_id AND answer IS NOT NULL
         ORDER BY generation DESC, number DESC LIMIT 1) a ON true
       LEFT JOIN LATERAL (SELECT message FROM row_states
         WHERE batch_id = c.batch_id AND row_number = c.row_number AND code = '${answerDiffers}' ${asFence}) d ON true`,
      [
        arrays.numbersLiteral(rows.map(({ row }) => row)),
        ...arrays.textsBindings(rows.map(({ objectId }) => objectId)),
        batchId,
      ],
    ),
);
