/* SQL for what belongs to the rows of a page, or to rows that were found by their keys: look-ups, a row at a time. */

import { asFence, itsPlace } from './planner.ts';

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

/** SQL that joins row `r`, as the view `rows` has it, of row state `stored`. */
export function rowOf(stored: string): string {
  return `CROSS JOIN LATERAL (SELECT * FROM rows
    WHERE batch_id = ${stored}.batch_id AND row_number = ${stored}.row_number ${asFence}) r`;
}

/**
 * SQL that says whether two runs or more have sent row `row` under its key without a conclusive answer.
 * @param row with `batch_id`, `row_number` and `generation`
 */
export function isUnsettled(row: string): string {
  return `(SELECT count(DISTINCT a.run_id) > 1 FROM attempts a
    WHERE a.batch_id = ${row}.batch_id AND a.row_number = ${row}.row_number AND a.generation = ${row}.generation
      AND a.outcome IN ('unknown', 'conflict'))`;
}

/** What can still move without a person, each with the order of the partial index that lists such rows. */
const movable = [
  { condition: "state IN ('staged', 'waiting')", order: 'row_number' },
  { condition: "state = 'ready' AND chunk IS NULL", order: 'row_number' },
  { condition: "state = 'unknown'", order: 'row_number' },
  { condition: "state = 'sending'", order: 'lease_token' },
];

/**
 * SQL that says whether any row of a batch can still move without a person: something to prepare, to send, or
 * to send again. It asks for the first row in an index's order, since a bare EXISTS lets PostgreSQL read the
 * table from its start in the hope of meeting such a row soon, and the done rows are what stands there.
 */
export function hasMovable(batchId: string): string {
  const oneByOne = movable.map(
    ({ condition, order }) =>
      `(SELECT true FROM row_states WHERE batch_id = ${batchId} AND ${condition} ORDER BY ${order} LIMIT 1) IS NOT NULL`,
  );
  const inChunks = `EXISTS (SELECT FROM send_chunks WHERE batch_id = ${batchId} AND open_rows > 0)`;
  return [...oneByOne, inChunks].join(' OR ');
}

/** SQL that says whether a person decided that row `r` is sent anyway. */
export const isSentRegardless = `EXISTS (SELECT FROM verdicts v
  WHERE v.batch_id = r.batch_id AND v.row_number = r.row_number AND v.verdict = 'send')`;
