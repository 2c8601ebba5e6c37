import { isOpenIn } from './portions.ts';

/**
 * What can still move without a person outside of portions, each with the order of the partial index that lists
 * such rows.
 */
const movable = [
  { condition: "state IN ('staged', 'waiting')", order: 'row_number' },
  { condition: "state = 'ready' AND portion IS NULL", order: 'row_number' },
  { condition: "state = 'unknown'", order: 'row_number' },
  { condition: "state = 'sending'", order: 'lease_until' },
];

/**
 * SQL that says whether any row of a batch can still move without a person: something to prepare, to send, or
 * to send again. It asks for the first row in an index's order, since a bare EXISTS lets PostgreSQL read the
 * table from its start in the hope of meeting such a row soon, and the done rows are what stands there.
 */
export function hasMovable(batchId: string): string {
  const oneByOne = movable.map(
    ({ condition, order }) =>
      `(SELECT true FROM stored_rows WHERE batch_id = ${batchId} AND ${condition} ORDER BY ${order} LIMIT 1) IS NOT NULL`,
  );
  return [...oneByOne, `(${openPortion(batchId)}) IS NOT NULL`].join(' OR ');
}

/** A portion may have lost its last row to a check of the institutions; its line ends with the next claim. */
function openPortion(batchId: string): string {
  return `SELECT true FROM portions p CROSS JOIN LATERAL (
      SELECT FROM stored_rows s WHERE ${isOpenIn('s', 'p')} ORDER BY s.row_number LIMIT 1) o
    WHERE p.batch_id = ${batchId} LIMIT 1`;
}
