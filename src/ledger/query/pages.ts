import { type Database, query } from './sql.ts';

/** So many rows are looked at for one page. */
const rowsPerPage = 2_000;

/** Rows of a batch after one row number, up to another and with it. */
export interface RowRange {
  readonly batchId: string;
  readonly afterRow: number;
  readonly lastRow: number;
}

/** The bindings of the SQL function `rows_between`, which gives what the view `rows` says of a range. */
export function rangeBindings({ batchId, afterRow, lastRow }: RowRange): [string, number, number] {
  return [batchId, afterRow, lastRow];
}

/**
 * Walks a batch's rows in ranges of equal cost and yields what is read of each, empty pages left out. No cursor
 * stays open, and no page reads more than its range, whatever it looks for.
 * @param read what to read of the rows of a range
 * @param fromAfter the row number after which to begin
 */
export async function* readPages<Row>(
  database: Database,
  batchId: string,
  read: (range: RowRange) => Promise<readonly Row[]>,
  fromAfter = 0,
): AsyncGenerator<readonly Row[]> {
  let afterRow = fromAfter;
  for (;;) {
    const lastRow = await endOfRange(database, batchId, afterRow);
    if (lastRow === null) return;
    const page = await read({ batchId, afterRow, lastRow });
    if (page.length > 0) yield page;
    afterRow = lastRow;
  }
}

/**
 * The first rows after a row number that a condition holds for, looked for range by range.
 * @param read what to read of the rows of a range, in row order
 */
export async function readFirst<Row>(
  database: Database,
  start: { readonly batchId: string; readonly afterRow: number; readonly limit: number },
  read: (range: RowRange) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  for await (const page of readPages(database, start.batchId, read, start.afterRow)) {
    found.push(...page.slice(0, start.limit - found.length));
    if (found.length >= start.limit) return found;
  }
  return found;
}

async function endOfRange(database: Database, batchId: string, afterRow: number): Promise<number | null> {
  const [end] = await query<{ lastRow: number | null }>(
    database,
    `SELECT max(row_number) AS "lastRow" FROM (
       SELECT row_number FROM stored_rows WHERE batch_id = ? AND row_number > ?
       ORDER BY row_number LIMIT ${rowsPerPage}) page`,
    [batchId, afterRow],
  );
  return end?.lastRow ?? null;
}
