/*
 * How a statement finds rows without reading a whole batch: directives for PostgreSQL's planner, look-ups by key, and pages.
 */

import type { RowState } from '../../domain/rows/row-state.ts';
import * as sql from './sql.ts';

/*
 * Directives for the planner. Each is defined once, with the effect of omitting it. The planner relies on statistics. For a
 * new batch these are late or, on the embedded ledger, rarely collected. A wrong estimate then turns a look-up of a
 * millisecond into reading the whole batch, under the batch's lock. `test/ledger/query-plans.test.ts` runs every statement
 * on a large batch without statistics and counts the rows that it reads.
 */

/**
 * The end of a subquery that is executed unchanged for each row on its left, as a look-up by key. Without it the planner
 * merges the subquery into a join of whole tables. Then it reads the whole other table if it expects many rows, and compares
 * each row with each other row if it expects few.
 */
export const asFence = 'OFFSET 0';

/**
 * A column of a look-up: the row's physical place in its table. An update that finds its rows by look-ups uses this place
 * (`isAt`). With a condition on their keys the planner would join whole tables, as described above. Under the batch's lock
 * no row changes its place.
 */
export const itsPlace = 'ctid AS place';

/** SQL: row `row` of the table to be changed is the row that was `found`, with `itsPlace`. */
export function isAt(row: string, found: string): string {
  return `${row}.ctid = ${found}.place`;
}

/**
 * SQL of a column. Until the end of the database transaction no table is read as a whole if an index or a place in the table
 * leads to its rows. A change affects few rows of a batch. If a batch is newer than its statistics, the planner considers
 * reading the whole table cheaper, and reads all earlier rows.
 */
export const byKeysOnly = "set_config('enable_seqscan', 'off', true)";

/**
 * A statement. Until the end of the database transaction indexes are read in their order. Without it, for the first few rows
 * of a partial index, the planner would collect and sort all rows of the index.
 */
export const inOrderOfIndex = "SELECT set_config('enable_bitmapscan', 'off', true)";

/**
 * SQL of a condition `x IN (SELECT ...)` that uses a hash table. For the bare condition the planner makes a join. If it
 * expects one row on each side, it compares all pairs.
 */
export function byHash(condition: string): string {
  return `(${condition}) IS TRUE`;
}

/**
 * SQL of a column. Until the end of the database transaction, `byHash` may store as many numbers as a batch has rows. If the
 * planner expects more numbers than fit, it reads all of them again for each row that it compares.
 */
export const roomyHashes = "set_config('work_mem', '64MB', true)";

/**
 * SQL of a column that is compared but not used for the search, because the rows are found by their primary key. For the
 * bare column the planner may read the partial index of its value, once for every row.
 */
export function compared(column: string): string {
  return `${column} || ''`;
}

/** The same for a column with numbers. */
export function comparedNumber(column: string): string {
  return `${column} + 0`;
}

/**
 * SQL of a column with large bytes that several conditions use, in a subquery that ends with `asFence`. The bare column
 * would be only a reference, and each condition would read it again from the storage of large values.
 */
export function readOnce(column: string): string {
  return `${column} || ''::bytea`;
}

/* Look-ups that find one row at a time. */

/** The condition of a look-up, in addition to the row number. */
interface LookUpKey {
  /** SQL of the batch's id; `?` if it is bound. By default it is the row's own batch. */
  readonly batch?: string;
  /** SQL of a further condition, beginning with AND. */
  readonly and?: string;
}

/**
 * SQL that joins the result of a look-up for row `row`, as `alias`. A row without a result is omitted.
 * @param selected columns and table, such as `state FROM row_states`
 */
export function lookUp(selected: string, alias: string, row: string, key: LookUpKey = {}): string {
  return `CROSS JOIN LATERAL ${byKey(selected, row, key)} ${alias}`;
}

/** The same, but a row without a result stays, with nulls. */
export function lookUpIfAny(selected: string, alias: string, row: string, key: LookUpKey = {}): string {
  return `LEFT JOIN LATERAL ${byKey(selected, row, key)} ${alias} ON true`;
}

function byKey(selected: string, row: string, { batch = `${row}.batch_id`, and = '' }: LookUpKey): string {
  return `(SELECT ${selected} WHERE batch_id = ${batch} AND row_number = ${row}.row_number ${and} ${asFence})`;
}

/**
 * SQL that joins the row state `s` of each row number in `rowNumbers`, with its `place` in the table. Its binding is the batch's
 * id. An update finds its rows by `isAt`.
 */
export function rowStateOf(rowNumbers: string): string {
  return lookUp(`${itsPlace}, * FROM row_states`, 's', rowNumbers, { batch: '?' });
}

/** SQL that joins the input `i` of row `row`. */
export function inputOf(row: string): string {
  return lookUp('* FROM row_inputs', 'i', row);
}

/** SQL that joins the request `q` of row `row`, if its generation has one. */
export function requestOf(row: string): string {
  return lookUpIfAny('* FROM requests', 'q', row, { and: `AND generation = ${row}.generation` });
}

/** SQL that joins row `r`, as in the view `rows`, for the row state `stored`. */
export function rowOf(stored: string): string {
  return lookUp('* FROM rows', 'r', stored);
}

/** SQL that joins the row `o` that row `row` repeats, if it repeats one; `o` may be anywhere in the batch. */
export function repeatedBy(row: string): string {
  return `LEFT JOIN LATERAL (SELECT state, object_id, code, field, message, changed_at FROM rows
    WHERE ${row}.state = 'duplicate' AND batch_id = ${row}.batch_id AND row_number = ${row}.same_as LIMIT 1) o ON true`;
}

/** SQL of the condition on a state before a transition, for rows that are found by their primary key. */
export function stateIs(alias: string, ...states: readonly RowState[]): string {
  return sql.isIn(compared(`${alias}.state`), states);
}

/**
 * SQL: two or more runs have sent row `row` under its key without a conclusive answer.
 * @param row with `batch_id`, `row_number` and `generation`
 */
export function isUnsettled(row: string): string {
  // The smallest and the largest run id differ. Unlike a count of distinct runs, this needs no sorting.
  return `(SELECT coalesce(min(a.run_id::text) <> max(a.run_id::text), false) FROM attempts a
    WHERE a.batch_id = ${row}.batch_id AND a.row_number = ${row}.row_number AND a.generation = ${row}.generation
      AND a.outcome IN ('unknown', 'conflict'))`;
}

/** The states that can still change without a person. Each has the order of the partial index that lists such rows. */
const movable = [
  { condition: "state IN ('staged', 'waiting')", order: 'row_number' },
  { condition: "state = 'ready' AND chunk IS NULL", order: 'row_number' },
  { condition: "state = 'unknown'", order: 'row_number' },
  { condition: "state = 'sending'", order: 'lease_token' },
];

/**
 * SQL: any row of a batch can still change without a person: a row to prepare, to send, or to send again. It reads the first
 * row in an index's order. With a bare EXISTS, PostgreSQL may read the table from its start, where the finished rows are,
 * because it expects such a row soon.
 */
export function hasMovable(batchId: string): string {
  const oneByOne = movable.map(
    ({ condition, order }) =>
      `(SELECT true FROM row_states WHERE batch_id = ${batchId} AND ${condition} ORDER BY ${order} LIMIT 1) IS NOT NULL`,
  );
  const inChunks = `EXISTS (SELECT FROM send_chunks WHERE batch_id = ${batchId} AND open_rows > 0)`;
  return [...oneByOne, inChunks].join(' OR ');
}

/** SQL: a person decided to send row `r` anyway. */
export const isSentRegardless = `EXISTS (SELECT FROM verdicts v
  WHERE v.batch_id = r.batch_id AND v.row_number = r.row_number AND v.verdict = 'send')`;

/* Pages of rows. */

/** How many rows are examined for one page. */
const rowsPerPage = 2_000;

/** Rows of a batch after one row number, up to and including another one. */
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
 * Reads a batch's rows in ranges of equal cost and yields the result of each range, without empty pages. No cursor stays
 * open, and no page reads more than its range, whatever the search is.
 * @param read reads the rows of a range
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
 * @param read reads the rows of a range, in row order
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
