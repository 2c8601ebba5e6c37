/*
 * What PostgreSQL's planner has to be told, each device once, with what happens without it. The planner counts on
 * statistics. Those of a new batch come late or, on the embedded ledger, hardly ever, and a wrong guess turns a look-up
 * of a millisecond into a walk through the whole batch, under the batch's lock. `test/ledger/query-plans.test.ts` runs
 * every statement on a large batch without statistics and counts the rows that it reads.
 */

/**
 * The end of a subquery that is carried out as it stands, for each row on its left: a look-up by key. Without it the
 * planner merges the subquery into a join of whole tables: it reads all of the other table when it expects many rows,
 * and compares each row with each when it expects few.
 */
export const asFence = 'OFFSET 0';

/**
 * A column of a look-up: where in its table the row was found. An update that finds its rows by look-ups takes them from
 * there (`isAt`): from a condition on their keys the planner would make a join of whole tables, as above. Under the
 * batch's lock nobody moves a row meanwhile.
 */
export const itsPlace = 'ctid AS place';

/** SQL that says whether row `row` of the table to be changed is the one that was `found`, with `itsPlace`. */
export function isAt(row: string, found: string): string {
  return `${row}.ctid = ${found}.place`;
}

/**
 * SQL of a column: until the end of the database transaction no table is read as a whole where an index or a place in
 * the table leads to its rows. A change is about few rows of a batch; of a batch that is newer than its statistics the
 * planner takes the whole table for the cheaper way, and reads all that was done before.
 */
export const byKeysOnly = "set_config('enable_seqscan', 'off', true)";

/**
 * A statement: until the end of the database transaction indexes are read in their order. For a few rows of a partial
 * index, first in its order, the planner would otherwise collect and sort all that the index has.
 */
export const inOrderOfIndex = "SELECT set_config('enable_bitmapscan', 'off', true)";

/**
 * SQL of a condition `x IN (SELECT ...)` that is looked up in a hash table. Of the bare condition the planner makes a
 * join, and where it takes both sides for one row each, it compares all pairs.
 */
export function byHash(condition: string): string {
  return `(${condition}) IS TRUE`;
}

/**
 * SQL of a column: until the end of the database transaction `byHash` may hold as many numbers as a batch has rows. Where the
 * planner expects more than it may hold, it goes through all of them again for each row that it compares.
 */
export const roomyHashes = "set_config('work_mem', '64MB', true)";

/**
 * SQL of a column that is compared, and not looked for: of rows that are found by their primary key. Of the bare column
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
 * SQL of a column of large bytes that several conditions are about, in a subquery that ends with `asFence`. The bare column is
 * only named there, and each condition reads it once more from where large values are stored.
 */
export function readOnce(column: string): string {
  return `${column} || ''::bytea`;
}
