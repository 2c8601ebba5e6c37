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
      `(SELECT true FROM stored_rows WHERE batch_id = ${batchId} AND ${condition} ORDER BY ${order} LIMIT 1) IS NOT NULL`,
  );
  const inChunks = `EXISTS (SELECT FROM chunks WHERE batch_id = ${batchId} AND open_rows > 0)`;
  return [...oneByOne, inChunks].join(' OR ');
}
