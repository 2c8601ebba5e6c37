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
