import type { TalliedFindings } from '../rows/findings-tally.ts';
import type { StatusCounts } from '../rows/row-state.ts';
import type { Kind } from './batch.ts';

/** One input as validation leaves it. */
export interface CheckedInput {
  /** As messages name it: the file, and its sheet where it has one. */
  readonly place: string;
  readonly kind: Kind;
  readonly rows: number;
  /** Rows that would be sent are `not_sent`. */
  readonly counts: StatusCounts;
  /** How many of the rows that would be sent repeat an earlier one, and so share its request. */
  readonly repeats: number;
  readonly findings: TalliedFindings;
  /** What is worth knowing about the table: its encoding, rows above the header. */
  readonly notes: readonly string[];
  /** Paths of what was written; null where there was nothing to write. */
  readonly files: {
    readonly findings: string;
    readonly findingsWorkbook: string | null;
    /** How many rows with findings are not in the workbook. */
    readonly findingsWorkbookLeftOut: number;
    readonly report: string;
  };
}
