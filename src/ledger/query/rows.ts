/* Reading the rows of a batch: look-ups by their keys, and page by page. */

import { asFence, itsPlace } from './planner.ts';
import * as sql from './sql.ts';

/* Look-ups, one row at a time. */

/** What a look-up asks for, besides the number of the row. */
interface LookUpKey {
  /** SQL of the id of the batch; `?` where it is bound. Of the row's own batch when absent. */
  readonly batch?: string;
  /** SQL of a further condition, with its AND. */
  readonly and?: string;
}

/**
 * SQL that joins, as `alias`, what `selected` gives of row `row`.
 * @param selected columns and table, such as `state FROM row_states`
 */
export function lookUp(selected: string, alias: string, row: string, key: LookUpKey = {}): string {
  return `CROSS JOIN LATERAL ${byKey(selected, row, key)} ${alias}`;
}

/** The same where the table may have nothing of the row. */
export function lookUpIfAny(selected: string, alias: string, row: string, key: LookUpKey = {}): string {
  return `LEFT JOIN LATERAL ${byKey(selected, row, key)} ${alias} ON true`;
}

function byKey(selected: string, row: string, { batch = `${row}.batch_id`, and = '' }: LookUpKey): string {
  return `(SELECT ${selected} WHERE batch_id = ${batch} AND row_number = ${row}.row_number ${and} ${asFence})`;
}

/**
 * SQL that joins the row state `s` of each row number of `given`, with its `place` in the table. Its binding is the
 * batch's id. An update finds its rows by `isAt`.
 */
export function rowStateOf(given: string): string {
  return lookUp(`${itsPlace}, * FROM row_states`, 's', given, { batch: '?' });
}

/** SQL that joins the input `i` of row `row`. */
export function inputOf(row: string): string {
  return lookUp('* FROM row_inputs', 'i', row);
}

/** SQL that joins the request `q` of row `row`, where its generation has one. */
export function requestOf(row: string): string {
  return lookUpIfAny('* FROM requests', 'q', row, { and: `AND generation = ${row}.generation` });
}

/** SQL that joins row `r`, as in the view `rows`, of row state `stored`. */
export function rowOf(stored: string): string {
  return lookUp('* FROM rows', 'r', stored);
}

/** SQL that joins the row `o` that row `row` repeats, only where it repeats one, wherever that is. */
export function repeatedBy(row: string): string {
  return `LEFT JOIN LATERAL (SELECT state, object_id, code, field, message, changed_at FROM rows
    WHERE ${row}.state = 'duplicate' AND batch_id = ${row}.batch_id AND row_number = ${row}.same_as LIMIT 1) o ON true`;
}

/**
 * SQL: two runs or more have sent row `row` under its key without a conclusive answer.
 * @param row with `batch_id`, `row_number` and `generation`
 */
export function isUnsettled(row: string): string {
  // The first and the last of them differ: unlike a count of distinct runs, this sorts nothing.
  return `(SELECT coalesce(min(a.run_id::text) <> max(a.run_id::text), false) FROM attempts a
    WHERE a.batch_id = ${row}.batch_id AND a.row_number = ${row}.row_number AND a.generation = ${row}.generation
      AND a.outcome IN ('unknown', 'conflict'))`;
}

/** The states that can still move without a person, each with the order of the partial index that lists such rows. */
const movable = [
  { condition: "state IN ('staged', 'waiting')", order: 'row_number' },
  { condition: "state = 'ready' AND chunk IS NULL", order: 'row_number' },
  { condition: "state = 'unknown'", order: 'row_number' },
  { condition: "state = 'sending'", order: 'lease_token' },
];

/**
 * SQL: any row of a batch can still move without a person: something to prepare, to send, or
 * to send again. It reads the first row in an index's order, since with a bare EXISTS PostgreSQL may read the
 * table from its start, expecting such a row soon, and the finished rows are there.
 */
export function hasMovable(batchId: string): string {
  const oneByOne = movable.map(
    ({ condition, order }) =>
      `(SELECT true FROM row_states WHERE batch_id = ${batchId} AND ${condition} ORDER BY ${order} LIMIT 1) IS NOT NULL`,
  );
  const inChunks = `EXISTS (SELECT FROM send_chunks WHERE batch_id = ${batchId} AND open_rows > 0)`;
  return [...oneByOne, inChunks].join(' OR ');
}

/** SQL: a person decided that row `r` is sent anyway. */
export const isSentRegardless = `EXISTS (SELECT FROM verdicts v
  WHERE v.batch_id = r.batch_id AND v.row_number = r.row_number AND v.verdict = 'send')`;

/* Pages. */

/** How many rows are examined for one page. */
const rowsPerPage = 2_000;

/** Rows of a batch after one row number, up to and including another. */
export interface RowRange {
  readonly batchId: string;
  readonly afterRow: number;
  readonly lastRow: number;
}

/** The bindings of the SQL function `rows_between`, which returns the view `rows` of a range. */
export function rangeBindings({ batchId, afterRow, lastRow }: RowRange): [string, number, number] {
  return [batchId, afterRow, lastRow];
}

/**
 * Walks a batch's rows in ranges of equal cost and yields the result of each, without empty pages. No cursor
 * stays open, and no page reads more than its range, for any search.
 * @param read what to read of the rows of a range
 * @param fromAfter the row number after which to begin
 */
export async function* readPages<Row>(
  database: sql.Database,
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
 * The first rows after a row number that meet a condition, searched range by range.
 * @param read what to read of the rows of a range, in row order
 */
export async function readFirst<Row>(
  database: sql.Database,
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

function endOfRange(database: sql.Database, batchId: string, afterRow: number): Promise<number | null> {
  return sql.onlyValue(
    database,
    sql.orNull(sql.int4),
    `SELECT max(row_number) FROM (
       SELECT row_number FROM row_states WHERE batch_id = ? AND row_number > ?
       ORDER BY row_number LIMIT ${rowsPerPage}) page`,
    [batchId, afterRow],
  );
}
