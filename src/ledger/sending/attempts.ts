import type { RepeatedAnswer } from '../../domain/rows/object-facts.ts';
import { int4 } from '../query/columns.ts';
import { asFence } from '../query/planner.ts';
import { type Database, numbersLiteral, query, textsBindings, textsParameter } from '../query/sql.ts';

/** A row's generation, and the requests that were sent for it. */
type Answered = Pick<RepeatedAnswer, 'row' | 'generation' | 'conclusion'>;

/**
 * SQL of a CTE that notes the attempts of the rows in the CTE `moved`: in the same statement, since a round trip
 * for each would be time in which nothing else is recorded.
 */
export const attemptsOfMoved = `noted AS (
       INSERT INTO attempts (batch_id, run_id, row_number, generation, number, outcome, reason, http_status,
         object_id, sent_after_ms, duration_in_ms, answer)
       SELECT ?, ?, a.*
       FROM unnest(?::int[], ?::int[], ?::int[], ${textsParameter}, ${textsParameter}, ?::int[], ${textsParameter},
                   ?::int[], ?::int[], ${textsParameter})
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
    numbersLiteral(attempts.map(({ row }) => row)),
    numbersLiteral(attempts.map(({ generation }) => generation)),
    numbersLiteral(attempts.map(({ attempt }) => attempt.number)),
    ...textsBindings(attempts.map(({ attempt }) => attempt.outcome)),
    ...textsBindings(attempts.map(({ attempt }) => attempt.reason)),
    numbersLiteral(attempts.map(({ attempt }) => attempt.httpStatus)),
    ...textsBindings(attempts.map(({ attempt }) => attempt.objectId)),
    numbersLiteral(attempts.map(({ attempt: { sentAfterMs } }) => sentAfterMs ?? null)),
    numbersLiteral(attempts.map(({ attempt }) => Math.round(attempt.durationInMs))),
    ...textsBindings(attempts.map(({ attempt }) => attempt.answer)),
  ];
}

/** Conclusions whose last attempt stands in the ledger as this run's: they were recorded before. */
export async function findRecorded(
  database: Database,
  batchId: string,
  runId: string,
  conclusions: readonly Answered[],
): Promise<{ row: number }[]> {
  const last = conclusions.flatMap(({ row, generation, conclusion }) => {
    const number = conclusion.attempts.at(-1)?.number;
    return number === undefined ? [] : [{ row, generation, number }];
  });
  if (last.length === 0) return [];
  return query(
    database,
    { row: int4 },
    `SELECT row_number AS row
     FROM unnest(?::int[], ?::int[], ?::int[]) AS l (row_number, generation, number)
     WHERE EXISTS (SELECT FROM attempts a WHERE a.batch_id = ? AND a.run_id = ? AND a.row_number = l.row_number
       AND a.generation = l.generation AND a.number = l.number ${asFence})`,
    [
      last.map(({ row }) => row),
      last.map(({ generation }) => generation),
      last.map(({ number }) => number),
      batchId,
      runId,
    ],
  );
}
