/* What the ledger knows of a batch at one moment. */

import type { ErrorKind } from '../failures/error-codes.ts';
import type { Remedy } from '../failures/paybatch-error.ts';
import type { StatusTotal } from '../money/sums.ts';
import type { PayeeChangeCounts, ShownChange } from '../rows/finding.ts';
import type { ResultStatus, StatusCounts } from '../rows/row-state.ts';
import type { RefusedAlike, UnansweredRows } from '../sending/stops.ts';
import type { Message } from '../settings/message.ts';
import type { BatchClosing, BatchFamily, RowsInDoubt, SupersededCounts, WaitingRows } from './batch.ts';
import type { Drift, SeriesComparison } from './last-time.ts';
import type { OpenRows } from './open-rows.ts';
import type { RunRecord } from './run.ts';

/** Where a batch's files are; null for those that were not written. */
export interface BatchFiles {
  readonly results: string | null;
  readonly failed: string | null;
  /** The failed rows as a workbook; absent where a command writes no such file. */
  readonly failedWorkbook?: string | null;
  /** How many of these rows are not in the workbook; none when absent. */
  readonly failedWorkbookLeftOut?: number;
  /** How many of the failed rows need a person; absent where the call has not written the file. */
  readonly failedRows?: FailedRows;
  readonly log: string | null;
  /** Beside the log, its last line at the last claim; absent where a command writes no log. */
  readonly logHead?: string | null;
  readonly report: string | null;
  /** What the API answered about every created row; absent where a command writes no such file. */
  readonly objects?: string | null;
  /** What changed since last time; absent where it was not compared. */
  readonly changes?: string | null;
  /** Collections only: the payers' sheets. */
  readonly instructions?: string | null;
  /** The file that asks for verdicts, where this call wrote it. */
  readonly verdicts?: string | null;
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

/** What changed since last time: how many rows have each finding, and the first findings. */
export interface ChangesSummary {
  readonly counts: PayeeChangeCounts;
  readonly shown: readonly ShownChange[];
  /** How the file compares with the last one of its series; null or absent where there is none. */
  readonly series?: SeriesComparison | null;
  /** How its columns differ from those of the last file of its layout; null or absent where they were not compared. */
  readonly drift?: readonly Drift[] | null;
}

/** The numbers of rows of a batch. */
export interface RowCounts {
  readonly counts: StatusCounts;
  /** Of them, rows that repeat an earlier row of their file: they share its request, and are never sent themselves. */
  readonly repeats: StatusCounts;
  /** Created rows whose answer contradicts what was sent. */
  readonly contradicted: number;
}

/** The totals over the rows of a batch. */
export interface RowTotals extends RowCounts {
  /** Amounts by status and currency, without those of rows that repeat another one. */
  readonly sums: readonly StatusTotal[];
  /** Rows that wait for a person or for time, by reason. */
  readonly open: readonly OpenRows[];
  /** The title of a column with few values, for which the API refused rows; null where there is none. */
  readonly valuesRefusedIn: string | null;
}

/** Number of rows that are corrected in a later batch. */
export function correctedRows({ corrected }: Pick<BatchFacts, 'corrected'>): number {
  return Object.values(corrected).reduce((sum, rows) => sum + rows, 0);
}

/** Rows per status, without those that are corrected in a later batch: that batch handles them. */
export function withoutCorrected({
  counts,
  corrected,
}: Pick<BatchFacts, 'counts' | 'corrected'>): StatusCounts {
  const left = Object.entries(corrected).map(([status, rows]) => [
    status,
    (counts[status as ResultStatus] ?? 0) - rows,
  ]);
  return { ...counts, ...Object.fromEntries(left) };
}

/** Whether rows of a batch are open, or only refused ones wait to be corrected; null for neither. */
export type BatchNeed = 'rows' | 'corrections' | null;

/** What is open of a batch with these totals, unless it was closed. */
export function needOf({ counts, contradicted, open }: RowTotals, unrecorded: number): BatchNeed {
  const { not_sent = 0, unknown = 0, held = 0, waiting = 0 } = counts;
  if (not_sent + unknown + held + waiting + contradicted + unrecorded > 0) return 'rows';
  return open.length > 0 ? 'corrections' : null;
}

/** Rows that people have corrected in the console, and whose corrections are neither planned nor discarded. */
export interface EditedRows {
  /** Of the rows that are not sent yet, or wait. No run sends the batch before these are planned or discarded. */
  readonly notSent: number;
  /** Of the rejected rows that no other batch corrects. No `retry` sends them again before these are planned or discarded. */
  readonly rejected: number;
  /** Of the invalid rows that no other batch corrects. No run sends them in any case. */
  readonly invalid: number;
}

/** All that the ledger knows of a batch at one moment, besides the batch itself. */
export interface BatchFacts extends RowCounts {
  /** Null while rows have changed since they were added up. */
  readonly sums: RowTotals['sums'] | null;
  /** Null while rows have changed since they were added up. */
  readonly open: RowTotals['open'] | null;
  /** Null where there is none, and while rows have changed since they were added up. */
  readonly valuesRefusedIn: string | null;
  /** Objects that the API created for rows which do not record them. */
  readonly unrecorded: number;
  /** Of `counts`, invalid and rejected rows that are corrected in a later batch. */
  readonly corrected: StatusCounts;
  readonly edited: EditedRows;
  /** Rows that are no longer sent since a later batch corrects them. */
  readonly superseded: SupersededCounts;
  /** Null when no row is in doubt. */
  readonly doubt: RowsInDoubt | null;
  /** Rows for which the API gave no answer; null when there are none. */
  readonly unanswered: UnansweredRows | null;
  /** Why nothing more of it is sent until a person decides; null where nothing prevents it. */
  readonly refusedAlike: RefusedAlike | null;
  /** Set where no run continues it any more; null where runs may. */
  readonly closing: BatchClosing | null;
  /** Which approvals the policy asks for; null where it asks for none. */
  readonly approval: ApprovalStanding | null;
  readonly waiting: readonly WaitingRows[];
  /** Null for a batch that corrects none and has no corrections. */
  readonly family: BatchFamily | null;
  /**
   * Fingerprint of the API key that was used in live mode for the first time when the batch was sent, and that nobody had
   * compared with the dashboard; null elsewhere. Nothing else says that such a batch is live.
   */
  readonly unprovenKey: string | null;
  /** The last event of its chain in the audit trail; null where it has none. */
  readonly auditHead: AuditHead | null;
  /** Oldest first. */
  readonly runs: readonly RunRecord[];
}

/* The state of a batch's approvals under the policy in force. */

/** An approval that counts now. Times are ISO 8601 in UTC, by the database's clock. */
export interface GivenApproval {
  readonly by: string;
  readonly at: string;
  readonly planHash: string;
}

/** What the policy asks of a batch, and what it has. A batch without requirements has no such value. */
export interface ApprovalStanding {
  /** Version of the policy in force. */
  readonly policy: number;
  /** How many different approvers have to approve one plan. */
  readonly needed: number;
  /** The approvals that count now, oldest first. Two approvers may have approved different plans. */
  readonly given: readonly GivenApproval[];
  /** Id of the approval under which rows may be claimed; null while the batch waits for approvals. */
  readonly inForce: string | null;
  /** Until when it is in force; null while the batch waits for approvals. */
  readonly until: string | null;
  /** The last decision, if it was a rejection. */
  readonly rejected: { readonly by: string; readonly at: string; readonly note: string } | null;
  /** Names of those who may approve: active approvers, without the makers of the batch unless the policy allows them. */
  readonly mayApprove: readonly string[];
  /** Whether it may be approved at the console. */
  readonly takesConsole: boolean;
  /** Of the plan that was shown last; null where none was. */
  readonly planHash: string | null;
  /** Changes whenever a person decides that a row is sent. A whole number as text. */
  readonly contentRevision: string;
}

/** Whether no row of the batch may be claimed until it is approved. */
export function waitsForApproval(
  standing: ApprovalStanding | null | undefined,
): standing is ApprovalStanding {
  return standing !== null && standing !== undefined && standing.inForce === null;
}

/* The end of the audit trail, for keeping outside of the database. */

/** The chain of users, keys and policies. Every other chain is a batch's, and is called by its id. */
export const controlsChain = 'controls';

/** The last event of a chain of the audit trail. Kept elsewhere, it later shows if events were removed or rewritten. */
export interface AuditHead {
  readonly number: number;
  /** SHA-256, in hex. */
  readonly hash: string;
}

/* Runs that failed without a batch to record it. */

/** What failed: a file that is refused, or a run as a whole. */
export interface RunFailure {
  /** Path of the file; null where the run failed as a whole. */
  readonly file: string | null;
  readonly outcome: ErrorKind;
  /** Of the closed list of codes; one of another version may not be in it. */
  readonly code: string;
  readonly message: Message;
  readonly remedies: readonly Remedy[];
}

/** A run that failed without a batch to record it, and that no later run has made good. Times are ISO 8601, UTC. */
export interface FailedRun extends RunFailure {
  /** Of the failure in the ledger. */
  readonly id: number;
  readonly command: string;
  /** Who started it the last time, by which interface, and where. */
  readonly startedBy: string;
  readonly door: string;
  readonly host: string;
  /** Since when it has failed repeatedly. */
  readonly since: string;
  readonly lastAt: string;
  readonly times: number;
}
