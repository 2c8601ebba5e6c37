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
