/*
 * The account of a batch: all facts about it at one moment, in one form. Summary, status, JSON, report, pages, work list and
 * reconciliation use only this form.
 */

import type { CallRemedy } from '../failures/paybatch-error.ts';
import { AmountSums, type StatusTotal } from '../money/sums.ts';
import type { TalliedFindings } from '../rows/finding.ts';
import type { RowToPrepare } from '../rows/ledger-row.ts';
import type { ResultStatus, RowState, StatusCounts } from '../rows/row-state.ts';
import type { Message } from '../settings/message.ts';
import type { Environment, Kind } from './batch.ts';
import type { AuditHead, BatchFacts, BatchFiles, ChangesSummary } from './batch-facts.ts';
import type { ChainTip, RunOwner, RunRecord } from './run.ts';

/** The rows of a batch that would be sent, and the hash that a person confirms. */
export interface ShownPlan {
  readonly planHash: string;
  readonly totals: PlanTotals;
}

/** The result of one input of a call, with or without a batch. */
export interface InputAccount {
  /** The batch's full id; null if no batch was created. */
  readonly id: string | null;
  readonly kind: Kind;
  /** The file's name as the person entered it. */
  readonly file: string;
  readonly sheet: string | null;
  readonly rows: number;
  /** The counts add up to `rows`. */
  readonly counts: StatusCounts;
  /** The part of `counts` that repeats an earlier row of the same file; such rows are never sent themselves. */
  readonly repeats: StatusCounts;
  /** Amounts by status and currency, without repeated rows; null until they are added up. */
  readonly sums: readonly StatusTotal[] | null;
  /** The reasons why rows are not created, each with its rows; null if the call has not read the rows. */
  readonly attention: Attention | null;
  /** The changes since last time; null if the call has not compared the file. */
  readonly changes: ChangesSummary | null;
  /** The plan that the call made or checked; null if it did neither. */
  readonly plan: ShownPlan | null;
  /** The last event of the batch's chain in the audit trail; null if there is none. */
  readonly auditHead: AuditHead | null;
  /** The last line of its run log when rows were last claimed; null if the call has not read it, or if there is none. */
  readonly logHead: Pick<ChainTip, 'line' | 'hash'> | null;
  readonly files: BatchFiles;
  /** Notes about the file, as sentences: hidden rows, rows that were omitted. */
  readonly notes: readonly Message[];
}

/** A run of a batch. Times are ISO 8601, UTC. The outcome is null while the run is in progress, and if it was killed. */
export interface RunAccount extends Omit<RunRecord, 'owner' | 'leaseUntil'>, RunOwner {
  /** Whether the run still holds the batch, as far as this machine can tell. */
  readonly isUnderWay: boolean;
}

/** The phase of a batch. */
export type BatchState = 'running' | 'planned' | 'unapproved' | 'unfinished' | 'closed' | 'finished';

/** All facts about a batch. Times are ISO 8601, UTC. */
export interface BatchAccount extends InputAccount, Omit<BatchFacts, 'runs'> {
  readonly id: string;
  /** The mode and address of the API to which its objects belong. */
  readonly environment: Environment;
  readonly createdAt: string;
  /** The path of its file, if the call knows it. */
  readonly source: string | null;
  readonly state: BatchState;
  /** Rows that need a person, because no run continues them by itself. */
  readonly needsPerson: number;
  /** Oldest first. */
  readonly runs: readonly RunAccount[];
  /** Null if it never ran. */
  readonly lastRunAt: string | null;
  /** The next steps, the most urgent first. */
  readonly next: readonly NextStep[];
}

/** Whether a batch was created from the input. */
export function isBatch(account: InputAccount | BatchAccount): account is BatchAccount {
  return account.id !== null;
}

/** A batch with its plan. */
export interface PlannedAccount extends BatchAccount {
  readonly plan: ShownPlan;
}

/** The reason for a next step. */
export type StepReason =
  /** The API created objects that no row records. */
  | { readonly what: 'unrecorded'; readonly objects: number }
  /** Created rows whose answer contradicts what was sent. */
  | { readonly what: 'contradicted'; readonly rows: number }
  /** The file as a whole, or the values of one column, is read in the wrong way. */
  | { readonly what: 'read_again'; readonly column: string | null }
  /** Rows have edits that are neither planned nor discarded. `stops` shows what else may not be sent before that. */
  | {
      readonly what: 'plan_corrections';
      readonly rows: number;
      readonly stops: 'batch' | 'rejected_rows' | null;
    }
  /** Sending stopped because rows are refused for one reason; `rows` other rows are left, or none. */
  | { readonly what: 'send_others'; readonly rows: number }
  | { readonly what: 'allow_retry'; readonly rows: number }
  | { readonly what: 'approve'; readonly rows: number }
  /** A run sends rows. It also sends rows in doubt again, until their keys expire. */
  | {
      readonly what: 'resume';
      readonly notSent: number;
      readonly inDoubt: number;
      readonly runsOutAt: string | null;
    }
  /** Sending rows in doubt again does not help, or is no longer allowed. */
  | {
      readonly what: 'ask_provider';
      readonly rows: number;
      readonly expired: number;
      readonly unsettled: number;
      readonly hasVerdictsFile: boolean;
    }
  | { readonly what: 'decide'; readonly rows: number; readonly hasVerdictsFile: boolean }
  | { readonly what: 'correct'; readonly rows: number }
  /** Rows that were not sent yet will be sent together with them. */
  | {
      readonly what: 'retry';
      readonly rejected: number;
      readonly waiting: number;
      readonly notSent: number;
    }
  /** Rows of a closed batch. */
  | { readonly what: 'finish_closing'; readonly rows: number }
  | { readonly what: 'doubt_of_closed'; readonly rows: number }
  | { readonly what: 'correct_closed' };

/** A next step for a batch. */
export type NextStep = StepReason & { readonly remedy: CallRemedy };

/** Rows that have the same value in the column of a reason. */
export interface ReportPlace {
  /**
   * The cell's text, in full except for the end of a long text. Empty if the reason is about the row as a whole. Null for
   * all values that are not listed.
   */
  readonly value: string | null;
  readonly rowCount: number;
  /** Row numbers as text: `3, 7–12, 20 and 4 more`. */
  readonly rows: string;
}

/** Rows that need attention for the same reason. If a row has several faults, each one is listed under its own reason. */
export interface AttentionGroup {
  readonly status: ResultStatus;
  readonly code: string | null;
  /** The column's title in the file. */
  readonly column: string | null;
  readonly rows: number;
  /** One text for all rows; null if the status is enough. If the rows have different values, … replaces each value. */
  readonly message: string | null;
  /** The message of the first row, with identifiers masked, so that a terminal may show it. */
  readonly example: string | null;
  readonly places: readonly ReportPlace[];
}

/**
 * The rows that a report lists: first created rows whose answer contradicts what was sent, then all rows that are neither
 * created nor existing.
 */
export interface Attention {
  readonly rows: number;
  /** Created rows whose answer contradicts what was sent. */
  readonly contradicted: number;
  /** Contradictions first, then by status, the largest first; at most 200. */
  readonly groups: readonly AttentionGroup[];
  readonly groupsLeftOut: number;
}

/** One input after a check. Rows that would be sent have the status `not_sent`. */
export interface CheckedAccount extends InputAccount {
  readonly id: null;
  /** Its name in messages: the file, and its sheet if it has one. */
  readonly place: string;
  readonly findings: TalliedFindings;
  readonly changes: ChangesSummary;
  readonly files: BatchFiles & { readonly findings: string };
}

/* The content of a plan: its rows, and their totals in groups. */

/** A row of a plan: a row that may be sent, or that its batch has sent already. */
export interface RowToPlan extends RowToPrepare {
  readonly state: RowState;
}

/** Rows that would be sent and that have the same resource, institution and currency. */
export interface PlanGroup {
  readonly resource: string;
  /** Null if the rail has no institutions, or the row names none. */
  readonly institution: string | null;
  readonly currency: string | null;
  readonly rows: number;
  readonly rowsWithAmount: number;
  /** The exact sum as a plain decimal; null if no row has an amount. */
  readonly amount: string | null;
}

/** Rows that would not be sent, with the reason. */
export interface SkippedGroup {
  readonly status: ResultStatus;
  /** The first finding's code; `duplicate` for rows that repeat an earlier row of their file. */
  readonly code: string | null;
  readonly rows: number;
  readonly firstRow: number;
}

/** Rows that a run would move. They were found for a plan that is only shown, so the ledger has not recorded the moves. */
export interface ForeseenRows {
  /** Rows that would be excluded from sending. */
  readonly left: readonly { readonly row: number; readonly status: ResultStatus; readonly code: string }[];
  /** Waiting rows that would be sent, since the objects that they wait for now exist. */
  readonly released: readonly number[];
}

export interface PlanTotals {
  readonly send: readonly PlanGroup[];
  readonly skip: readonly SkippedGroup[];
}

/* The data for charts of a batch: its rows over the time of a run, and its amounts compared with last time. */

/** The number of equal parts into which the time of a run is divided. */
export const partsOfTime = 30;

/** Rows that got a status in one part of a run's time. */
export interface SentOverTime {
  readonly status: 'created' | 'rejected' | 'unknown' | 'held' | 'waiting';
  /** The number of the part, counted from 1. */
  readonly part: number;
  readonly rows: number;
}

/** A run, and how its rows got their status. */
export interface RunOverTime {
  /** ISO 8601, UTC. */
  readonly from: string;
  readonly to: string;
  /** The number of equal parts of its time. */
  readonly parts: number;
  readonly rows: readonly SentOverTime[];
}

/** The amount for one institution in one currency, compared with last time; exact decimals, null for no amount. */
export interface AmountBesideLast {
  readonly institution: string | null;
  readonly currency: string;
  readonly now: string | null;
  readonly before: string | null;
}

/** The amounts of two plans by institution and currency, in the order of the first one. */
export function amountsBesideLast(
  now: readonly PlanGroup[],
  before: readonly PlanGroup[],
): readonly AmountBesideLast[] {
  const [own, earlier] = [byInstitution(now), byInstitution(before)];
  return [...new Set([...own.keys(), ...earlier.keys()])].map((key) => {
    const [institution, currency] = JSON.parse(key) as [string | null, string];
    return { institution, currency, now: own.get(key) ?? null, before: earlier.get(key) ?? null };
  });
}

function byInstitution(groups: readonly PlanGroup[]): ReadonlyMap<string, string> {
  const sums = new AmountSums();
  for (const { institution, currency, amount, rowsWithAmount } of groups) {
    if (currency !== null && amount !== null)
      sums.add(JSON.stringify([institution, currency]), amount, rowsWithAmount);
  }
  return new Map(sums.result().map(({ currency: key, amount }) => [key, amount]));
}
