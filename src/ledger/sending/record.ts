/*
 * Records the results of claimed rows: objects, states and attempts. Each result is recorded only while its lease is valid.
 */

import type { Knex } from 'knex';
import type { RowConclusion } from '../../domain/rows/ledger-row.ts';
import type { RepeatedAnswer } from '../../domain/rows/result-row.ts';
import type { Conclusion } from '../../domain/sending/outcome.ts';
import { sqlState } from '../connection/database-failure.ts';
import { changeBatch, claimedChunkOf, countedOff, takeOutOfChunks } from '../protocol/batch-lock.ts';
import { holdSeenIds, keepLateCreations } from '../protocol/late-creations.ts';
import * as arrays from '../query/arrays.ts';
import { asFence, byHash, isAt, rowStateOf, stateIs } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/**
 * Records the conclusions for a group of claimed rows, each only while its lease token is valid. The answer of a worker that
 * was considered lost changes nothing; if it shows that an object was created, it is kept as evidence. Repeating a record
 * after a lost reply finds the recorded rows.
 * @returns the rows that were recorded, by this call or by the call that it repeats
 */
export const recordConclusions = sql.shortVerb(
  async (
    database: Knex,
    batchId: string,
    runId: string,
    conclusions: readonly RowConclusion[],
  ): Promise<Set<number>> => {
    const record = (mayBeNoted: boolean): Promise<Set<number>> =>
      changeBatch(database, batchId, (transaction) =>
        recordUnderLock(transaction, batchId, runId, conclusions, mayBeNoted),
      );
    try {
      return await record(false);
    } catch (error) {
      if (sqlState(error) !== uniqueViolation) throw error;
      return record(true);
    }
  },
);

const uniqueViolation = '23505';

/** @param mayBeNoted whether some of the rows may be recorded as created already, or another row may have their object */
async function recordUnderLock(
  transaction: sql.Database,
  batchId: string,
  runId: string,
  conclusions: readonly RowConclusion[],
  mayBeNoted: boolean,
): Promise<Set<number>> {
  const recorded = new Set<number>();
  const created = conclusions.filter(({ conclusion }) => isPlainCreation(conclusion));
  if (created.length > 0) {
    await note(recorded, appendCreations(transaction, batchId, runId, created, mayBeNoted));
  }
  const others = conclusions.filter(({ row }) => !recorded.has(row));
  if (others.length > 0) await note(recorded, moveRows(transaction, batchId, runId, others));
  const missing = others.filter(({ row }) => !recorded.has(row));
  if (missing.length > 0) await note(recorded, findRecorded(transaction, batchId, runId, missing));
  const late = missing.filter(({ row }) => !recorded.has(row));
  if (late.length > 0) await keepLateCreations(transaction, batchId, runId, late);
  return recorded;
}

async function note(recorded: Set<number>, rows: Promise<readonly { row: number }[]>): Promise<void> {
  for (const { row } of await rows) recorded.add(row);
}

/** Whether only the attempts and the object of a row have to be recorded. */
function isPlainCreation({ state, code, message, attempts }: Conclusion): boolean {
  return state === 'created' && code === null && message === null && attempts.length > 0;
}

/** SQL: the chunks of the rows in `claimed` that are in `moved`. */
const chunksOfMoved = `(SELECT chunk FROM claimed WHERE ${byHash('row_number IN (SELECT row_number FROM moved)')})`;

/**
 * Appends rows of chunks that were created. The rows themselves are not rewritten, since that would cost PostgreSQL several
 * times as much. It omits rows that were claimed one by one, and rows whose object another row has.
 * @param mayBeNoted also omits rows that are recorded already. For that, PostgreSQL checks both indexes before it writes a
 * row, which takes half as long again. If false, an existing entry is an error.
 */
function appendCreations(
  transaction: sql.Database,
  batchId: string,
  runId: string,
  conclusions: readonly RowConclusion[],
  mayBeNoted: boolean,
): Promise<{ row: number }[]> {
  const last = conclusions.map(({ conclusion }) => conclusion.attempts.at(-1));
  return sql.query(
    transaction,
    { row: sql.int4 },
    `WITH claimed AS MATERIALIZED (
       SELECT s.batch_id, s.row_number, s.environment_id, s.kind, a.object_id, l.run_id, l.credential, l.claimed_at,
         a.http_status, a.attempts, s.chunk
       FROM unnest(?::int[], ?::bigint[], ${arrays.textsParameter}, ?::int[], ?::int[])
         AS a (row_number, lease_token, object_id, http_status, attempts)
       ${rowStateOf('a')}
       ${claimedChunkOf('s', 'a')}),
     moved AS (
       INSERT INTO created_objects (batch_id, row_number, environment_id, kind, object_id, run_id, credential,
         first_sent_at, http_status, attempts)
       SELECT batch_id, row_number, environment_id, kind, object_id, run_id, credential, claimed_at, http_status, attempts
       FROM claimed ${mayBeNoted ? 'ON CONFLICT DO NOTHING' : ''} RETURNING row_number),
     ${attemptsOfMoved},
     ${countedOff(chunksOfMoved)}
     SELECT row_number AS row FROM moved`,
    [
      ...arrays.arraysOf(conclusions, 'row', 'leaseToken').map(arrays.numbersLiteral),
      ...arrays.textsBindings(conclusions.map(({ conclusion }) => conclusion.objectId)),
      arrays.numbersLiteral(last.map((attempt) => attempt?.httpStatus ?? null)),
      arrays.numbersLiteral(last.map((attempt) => attempt?.number ?? null)),
      batchId,
      ...attemptsBindings(batchId, runId, conclusions),
      batchId,
    ],
  );
}

/** Moves rows one by one, for any conclusion. Rows of chunks are taken out of their chunks first. */
async function moveRows(
  transaction: sql.Database,
  batchId: string,
  runId: string,
  conclusions: readonly RowConclusion[],
): Promise<{ row: number }[]> {
  await takeOutOfChunks(transaction, batchId, conclusions);
  const moving = await holdSeenIds(transaction, batchId, conclusions);
  return moveSingleRows(transaction, batchId, runId, moving);
}

/** Moves the rows whose lease is valid and records their attempts. */
function moveSingleRows(
  transaction: sql.Database,
  batchId: string,
  runId: string,
  conclusions: readonly RowConclusion[],
): Promise<{ row: number }[]> {
  const last = conclusions.map(({ conclusion }) => conclusion.attempts.at(-1));
  return sql.query(
    transaction,
    { row: sql.int4 },
    // A row that was never sent returns to its state before the claim: it has no first sending, and its key is unused.
    `WITH moved AS (
       UPDATE row_states r SET state = c.state, object_id = c.object_id, field = NULL,
         -- An unknown row that was claimed and not tried keeps what is known about it.
         code = CASE WHEN c.state = 'unknown' AND c.attempts IS NULL THEN r.code ELSE c.code END,
         message = CASE WHEN c.state = 'unknown' AND c.attempts IS NULL THEN r.message ELSE c.message END,
         http_status = coalesce(c.http_status, r.http_status), attempts = coalesce(c.attempts, r.attempts),
         owned_key = CASE WHEN c.state IN ('rejected', 'waiting') THEN NULL ELSE r.owned_key END,
         first_sent_at = CASE WHEN c.state IN ('ready', 'waiting') THEN NULL ELSE r.first_sent_at END,
         credential = CASE WHEN c.state IN ('ready', 'waiting') THEN NULL ELSE r.credential END,
         -- What waits was refused conclusively: its next request has a key of its own.
         generation = r.generation + CASE WHEN c.state = 'waiting' THEN 1 ELSE 0 END,
         run_id = CASE WHEN c.state = 'waiting' THEN NULL ELSE r.run_id END,
         refused_at = CASE WHEN c.state = 'waiting' THEN now() END,
         may_exist = r.may_exist OR c.state = 'unknown', lease_token = NULL, changed_at = now()
       FROM unnest(?::int[], ?::bigint[], ${arrays.textsParameter}, ${arrays.textsParameter}, ${arrays.textsParameter}, ${arrays.textsParameter},
                   ?::int[], ?::int[])
         AS c (row_number, token, state, object_id, code, message, http_status, attempts)
       ${rowStateOf('c')}
       WHERE ${isAt('r', 's')} AND ${stateIs('r', 'sending')} AND r.lease_token = c.token
       RETURNING r.row_number),
     ${attemptsOfMoved}
     SELECT row_number AS row FROM moved`,
    [
      ...arrays.arraysOf(conclusions, 'row', 'leaseToken').map(arrays.numbersLiteral),
      ...arrays.textsBindings(conclusions.map(({ conclusion }) => conclusion.state)),
      ...arrays.textsBindings(conclusions.map(({ conclusion }) => conclusion.objectId)),
      ...arrays.textsBindings(conclusions.map(({ conclusion }) => conclusion.code)),
      ...arrays.textsBindings(conclusions.map(({ conclusion }) => conclusion.message)),
      arrays.numbersLiteral(last.map((attempt) => attempt?.httpStatus ?? null)),
      arrays.numbersLiteral(last.map((attempt) => attempt?.number ?? null)),
      batchId,
      ...attemptsBindings(batchId, runId, conclusions),
    ],
  );
}

/** A row's generation, and the requests that were sent for the row. */
type Answered = Pick<RepeatedAnswer, 'row' | 'generation' | 'conclusion'>;

/**
 * SQL of a CTE that records the attempts of the rows in the CTE `moved`. It is in the same statement, because a round trip
 * for each would be time in which nothing else is recorded.
 */
export const attemptsOfMoved = `noted AS (
       INSERT INTO attempts (batch_id, run_id, row_number, generation, number, outcome, reason, http_status,
         object_id, sent_after_ms, duration_in_ms, answer)
       SELECT ?, ?, a.*
       FROM unnest(?::int[], ?::int[], ?::int[], ${arrays.textsParameter}, ${arrays.textsParameter}, ?::int[], ${arrays.textsParameter},
                   ?::int[], ?::int[], ${arrays.textsParameter})
         AS a (row_number, generation, number, outcome, reason, http_status, object_id, sent_after_ms, duration_in_ms,
           answer)
       JOIN moved USING (row_number))`;

export function attemptsBindings(
  batchId: string,
  runId: string,
  conclusions: readonly Answered[],
): readonly string[] {
  const attempts = conclusions.flatMap(({ row, generation, conclusion }) =>
    conclusion.attempts.map((attempt) => ({ row, generation, attempt })),
  );
  return [
    batchId,
    runId,
    ...arrays.arraysOf(attempts, 'row', 'generation').map(arrays.numbersLiteral),
    arrays.numbersLiteral(attempts.map(({ attempt }) => attempt.number)),
    ...arrays.textsBindings(attempts.map(({ attempt }) => attempt.outcome)),
    ...arrays.textsBindings(attempts.map(({ attempt }) => attempt.reason)),
    arrays.numbersLiteral(attempts.map(({ attempt }) => attempt.httpStatus)),
    ...arrays.textsBindings(attempts.map(({ attempt }) => attempt.objectId)),
    arrays.numbersLiteral(attempts.map(({ attempt: { sentAfterMs } }) => sentAfterMs ?? null)),
    arrays.numbersLiteral(attempts.map(({ attempt }) => Math.round(attempt.durationInMs))),
    ...arrays.textsBindings(attempts.map(({ attempt }) => attempt.answer)),
  ];
}

/** The rows whose last attempt is in the ledger as an attempt of this run: their conclusions were recorded before. */
export async function findRecorded(
  database: sql.Database,
  batchId: string,
  runId: string,
  conclusions: readonly Answered[],
): Promise<{ row: number }[]> {
  const last = conclusions.flatMap(({ row, generation, conclusion }) => {
    const number = conclusion.attempts.at(-1)?.number;
    return number === undefined ? [] : [{ row, generation, number }];
  });
  if (last.length === 0) return [];
  return sql.query(
    database,
    { row: sql.int4 },
    `SELECT row_number AS row
     FROM unnest(?::int[], ?::int[], ?::int[]) AS l (row_number, generation, number)
     WHERE EXISTS (SELECT FROM attempts a WHERE a.batch_id = ? AND a.run_id = ? AND a.row_number = l.row_number
       AND a.generation = l.generation AND a.number = l.number ${asFence})`,
    [...arrays.arraysOf(last, 'row', 'generation', 'number'), batchId, runId],
  );
}
