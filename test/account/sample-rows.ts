import type { ResultRow } from '../../src/domain/rows/result-row.ts';

export { sampleBatch } from '../support/accounts.ts';

/** A created row; `changes` makes it another one. */
export function sampleRow(changes: Partial<ResultRow> = {}): ResultRow {
  return {
    row: 2,
    cells: ['Amina', '+254712345678'],
    status: 'created',
    objectId: 'rec_1',
    code: null,
    field: null,
    message: null,
    httpStatus: 201,
    attempts: 1,
    idempotencyKey: '0b6f1c52-2f0e-4a7b-9d57-9a3f0c3a1e11',
    changedAt: '2026-11-20T10:00:00.000Z',
    notes: [],
    ...changes,
  };
}

/** The groups, one after the other, as they would come out of the ledger. */
export async function* inGroups<T>(...groups: (readonly T[])[]): AsyncGenerator<readonly T[]> {
  yield* groups;
}
