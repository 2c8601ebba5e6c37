/*
 * Directives for PostgreSQL's planner, each defined once, with the effect of leaving it out. The planner relies on
 * statistics. Those of a new batch are late or, on the embedded ledger, rarely collected, and a wrong guess turns a look-up
 * of a millisecond into a walk through the whole batch, under the batch's lock. `test/ledger/query-plans.test.ts` runs
 * every statement on a large batch without statistics and counts the rows that it reads.
 */

/**
 * The end of a subquery that is executed unchanged, for each row on its left: a look-up by key. Without it the
 * planner merges the subquery into a join of whole tables: it reads all of the other table when it expects many rows,
 * and compares each row with each when it expects few.
 */
export const asFence = 'OFFSET 0';

/**
 * A column of a look-up: the row's place in its table. An update that finds its rows by look-ups uses this place
 * (`isAt`): from a condition on their keys the planner would make a join of whole tables, as above. Under the
 * batch's lock no row moves.
 */
export const itsPlace = 'ctid AS place';

/** SQL: row `row` of the table to be changed is the one that was `found`, with `itsPlace`. */
export function isAt(row: string, found: string): string {
  return `${row}.ctid = ${found}.place`;
}

/**
 * SQL of a column: until the end of the database transaction no table is read as a whole where an index or a place in
 * the table leads to its rows. A change affects few rows of a batch; of a batch that is newer than its statistics the
 * planner considers the whole table the cheaper way, and reads all earlier rows.
 */
export const byKeysOnly = "set_config('enable_seqscan', 'off', true)";

/**
 * A statement: until the end of the database transaction indexes are read in their order. For a few rows of a partial
 * index, first in its order, the planner would otherwise collect and sort all that the index has.
 */
export const inOrderOfIndex = "SELECT set_config('enable_bitmapscan', 'off', true)";

/**
 * SQL of a condition `x IN (SELECT ...)` that is looked up in a hash table. From the bare condition the planner makes a
 * join, and where it expects one row on each side, it compares all pairs.
 */
export function byHash(condition: string): string {
  return `(${condition}) IS TRUE`;
}

/**
 * SQL of a column: until the end of the database transaction `byHash` may hold as many numbers as a batch has rows. If the
 * planner expects more than fit, it reads all of them again for each row that it compares.
 */
export const roomyHashes = "set_config('work_mem', '64MB', true)";

/**
 * SQL of a column that is compared, not searched: of rows that are found by their primary key. For the bare column
 * the planner may walk the partial index of its value, once for every row.
 */
export function compared(column: string): string {
  return `${column} || ''`;
}

/** The same of a number. */
export function comparedNumber(column: string): string {
  return `${column} + 0`;
}

/**
 * SQL of a column of large bytes that several conditions use, in a subquery that ends with `asFence`. The bare column is
 * only named there, and each condition reads it again from the storage of large values.
 */
export function readOnce(column: string): string {
  return `${column} || ''::bytea`;
}

/* SQL for the data of a page's rows, or of rows found by their keys: look-ups, one row at a time. */

/**
 * SQL that joins the row state `s` of each row number of `given`, with its `place` in the table. Its binding is the
 * batch's id. An update finds its rows by `isAt`.
 */
export function rowStateOf(given: string): string {
  return `CROSS JOIN LATERAL (SELECT ${itsPlace}, * FROM row_states
    WHERE batch_id = ? AND row_number = ${given}.row_number ${asFence}) s`;
}

/** SQL that joins the input `i` of row `row`. */
export function inputOf(row: string): string {
  return `CROSS JOIN LATERAL (SELECT * FROM row_inputs
    WHERE batch_id = ${row}.batch_id AND row_number = ${row}.row_number ${asFence}) i`;
}

/** SQL that joins the request `q` of row `row`, where its generation has one. */
export function requestOf(row: string): string {
  return `LEFT JOIN LATERAL (SELECT * FROM requests
    WHERE batch_id = ${row}.batch_id AND row_number = ${row}.row_number AND generation = ${row}.generation ${asFence}) q
    ON true`;
}

/** SQL that joins row `r`, as in the view `rows`, of row state `stored`. */
export function rowOf(stored: string): string {
  return `CROSS JOIN LATERAL (SELECT * FROM rows
    WHERE batch_id = ${stored}.batch_id AND row_number = ${stored}.row_number ${asFence}) r`;
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
