/* What a batch adds up to. */

import type { StatusTotal } from '../money/expectation.ts';
import type { TalliedFindings } from '../rows/finding.ts';
import type { PayeeChangeCounts, ShownChange } from '../rows/payee-change.ts';
import type { ResultStatus, StatusCounts } from '../rows/row-state.ts';
import type { UnansweredRows } from '../sending/outcome.ts';
import { type ApprovalStanding, waitsForApproval } from './approval.ts';
import type { AuditHead } from './audit-head.ts';
import type {
  BatchClosing,
  BatchFamily,
  Kind,
  RowsInDoubt,
  RunRecord,
  SupersededCounts,
  WaitingRows,
} from './batch.ts';
import type { OpenRows } from './open-rows.ts';
import type { SeriesComparison } from './series.ts';

/** Where a batch's files are; null for those that were not written. */
export interface BatchFiles {
  readonly results: string | null;
  readonly failed: string | null;
  /** The failed rows as a workbook; absent where a command writes no such file. */
  readonly failedWorkbook?: string | null;
  /** How many of these rows are not in the workbook; none when absent. */
  readonly failedWorkbookLeftOut?: number;
  /** How many of the failed rows a person has to do with; absent where nobody has looked. */
  readonly failedRows?: FailedRows;
  readonly log: string | null;
  /** Beside the log, its last line at the last claim; absent where a command writes no log. */
  readonly logHead?: string | null;
  readonly report: string | null;
  /** What the API answered about every created row; absent where a command writes no such file. */
  readonly objects?: string | null;
  /** What changed since last time; absent where nobody has looked. */
  readonly changes?: string | null;
  /** Collections only: the payers' sheets. */
  readonly instructions?: string | null;
  /** Only `validate` writes one. */
  readonly findings?: string;
  /** The same as a workbook, in the form of the failed one; null when there are none, or too many. */
  readonly findingsWorkbook?: string | null;
  /** How many rows with findings are not in the workbook; none when absent. */
  readonly findingsWorkbookLeftOut?: number;
}

/** The rows of a failed file. */
export interface FailedRows {
  /** To be corrected, or decided about. */
  readonly forPerson: number;
  /** The others: a later run sends them, or they are done or closed otherwise. */
  readonly others: number;
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
  /** That no run takes it up any more; null or absent where runs may. */
  readonly closing?: BatchClosing | null;
  /** Which approvals the policy asks for; null or absent where it asks for none. */
  readonly approval?: ApprovalStanding | null;
  /** Why rows are not created, by reason; absent where nobody has looked. For people only. */
  readonly reasons?: readonly ReasonGroup[];
  /** The path of its file, for the next command; absent where no command needs it. For people only. */
  readonly source?: string | null;
  /** What was done, in one sentence; absent where nothing was to be done. For people only. */
  readonly done?: string;
  /** Absent where nobody has added them up. For people only. */
  readonly totals?: readonly StatusTotal[];
  /** Rows that wait for a person or for time, by reason; absent where nobody has looked. For people only. */
  readonly open?: readonly OpenRows[];
  /** What changed since last time; absent where nobody has looked. */
  readonly changes?: ChangesSummary;
  readonly planHash: string | null;
  /** The last event of its chain in the audit trail; null or absent where it has none. */
  readonly auditHead?: AuditHead | null;
  readonly files: BatchFiles;
  /** What is worth knowing about the file: hidden rows, rows that were left out. For people only. */
  readonly notes?: readonly string[];
}

/** What changed since last time: how many rows have each finding, and the first findings. */
export interface ChangesSummary {
  readonly counts: PayeeChangeCounts;
  readonly shown: readonly ShownChange[];
  /** How the file compares with the last one of its series; null or absent where there is none. */
  readonly series?: SeriesComparison | null;
}

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

/**
 * Why no fresh row of a batch is sent any more: the API refused so many for one reason, and none was created. The
 * file is then read wrongly as a whole, and each further request would be refused as well.
 */
export interface RefusedAlike {
  readonly code: string;
  /** What the API said, where this is known. */
  readonly message: string | null;
  /** So many rows had been refused for it when the sending stopped. */
  readonly rows: number;
}

/** Thrown by a run for what concerns one batch alone: its sending stops, and the other batches of the call go on. */
export class BatchStop extends Error {
  override readonly name: string = 'BatchStop';
}

/** The API refused the rows of the batch for one reason. */
export class RefusedAlikeStop extends BatchStop {
  override readonly name = 'RefusedAlikeStop';
  readonly refused: RefusedAlike;

  constructor(refused: RefusedAlike) {
    super('the API refused the rows of a file for one reason');
    this.refused = refused;
  }
}

/** The policy asks for approvals that the batch does not have, or does not have any more. */
export class ApprovalStop extends BatchStop {
  override readonly name = 'ApprovalStop';

  constructor() {
    super('the policy asks for approvals of the batch');
  }
}

/** What tells the reasons of refusals apart: the API's code, and its words without numbers and hidden values. */
export function reasonOfRefusal(code: string | null, message: string | null): string {
  const words = (message ?? '').replace(/\*{3}[^\s"'`”’»,;.)]*/gu, '…').replace(/\p{Nd}+/gu, '#');
  return `${code ?? ''} ${words}`;
}

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
  readonly changes: ChangesSummary;
  /** Paths of what was written; null where there was nothing to write. */
  readonly files: {
    readonly findings: string;
    readonly findingsWorkbook: string | null;
    /** How many rows with findings are not in the workbook. */
    readonly findingsWorkbookLeftOut: number;
    readonly changes: string | null;
    readonly report: string;
  };
}

/** What tells how many rows of a batch no run moves on by itself. */
interface NeedingInput {
  readonly counts: StatusCounts;
  /** Created rows whose answer contradicts what was sent; none when absent. */
  readonly contradicted?: number;
  /** Objects that the API created for rows which do not have them; none when absent. */
  readonly unrecorded?: number;
  /** Invalid and rejected rows that stand corrected in a later batch; none when absent. */
  readonly corrected?: number;
  /** Rows in doubt; null or absent when there are none. */
  readonly doubt?: RowsInDoubt | null;
  /** Not null where nothing more is sent until a person says so. */
  readonly refusedAlike?: unknown;
  /** Not null where a person has said that nothing more is sent, whatever is wrong with its rows. */
  readonly closing?: unknown;
  /** Which approvals the policy asks for; none when absent. */
  readonly approval?: ApprovalStanding | null;
}

/**
 * How many rows need a person: those to correct, to decide about, or to look into. Waiting rows and rows in doubt
 * need time, or a run, unless their keys have run out or two runs have sent them in vain.
 */
export function rowsForPerson({
  counts,
  contradicted = 0,
  unrecorded = 0,
  corrected = 0,
  doubt = null,
  refusedAlike = null,
  closing = null,
  approval = null,
}: NeedingInput): number {
  const { invalid = 0, rejected = 0, held = 0, not_sent: notSent = 0 } = counts;
  const toCorrect = closing === null ? invalid + rejected - corrected : 0;
  return (
    toCorrect +
    held +
    contradicted +
    unrecorded +
    (refusedAlike === null && closing === null && !waitsForApproval(approval) ? 0 : notSent) +
    (doubt?.expired ?? 0) +
    (doubt?.unsettled ?? 0)
  );
}

/** What the rows of a batch add up to. */
export interface RowTotals {
  readonly counts: StatusCounts;
  /** Created rows whose answer contradicts what was sent. */
  readonly contradicted: number;
  /** Amounts by status and currency. */
  readonly sums: readonly StatusTotal[];
  /** Rows that wait for a person or for time, by reason. */
  readonly open: readonly OpenRows[];
}

/** Whether rows of a batch are open, or only refused ones wait to be corrected; null where neither is so. */
export type BatchNeed = 'rows' | 'corrections' | null;

/** What is open of a batch whose rows add up so, unless it was closed. */
export function needOf({ counts, contradicted, open }: RowTotals, unrecorded: number): BatchNeed {
  const { not_sent = 0, unknown = 0, held = 0, waiting = 0 } = counts;
  if (not_sent + unknown + held + waiting + contradicted + unrecorded > 0) return 'rows';
  return open.length > 0 ? 'corrections' : null;
}

/** Where a batch stands, as the ledger has it. */
export interface BatchStanding extends Omit<RowTotals, 'sums' | 'open'> {
  /** Null while rows have changed since a run last added them up. */
  readonly sums: RowTotals['sums'] | null;
  /** Objects that the API created for rows which do not have them. */
  readonly unrecorded: number;
  /** Invalid and rejected rows that stand corrected in a later batch. */
  readonly corrected: number;
  /** Rows that are not sent any more since a later batch corrects them. */
  readonly superseded: SupersededCounts;
  /** Null when no row is in doubt. */
  readonly doubt: RowsInDoubt | null;
  /** Rows that the API gave no answer; null when there are none. */
  readonly unanswered: UnansweredRows | null;
  /** Why nothing more of it is sent until a person says so; null where nothing stands in the way. */
  readonly refusedAlike: RefusedAlike | null;
  /** That no run takes it up any more; null where runs may. */
  readonly closing: BatchClosing | null;
  readonly waiting: readonly WaitingRows[];
  /** Null for a batch that corrects none and has no corrections. */
  readonly family: BatchFamily | null;
  /** The last event of its chain in the audit trail; null where it has none. */
  readonly auditHead: AuditHead | null;
  /** Oldest first. */
  readonly runs: readonly RunRecord[];
}
