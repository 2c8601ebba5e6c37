import type { ResultStatus } from '../rows/row-state.ts';

/** A reason for which rows are not created, with all of its rows. */
export interface ReasonGroup {
  readonly status: ResultStatus;
  /** The column as the file calls it; null where it is about the row as a whole. */
  readonly column: string | null;
  readonly rows: number;
  /** What was said of the first of its rows, with identifiers masked; null where the status says it all. */
  readonly example: string | null;
  /** Its rows by what stands in the column; `rows` begins with the number of the first. */
  readonly places: readonly { readonly value: string; readonly rowCount: number; readonly rows: string }[];
}

/** Values that fewer rows share than these are each row's own, and may be personal. */
const rowsOfOneValue = 3;

/** Whether a reason is about few values of a column, so that what they mean may be asked once for all of their rows. */
export function hasFewValues({ column, rows, places }: ReasonGroup): boolean {
  return column !== null && rows >= places.length * rowsOfOneValue;
}
