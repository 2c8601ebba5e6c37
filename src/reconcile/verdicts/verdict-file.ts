/* A verdicts file, and rows with several verdicts in it. */

import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { isVerdict, verdicts } from '../../domain/rows/ledger-row.ts';
import { unprotectCell } from '../../domain/tables/table.ts';
import { BulkInsert } from '../matching/bulk-insert.ts';
import type { SqlPort } from '../matching/rules.ts';
import type { FoundProblems, GivenVerdict } from './decide-rows.ts';

/**
 * Reports rows with several verdicts and several rows with the same id, anywhere in a file. It uses a temporary
 * table, since a file may have as many verdicts as a batch has rows.
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

/** The columns of a verdicts file, which `reconcile` writes for a person to fill in. */
const verdictColumns = [
  'row',
  'status',
  'key',
  'attempts',
  'age',
  'what is known',
  'verdict',
  'id',
  'note',
] as const;

/** One line of a verdicts file, with the number that a spreadsheet program shows. */
export interface VerdictLine {
  readonly number: number;
  readonly cells: readonly string[];
}

/** The content of one line: a verdict, a problem, or nothing where its verdict is empty. */
export type ReadLine = { readonly verdict: GivenVerdict } | { readonly problem: string } | null;

/**
 * Reads the lines of a verdicts file one by one. Wrong lines are reported and not thrown, so that they are reported
 * together with verdicts that do not fit their rows.
 * @throws PaybatchError (`file_refused`) where a column is missing
 */
export function verdictReader(name: string, header: readonly string[]): (line: VerdictLine) => ReadLine {
  const titles = header.map((title) => unprotectCell(title).trim().toLowerCase());
  for (const needed of ['row', 'verdict']) {
    if (!titles.includes(needed)) throw refused(name, `it has no column "${needed}"`);
  }
  return (line) => {
    const cell = (column: (typeof verdictColumns)[number]): string =>
      unprotectCell(line.cells[titles.indexOf(column)] ?? '').trim();
    const verdict = cell('verdict').toLowerCase().replaceAll(/[_ ]/g, '-');
    if (verdict === '') return null;
    const row = /^\d{1,9}$/.test(cell('row')) ? Number(cell('row')) : null;
    if (row === null) return { problem: `line ${line.number}: "row" is no row number` };
    if (!isVerdict(verdict)) {
      return { problem: `row ${row}: the verdict is none of ${verdicts.join(', ')}` };
    }
    if (!/^\d{0,9}$/.test(cell('attempts'))) return { problem: `row ${row}: "attempts" is no number` };
    const [id = null, key = null, attempts = null] = [cell('id'), cell('key'), cell('attempts')].map(
      (text) => (text === '' ? null : text),
    );
    const known = attempts === null ? null : Number(attempts);
    return { verdict: { row, verdict, id, note: cell('note'), key, attempts: known } };
  };
}

function refused(name: string, problem: string): PaybatchError {
  return new PaybatchError(
    'verdict_refused',
    `${name} cannot be used as a file of verdicts: ${problem}. Nothing was changed.`,
    'fill in the verdicts file that a reconciliation writes',
  );
}
