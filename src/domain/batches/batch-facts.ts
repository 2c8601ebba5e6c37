/* The ledger's facts about a batch at one moment. */

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

/** The paths of a batch's files; null for files that were not written. */
export interface BatchFiles {
  readonly results: string | null;
  readonly failed: string | null;
  /** The failed rows as a workbook; absent if a command writes no such file. */
  readonly failedWorkbook?: string | null;
  /** How many of these rows are not in the workbook; 0 if absent. */
  readonly failedWorkbookLeftOut?: number;
  /** How many of the failed rows need a person; absent if the call has not written the file. */
  readonly failedRows?: FailedRows;
  readonly log: string | null;
  /** The head file next to the log: the log's last line at the last claim. Absent if a command writes no log. */
  readonly logHead?: string | null;
  readonly report: string | null;
  /** The API's answers about all created rows; absent if a command writes no such file. */
  readonly objects?: string | null;
  /** The changes since last time; absent if the file was not compared. */
  readonly changes?: string | null;
  /** Collections only: the payers' sheets. */
  readonly instructions?: string | null;
  /** The file with the rows that need verdicts, if this call wrote it. */
  readonly verdicts?: string | null;
  /** Only `validate` writes one. */
  readonly findings?: string;
  /** The findings as a workbook, in the form of the workbook of failed rows; null if there are none, or too many. */
  readonly findingsWorkbook?: string | null;
  /** How many rows with findings are not in the workbook; 0 if absent. */
  readonly findingsWorkbookLeftOut?: number;
}

/** The numbers of rows in a file of failed rows. */
export interface FailedRows {
  /** Rows to correct or to decide about. */
  readonly forPerson: number;
  /** The other rows: a later run sends them, or they are done or closed in another way. */
  readonly others: number;
}

/** The changes since last time: the number of rows with each finding, and the first findings. */
export interface ChangesSummary {
  readonly counts: PayeeChangeCounts;
  readonly shown: readonly ShownChange[];
  /** The comparison with the last file of the series; null or absent if there is no such file. */
  readonly series?: SeriesComparison | null;
  /** The differences of the columns from the last files of the layout; null or absent if they were not compared. */
  readonly drift?: readonly Drift[] | null;
}

/** The numbers of rows of a batch. */
export interface RowCounts {
  readonly counts: StatusCounts;
  /**
   * The part of the counts that repeats an earlier row of the same file. Such rows share its request, and are never sent
   * themselves.
   */
  readonly repeats: StatusCounts;
  /** Created rows whose answer contradicts what was sent. */
  readonly contradicted: number;
}

/** The totals over the rows of a batch. */
export interface RowTotals extends RowCounts {
  /** Amounts by status and currency, without rows that repeat another one. */
  readonly sums: readonly StatusTotal[];
  /** Rows that wait for a person or for time, by reason. */
  readonly open: readonly OpenRows[];
  /** The title of a column with few different values, because of which the API refused rows; null if there is none. */
  readonly valuesRefusedIn: string | null;
}

/** The number of rows that a later batch corrects. */
export function correctedRows({ corrected }: Pick<BatchFacts, 'corrected'>): number {
  return Object.values(corrected).reduce((sum, rows) => sum + rows, 0);
}

/** Rows by status, without the rows that a later batch corrects: that batch handles them. */
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

/** Whether a batch has open rows (`rows`), or only refused rows that wait for corrections; null for neither. */
export type BatchNeed = 'rows' | 'corrections' | null;

/** The need of a batch with these totals, unless it was closed. */
export function needOf({ counts, contradicted, open }: RowTotals, unrecorded: number): BatchNeed {
  const { not_sent = 0, unknown = 0, held = 0, waiting = 0 } = counts;
  if (not_sent + unknown + held + waiting + contradicted + unrecorded > 0) return 'rows';
  return open.length > 0 ? 'corrections' : null;
}

/** Rows that people have edited in the console, with edits that are neither planned nor discarded. */
export interface EditedRows {
  /** Edited rows that are not sent yet, or wait. No run sends the batch before these edits are planned or discarded. */
  readonly notSent: number;
  /**
   * Edited rejected rows that no other batch corrects. No `retry` sends them again before these edits are planned or
   * discarded.
   */
  readonly rejected: number;
  /** Edited invalid rows that no other batch corrects. No run sends them in any case. */
  readonly invalid: number;
}

/** All of the ledger's facts about a batch at one moment, besides the batch itself. */
export interface BatchFacts extends RowCounts {
  /** Null if rows have changed since the totals were stored. */
  readonly sums: RowTotals['sums'] | null;
  /** Null if rows have changed since the totals were stored. */
  readonly open: RowTotals['open'] | null;
  /** Null if there is no such column, or if rows have changed since the totals were stored. */
  readonly valuesRefusedIn: string | null;
  /** Objects that the API created for rows, but that these rows do not record. */
  readonly unrecorded: number;
  /** The invalid and rejected rows in `counts` that a later batch corrects. */
  readonly corrected: StatusCounts;
  readonly edited: EditedRows;
  /** Rows that are no longer sent, because a later batch corrects them. */
  readonly superseded: SupersededCounts;
  /** Null if no row is in doubt. */
  readonly doubt: RowsInDoubt | null;
  /** Rows for which the API gave no answer; null if there are none. */
  readonly unanswered: UnansweredRows | null;
  /** The reason why no more of it is sent until a person decides; null if there is no such reason. */
  readonly refusedAlike: RefusedAlike | null;
  /** How a person closed it, so that no run continues it; null if runs may continue it. */
  readonly closing: BatchClosing | null;
  /** The approvals that the policy requires; null if it requires none. */
  readonly approval: ApprovalStanding | null;
  readonly waiting: readonly WaitingRows[];
  /** Null for a batch that corrects no other batch and has no corrections. */
  readonly family: BatchFamily | null;
  /**
   * Fingerprint of the API key that was used in live mode for the first time when the batch was sent, if no person had
   * compared it with the dashboard; null otherwise. No other data shows that such a batch is live.
   */
  readonly unprovenKey: string | null;
  /** The last event of its chain in the audit trail; null if there is none. */
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

/** The policy's requirements for a batch, and the batch's approvals. A batch without requirements has no such value. */
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
  /**
   * The names of the users who may approve: active approvers. The makers of the batch are excluded unless the policy allows
   * them.
   */
  readonly mayApprove: readonly string[];
  /** Whether it may be approved in the console. */
  readonly takesConsole: boolean;
  /** The hash of the plan that was shown last; null if no plan was shown. */
  readonly planHash: string | null;
  /** Changes whenever a person decides to send a row. A whole number as text. */
  readonly contentRevision: string;
}

/** Whether no row of the batch may be claimed until it is approved. */
export function waitsForApproval(
  standing: ApprovalStanding | null | undefined,
): standing is ApprovalStanding {
  return standing !== null && standing !== undefined && standing.inForce === null;
}

/* The end of the audit trail, which people can store outside of the database. */

/** The chain of users, keys and policies. Any other chain belongs to a batch, and its name is the batch's id. */
export const controlsChain = 'controls';

/**
 * The last event of a chain of the audit trail. If it is stored elsewhere, it later shows whether events were removed or
 * rewritten.
 */
export interface AuditHead {
  readonly number: number;
  /** SHA-256, in hex. */
  readonly hash: string;
}

/* Runs that failed without a batch to record it. */

/** A failure of a file that was refused, or of a run as a whole. */
export interface RunFailure {
  /** Path of the file; null if the run failed as a whole. */
  readonly file: string | null;
  readonly outcome: ErrorKind;
  /** A code of the closed list. A code from another version may not be in the list. */
  readonly code: string;
  readonly message: Message;
  readonly remedies: readonly Remedy[];
}

/** A run that failed without a batch to record it, and that no later run has made good. Times are ISO 8601, UTC. */
export interface FailedRun extends RunFailure {
  /** The id of the failure in the ledger. */
  readonly id: number;
  readonly command: string;
  /** The user who started it the last time, the interface, and the host. */
  readonly startedBy: string;
  readonly channel: string;
  readonly host: string;
  /** The time of its first occurrence. */
  readonly since: string;
  readonly lastAt: string;
  readonly times: number;
}
