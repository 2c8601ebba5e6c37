import type { RowConclusion } from '../domain/ledger-row.ts';
import { numbersLiteral, textsLiteral } from './array-literal.ts';
import { type Database, query, stateIs } from './sql.ts';

/**
 * Records what a group of claimed rows came to, each only while its lease token stands: the answer of a
 * worker that was taken for lost changes nothing. Repeating a record whose reply was lost finds what it
 * recorded.
 * @returns the rows that were recorded, by this call or by the one that it repeats
 */
export async function recordConclusions(
  database: Database,
  batchId: string,
  runId: string,
  conclusions: readonly RowConclusion[],
): Promise<Set<number>> {
  const moved = await moveRows(database, batchId, runId, conclusions);
  const others = conclusions.filter(({ row }) => !moved.has(row));
  if (others.length === 0) return moved;
  return new Set([...moved, ...(await findRecorded(database, batchId, runId, others))]);
}

/** Conclusions whose last attempt stands in the ledger as this run's: they were recorded before. */
async function findRecorded(
  database: Database,
  batchId: string,
  runId: string,
  conclusions: readonly RowConclusion[],
): Promise<number[]> {
  const last = conclusions.flatMap(({ row, generation, conclusion }) => {
    const number = conclusion.attempts.at(-1)?.number;
    return number === undefined ? [] : [{ row, generation, number }];
  });
  if (last.length === 0) return [];
  const recorded = await query<{ row: number }>(
    database,
    `SELECT row_number AS row
     FROM unnest(?::int[], ?::int[], ?::int[]) AS l (row_number, generation, number)
     JOIN attempts USING (row_number, generation, number) WHERE batch_id = ? AND run_id = ?`,
    [
      last.map(({ row }) => row),
      last.map(({ generation }) => generation),
      last.map(({ number }) => number),
      batchId,
      runId,
    ],
  );
  return recorded.map(({ row }) => row);
}

/**
 * Moves the rows whose lease stands and notes their attempts, in one statement: a commit and a round trip
 * for each half would be time in which nothing else is recorded.
 */
async function moveRows(
  database: Database,
  batchId: string,
  runId: string,
  conclusions: readonly RowConclusion[],
): Promise<Set<number>> {
  const last = conclusions.map(({ conclusion }) => conclusion.attempts.at(-1));
  const attempts = conclusions.flatMap(({ row, generation, conclusion }) =>
    conclusion.attempts.map((attempt) => ({ row, generation, attempt })),
  );
  const moved = await query<{ row: number }>(
    database,
    // A row that never left is as it was before the claim: without a first sending, and with its key unused.
    `WITH moved AS (
       UPDATE rows r SET state = c.state, object_id = c.object_id, field = NULL,
         -- An unknown row that was claimed and not tried keeps what is known about it.
         code = CASE WHEN c.state = 'unknown' AND c.attempts IS NULL THEN r.code ELSE c.code END,
         message = CASE WHEN c.state = 'unknown' AND c.attempts IS NULL THEN r.message ELSE c.message END,
         http_status = coalesce(c.http_status, r.http_status), attempts = coalesce(c.attempts, r.attempts),
         owned_key = CASE WHEN c.state = 'rejected' THEN NULL ELSE r.owned_key END,
         first_sent_at = CASE WHEN c.state = 'ready' THEN NULL ELSE r.first_sent_at END,
         credential = CASE WHEN c.state = 'ready' THEN NULL ELSE r.credential END,
         may_exist = r.may_exist OR c.state = 'unknown', lease_token = NULL, lease_until = NULL, changed_at = now()
       FROM unnest(?::int[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::int[], ?::int[])
         AS c (row_number, token, state, object_id, code, message, http_status, attempts)
       WHERE r.batch_id = ? AND r.row_number = c.row_number AND ${stateIs('r', 'sending')}
         AND r.lease_token = c.token
       RETURNING r.row_number),
     noted AS (
       INSERT INTO attempts (batch_id, run_id, row_number, generation, number, outcome, reason, http_status,
         object_id, duration_in_ms, answer)
       SELECT ?, ?, a.*
       FROM unnest(?::int[], ?::int[], ?::int[], ?::text[], ?::text[], ?::int[], ?::text[], ?::int[], ?::text[])
         AS a (row_number, generation, number, outcome, reason, http_status, object_id, duration_in_ms, answer)
       JOIN moved USING (row_number))
     SELECT row_number AS row FROM moved`,
    [
      numbersLiteral(conclusions.map(({ row }) => row)),
      numbersLiteral(conclusions.map(({ leaseToken }) => leaseToken)),
      textsLiteral(conclusions.map(({ conclusion }) => conclusion.state)),
      textsLiteral(conclusions.map(({ conclusion }) => conclusion.objectId)),
      textsLiteral(conclusions.map(({ conclusion }) => conclusion.code)),
      textsLiteral(conclusions.map(({ conclusion }) => conclusion.message)),
      numbersLiteral(last.map((attempt) => attempt?.httpStatus ?? null)),
      numbersLiteral(last.map((attempt) => attempt?.number ?? null)),
      batchId,
      batchId,
      runId,
      numbersLiteral(attempts.map(({ row }) => row)),
      numbersLiteral(attempts.map(({ generation }) => generation)),
      numbersLiteral(attempts.map(({ attempt }) => attempt.number)),
      textsLiteral(attempts.map(({ attempt }) => attempt.outcome)),
      textsLiteral(attempts.map(({ attempt }) => attempt.reason)),
      numbersLiteral(attempts.map(({ attempt }) => attempt.httpStatus)),
      textsLiteral(attempts.map(({ attempt }) => attempt.objectId)),
      numbersLiteral(attempts.map(({ attempt }) => Math.round(attempt.durationInMs))),
      textsLiteral(attempts.map(({ attempt }) => attempt.answer?.replaceAll('\0', '\uFFFD') ?? null)),
    ],
  );
  return new Set(moved.map(({ row }) => row));
}
