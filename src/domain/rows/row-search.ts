/* What somebody looks for among the rows of a batch, and what is found. */

import type { ResultStatus } from './row-state.ts';

/** Conditions that a row has to meet, all of them; those that are absent hold for every row. */
export interface RowFilter {
  readonly status?: ResultStatus | undefined;
  /** Of its first finding. */
  readonly code?: string | undefined;
  /** The column that its first finding is about, as the file calls it; empty for findings about the row as a whole. */
  readonly column?: string | undefined;
  /** In one of its cells; small letters and capitals are the same. */
  readonly text?: string | undefined;
}

/** A page of rows is looked for from a row number on, in the order of the file or against it. */
export interface RowPlace {
  readonly row: number;
  readonly direction: 'after' | 'before';
}

/** Numbers of rows that were found. */
export interface FoundRows {
  /** Ascending, whatever the direction of the search. */
  readonly rows: readonly number[];
  /** Where the search goes on; null where it has come to the end of the batch. */
  readonly next: number | null;
  /** Whether it was given up before the page was full, since too many rows were looked through. */
  readonly isCutShort: boolean;
}

/** Rows of one status of which the same is said. */
export interface RowGroup {
  readonly status: ResultStatus;
  readonly code: string;
  /** As the file calls it; null where it is said of the row as a whole. */
  readonly column: string | null;
  readonly rows: number;
  /** The first of them. */
  readonly example: number;
  /** What is said of that one. */
  readonly message: string | null;
}
