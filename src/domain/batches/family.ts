import type { StatusCounts } from '../rows/row-state.ts';

/** Rows of a batch that are not sent any more since rows of later batches correct them, by status. */
export interface SupersededCounts {
  readonly all: StatusCounts;
  /** Those of them whose correction is created or existing. */
  readonly done: StatusCounts;
}

/** A batch and the batches that correct its rows. */
export interface BatchFamily {
  /** The batch that all of it began with. */
  readonly first: { readonly id: string; readonly rows: number };
  /** How many of the first batch's rows are created or existing, in whichever batch. */
  readonly doneRows: number;
  /** Oldest first. */
  readonly corrections: readonly {
    readonly id: string;
    readonly rows: number;
    readonly doneRows: number;
  }[];
}
