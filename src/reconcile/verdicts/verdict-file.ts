/*
 * The file of verdicts that a reconciliation writes and a person fills in: opens it, reads its lines, and finds rows
 * that have several verdicts in it.
 */

import { basename } from 'node:path';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { isVerdict, verdicts } from '../../domain/rows/ledger-row.ts';
import { type TableRow, unprotectCell } from '../../domain/tables/table.ts';
import type { ScratchSql } from '../../ledger/connection/open.ts';
import { openInputFile } from '../../read/sources/open-file.ts';
import { BulkInsert } from '../matching/bulk-insert.ts';
import type { FoundProblems, GivenVerdict } from './decide-rows.ts';

/** The file that a reconciliation wrote, with verdicts filled in. */
export interface VerdictsInFile {
  readonly file: string;
  /** These rows were created, with the ids that the reconciliation has found; absent where no person says so. */
  readonly found?: { readonly rows: ReadonlySet<number>; readonly note: string };
}

/** The stated verdicts, before anything is known about their rows. */
export interface GivenVerdicts {
  /** The name of their file for people; null where the request itself has them. */
  readonly file: string | null;
  /** Reads them from the beginning, page by page; lines without a valid verdict become problems, if `problems` is passed. */
  readonly pages: (problems?: FoundProblems) => AsyncGenerator<readonly GivenVerdict[]>;
  readonly close: () => Promise<void>;
}

/**
 * Opens a file of verdicts. It may have as many lines as a batch has rows, so it is read again for each pass.
 * @throws PaybatchError (`file_refused`) for a file that cannot be read, or that lacks a column
 */
export async function openVerdictFile({ file: path, found }: VerdictsInFile): Promise<GivenVerdicts> {
  const dialect = { delimiter: undefined, encoding: undefined, sheet: undefined };
  const isHeader = (cells: readonly string[]): boolean => cells.includes('row') && cells.includes('verdict');
  const { tables, close } = await openInputFile(path, dialect, isHeader);
  try {
    const [file, [table]] = [basename(path), tables];
    const read = verdictReader(file, table?.header ?? [], found);
    async function* pages(problems?: FoundProblems): AsyncGenerator<readonly GivenVerdict[]> {
      for await (const rows of table?.rows() ?? []) {
        const lines = rows.map(read);
        for (const line of lines) if (line !== null && 'problem' in line) problems?.add(line.problem);
        yield lines.flatMap((line) => (line !== null && 'verdict' in line ? [line.verdict] : []));
      }
    }
    return { file, pages, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The content of one line: a verdict, a problem, or nothing where its verdict is empty. */
export type ReadLine = { readonly verdict: GivenVerdict } | { readonly problem: string } | null;

/**
 * Reads the lines of a verdicts file one by one. Wrong lines are reported and not thrown, so that they are reported
 * together with verdicts that do not fit their rows.
 * @param found lines of these rows that have an id and no verdict mean `created`
 * @throws PaybatchError (`file_refused`) where a column is missing
 */
export function verdictReader(
  name: string,
  header: readonly string[],
  found?: VerdictsInFile['found'],
): (line: TableRow) => ReadLine {
  const titles = header.map((title) => unprotectCell(title).trim().toLowerCase());
  for (const needed of ['row', 'verdict']) {
    if (titles.includes(needed)) continue;
    throw new PaybatchError(
      'verdict_refused',
      `${name} cannot be used as a file of verdicts: it has no column "${needed}". Nothing was changed.`,
      'fill in the verdicts file that a reconciliation writes',
    );
  }
  return (line) => {
    const cell = (column: 'row' | 'verdict' | 'id' | 'note' | 'key' | 'attempts'): string =>
      unprotectCell(line.cells[titles.indexOf(column)] ?? '').trim();
    const row = /^\d{1,9}$/.test(cell('row')) ? Number(cell('row')) : null;
    const text = cell('verdict').toLowerCase().replaceAll(/[_ ]/g, '-');
    const confirmed = text === '' && cell('id') !== '' && found?.rows.has(row ?? 0) ? found : null;
    const verdict = confirmed === null ? text : 'created';
    if (verdict === '') return null;
    if (row === null) return { problem: `line ${line.number}: "row" is no row number` };
    if (!isVerdict(verdict)) {
      return { problem: `row ${row}: the verdict is none of ${verdicts.join(', ')}` };
    }
    if (!/^\d{0,9}$/.test(cell('attempts'))) return { problem: `row ${row}: "attempts" is no number` };
    const [id = null, key = null, attempts = null] = [cell('id'), cell('key'), cell('attempts')].map(
      (text) => (text === '' ? null : text),
    );
    const known = attempts === null ? null : Number(attempts);
    return { verdict: { row, verdict, id, note: confirmed?.note ?? cell('note'), key, attempts: known } };
  };
}

/**
 * Reports rows with several verdicts and several rows with the same id, anywhere in a file. It uses a temporary
 * table, since a file may have as many verdicts as a batch has rows.
 */
export async function noteRepeatedVerdicts(
  sql: ScratchSql,
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

async function noteFound(sql: ScratchSql, problems: FoundProblems, found: string): Promise<void> {
  const rows = await sql.query<{ row: number; problem: string; all: number }>(
    `SELECT row, problem, (count(*) OVER ())::int AS "all" FROM (${found}) f
     ORDER BY row LIMIT ${problems.room}`,
  );
  for (const { row, problem } of rows) problems.add(`row ${row}: ${problem}`);
  problems.addUnlisted((rows[0]?.all ?? 0) - rows.length);
}
