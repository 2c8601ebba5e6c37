/* What the ledger knows of a batch, and what stops its sending. */

import type { StatusTotal } from '../money/expectation.ts';
import type { PayeeChangeCounts, ShownChange } from '../rows/payee-change.ts';
import type { StatusCounts } from '../rows/row-state.ts';
import type { UnansweredRows } from '../sending/outcome.ts';
import type { ApprovalStanding } from './approval.ts';
import type { AuditHead } from './audit-head.ts';
import type {
  BatchClosing,
  BatchFamily,
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
  /** How many of the failed rows a person has to do with; absent where the call has not written the file. */
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
  /** The file that asks for verdicts, where the call has just written it. */
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

/** What the rows of a batch add up to. */
export interface RowTotals {
  readonly counts: StatusCounts;
  /** Of them, rows that repeat an earlier row of their file: they share its request, and are never sent themselves. */
  readonly repeats: StatusCounts;
  /** Created rows whose answer contradicts what was sent. */
  readonly contradicted: number;
  /** Amounts by status and currency, without those of rows that repeat another one. */
  readonly sums: readonly StatusTotal[];
  /** Rows that wait for a person or for time, by reason. */
  readonly open: readonly OpenRows[];
  /** The title of a column with few values, for which the API refused rows; null where there is none. */
  readonly valuesRefusedIn: string | null;
}

/** Whether rows of a batch are open, or only refused ones wait to be corrected; null where neither is so. */
export type BatchNeed = 'rows' | 'corrections' | null;

/** What is open of a batch whose rows add up so, unless it was closed. */
export function needOf({ counts, contradicted, open }: RowTotals, unrecorded: number): BatchNeed {
  const { not_sent = 0, unknown = 0, held = 0, waiting = 0 } = counts;
  if (not_sent + unknown + held + waiting + contradicted + unrecorded > 0) return 'rows';
  return open.length > 0 ? 'corrections' : null;
}

/** All that the ledger knows of a batch at one moment, beside what the batch itself is. */
export interface BatchFacts extends Pick<RowTotals, 'counts' | 'repeats' | 'contradicted'> {
  /** Null while rows have changed since they were added up. */
  readonly sums: RowTotals['sums'] | null;
  /** Null while rows have changed since they were added up. */
  readonly open: RowTotals['open'] | null;
  /** Null where there is none, and while rows have changed since they were added up. */
  readonly valuesRefusedIn: string | null;
  /** Objects that the API created for rows which do not have them. */
  readonly unrecorded: number;
  /** Invalid and rejected rows that are corrected in a later batch. */
  readonly corrected: number;
  /** Rows that are not sent any more since a later batch corrects them. */
  readonly superseded: SupersededCounts;
  /** Null when no row is in doubt. */
  readonly doubt: RowsInDoubt | null;
  /** Rows that the API gave no answer; null when there are none. */
  readonly unanswered: UnansweredRows | null;
  /** Why nothing more of it is sent until a person says so; null where nothing is in the way. */
  readonly refusedAlike: RefusedAlike | null;
  /** That no run takes it up any more; null where runs may. */
  readonly closing: BatchClosing | null;
  /** Which approvals the policy asks for; null where it asks for none. */
  readonly approval: ApprovalStanding | null;
  readonly waiting: readonly WaitingRows[];
  /** Null for a batch that corrects none and has no corrections. */
  readonly family: BatchFamily | null;
  /** The last event of its chain in the audit trail; null where it has none. */
  readonly auditHead: AuditHead | null;
  /** Oldest first. */
  readonly runs: readonly RunRecord[];
}
