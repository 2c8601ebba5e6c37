import type { ResultStatus } from './row-state.ts';

/** One input row as it stands in the result files: its own cells, and what became of it. */
export interface ResultRow {
  /** The row's number as a spreadsheet program shows it. */
  readonly row: number;
  /** The row's own cells as they came, in the file's column order. */
  readonly cells: readonly string[];
  readonly status: ResultStatus;
  readonly objectId: string | null;
  readonly code: string | null;
  /** The column that the first finding is about, as the file calls it. */
  readonly field: string | null;
  readonly message: string | null;
  readonly httpStatus: number | null;
  readonly attempts: number;
  readonly idempotencyKey: string | null;
  /** When the status last changed: ISO 8601, UTC. */
  readonly changedAt: string;
  readonly notes: readonly string[];
  /** The earlier row of the same file that this one repeats; absent when it repeats none. */
  readonly sameAs?: number;
}
