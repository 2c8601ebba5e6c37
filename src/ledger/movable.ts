/**
 * SQL that says whether any row of a batch can still move without a person: something to prepare, to send, or
 * to send again. A condition for each partial index, lest a finished batch be read from end to end.
 */
export function hasMovable(batchId: string): string {
  return ["state IN ('staged', 'waiting')", "state = 'ready'", "state = 'unknown'", "state = 'sending'"]
    .map((condition) => `EXISTS (SELECT FROM rows WHERE batch_id = ${batchId} AND ${condition})`)
    .join(' OR ');
}
