import type { StatusTotal } from '../money/expectation.ts';
import type { StatusCounts } from '../rows/row-state.ts';
import type { UnansweredRows } from '../sending/outcome.ts';
import type { Kind, RowsInDoubt, SupersededCounts } from './batch.ts';
import type { ReasonGroup } from './reasons.ts';
import type { RefusedAlike } from './refused-alike.ts';

/** Where a batch's files are; null for those that were not written. */
export interface BatchFiles {
  readonly results: string | null;
  readonly failed: string | null;
  /** The failed rows as a workbook; absent where a command writes no such file. */
  readonly failedWorkbook?: string | null;
  /** How many of these rows are not in the workbook; none when absent. */
  readonly failedWorkbookLeftOut?: number;
  readonly log: string | null;
  readonly report: string | null;
  /** What the API answered about every created row; absent where a command writes no such file. */
  readonly objects?: string | null;
  /** Collections only: the payers' sheets. */
  readonly instructions?: string | null;
  /** Only `validate` writes one. */
  readonly findings?: string;
  /** The same as a workbook, in the form of the failed one; null when there are none, or too many. */
  readonly findingsWorkbook?: string | null;
  /** How many rows with findings are not in the workbook; none when absent. */
  readonly findingsWorkbookLeftOut?: number;
}

/** What became of one input. */
export interface BatchSummary {
  /** The batch's whole id, or null where none was made. */
  readonly batch: string | null;
  readonly kind: Kind;
  /** The file as people named it. */
  readonly file: string;
  readonly sheet: string | null;
  readonly rows: number;
  /** Adds up to `rows`. */
  readonly counts: StatusCounts;
  /** Created rows whose answer contradicts what was sent; none when absent. */
  readonly contradicted?: number;
  /** Objects that the API created for rows which do not have them; none when absent. */
  readonly unrecorded?: number;
  /** Invalid and rejected rows that stand corrected in a later batch; none when absent. */
  readonly corrected?: number;
  /** Rows that are not sent any more since a later batch corrects them; none when absent. */
  readonly superseded?: SupersededCounts;
  /** Rows in doubt; null or absent when there are none. */
  readonly doubt?: RowsInDoubt | null;
  /** Rows that the API gave no answer; null or absent when there are none. */
  readonly unanswered?: UnansweredRows | null;
  /** Why nothing more of it is sent; null or absent where nothing stands in the way. */
  readonly refusedAlike?: RefusedAlike | null;
  /** Why rows are not created, by reason; absent where nobody has looked. For people only. */
  readonly reasons?: readonly ReasonGroup[];
  /** The path of its file, for the next command; absent where no command needs it. For people only. */
  readonly source?: string | null;
  /** What was done, in one sentence; absent where nothing was to be done. For people only. */
  readonly done?: string;
  /** Absent where nobody has added them up. For people only. */
  readonly totals?: readonly StatusTotal[];
  readonly planHash: string | null;
  readonly files: BatchFiles;
  /** What is worth knowing about the file: hidden rows, rows that were left out. For people only. */
  readonly notes?: readonly string[];
}
