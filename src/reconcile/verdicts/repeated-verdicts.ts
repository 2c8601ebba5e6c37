import { BulkInsert } from '../matching/bulk-insert.ts';
import type { SqlPort } from '../ports.ts';
import type { FoundProblems } from './decide-rows.ts';
import type { GivenVerdict } from './decision.ts';

/**
 * Tells of rows with several verdicts and of rows that are given one id, wherever their lines stand in a file:
 * in a temporary table, since a file has as many verdicts as a batch has rows.
 */
export async function noteRepeatedVerdicts(
  sql: SqlPort,
  pages: AsyncIterable<readonly GivenVerdict[]>,
  problems: FoundProblems,
): Promise<void> {
  await sql.run(
    'CREATE TEMP TABLE given_verdicts (row_number int, object_id text COLLATE "C") ON COMMIT DROP',
  );
  const insert = new BulkInsert(sql, 'given_verdicts', ['int', 'text']);
  for await (const page of pages) {
    for (const { row, verdict, id } of page) insert.add([row, verdict === 'created' ? id : null]);
    await insert.sendFull();
  }
  await insert.finish();
  await sql.run('ANALYZE given_verdicts');
  await noteFound(
    sql,
    problems,
    `SELECT row_number AS row, 'it has two verdicts' AS problem FROM given_verdicts
     GROUP BY row_number HAVING count(*) > 1`,
  );
  await noteFound(
    sql,
    problems,
    `SELECT g.row_number AS row, 'row ' || CASE WHEN g.row_number = t.first THEN t.last ELSE t.first END
       || ' is given the same id' AS problem
     FROM given_verdicts g JOIN (
       SELECT object_id, min(row_number) AS first, max(row_number) AS last FROM given_verdicts
       WHERE object_id IS NOT NULL GROUP BY object_id HAVING count(DISTINCT row_number) > 1) t USING (object_id)`,
  );
}

async function noteFound(sql: SqlPort, problems: FoundProblems, found: string): Promise<void> {
  const rows = await sql.query<{ row: number; problem: string; all: number }>(
    `SELECT row, problem, (count(*) OVER ())::int AS "all" FROM (${found}) f
     ORDER BY row LIMIT ${problems.room}`,
  );
  for (const { row, problem } of rows) problems.add(`row ${row}: ${problem}`);
  problems.addUntold((rows[0]?.all ?? 0) - rows.length);
}
