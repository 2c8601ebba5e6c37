/*
 * The account of a batch: all that is known of it at one moment, in one form. Summary, status, JSON, report, pages, work
 * list and reconciliation use it, and nothing else.
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

/** What would be sent of a batch, and the hash that a person confirms. */
export interface ShownPlan {
  readonly planHash: string;
  readonly totals: PlanTotals;
}

/** The result of one input of a call, with or without a batch. */
export interface InputAccount {
  /** The batch's whole id; null where none was made. */
  readonly id: string | null;
  readonly kind: Kind;
  /** The file's name as people wrote it. */
  readonly file: string;
  readonly sheet: string | null;
  readonly rows: number;
  /** Adds up to `rows`. */
  readonly counts: StatusCounts;
  /** Of `counts`, rows that repeat an earlier row of their file: they are never sent themselves. */
  readonly repeats: StatusCounts;
  /** Amounts by status and currency, without those of repeated rows; null until they are added up. */
  readonly sums: readonly StatusTotal[] | null;
  /** Why rows are not created, each reason with its rows; null where the call has not read the rows. */
  readonly attention: Attention | null;
  /** What changed since last time; null where the call has not compared. */
  readonly changes: ChangesSummary | null;
  /** The plan that the call made or checked; null where it did neither. */
  readonly plan: ShownPlan | null;
  /** The last event of its chain in the audit trail; null where it has none. */
  readonly auditHead: AuditHead | null;
  /** The last line of its run log when rows were last claimed; null where the call has not read it, or there is none. */
  readonly logHead: Pick<ChainTip, 'line' | 'hash'> | null;
  readonly files: BatchFiles;
  /** Notes about the file, in sentences: hidden rows, rows that were left out. */
  readonly notes: readonly Message[];
}

/** A run of a batch. Times are ISO 8601, UTC; the outcome is null while it runs, and where it was killed. */
export interface RunAccount extends Omit<RunRecord, 'owner' | 'leaseUntil'>, RunOwner {
  /** Whether it holds the batch, as far as this machine can tell. */
  readonly isUnderWay: boolean;
}

/** The phase of a batch. */
export type BatchState = 'running' | 'planned' | 'unapproved' | 'unfinished' | 'closed' | 'finished';

/** All that is known of a batch. Times are ISO 8601, UTC. */
export interface BatchAccount extends InputAccount, Omit<BatchFacts, 'runs'> {
  readonly id: string;
  /** The mode and address of the API that its objects belong to. */
  readonly environment: Environment;
  readonly createdAt: string;
  /** The path of its file, where the call knows it. */
  readonly source: string | null;
  readonly state: BatchState;
  /** Rows that no run moves on by itself. */
  readonly needsPerson: number;
  /** Oldest first. */
  readonly runs: readonly RunAccount[];
  /** Null when it never ran. */
  readonly lastRunAt: string | null;
  /** What to do about it, the most urgent first. */
  readonly next: readonly NextStep[];
}

/** Whether a batch was made of the input. */
export function isBatch(account: InputAccount | BatchAccount): account is BatchAccount {
  return account.id !== null;
}

/** A batch with its plan. */
export interface PlannedAccount extends BatchAccount {
  readonly plan: ShownPlan;
}

/** The reason for something to do. */
export type StepReason =
  /** Objects that the API created and no row records. */
  | { readonly what: 'unrecorded'; readonly objects: number }
  /** Created rows whose answer contradicts what was sent. */
  | { readonly what: 'contradicted'; readonly rows: number }
  /** The file is read wrongly as a whole, or the values of one column are. */
  | { readonly what: 'read_again'; readonly column: string | null }
  /** Rows have corrections that are neither planned nor discarded: what may not be sent before, besides these rows. */
  | {
      readonly what: 'plan_corrections';
      readonly rows: number;
      readonly stops: 'batch' | 'rejected_rows' | null;
    }
  /** Sending stopped since rows are refused for one reason; other rows are left, or none. */
  | { readonly what: 'send_others'; readonly rows: number }
  | { readonly what: 'allow_retry'; readonly rows: number }
  | { readonly what: 'approve'; readonly rows: number }
  /** A run sends rows, and resends those in doubt until their keys expire. */
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
  /** Rows that were not sent yet are sent with them. */
  | {
      readonly what: 'retry';
      readonly rejected: number;
      readonly waiting: number;
      readonly notSent: number;
    }
  /** Of a closed batch. */
  | { readonly what: 'finish_closing'; readonly rows: number }
  | { readonly what: 'doubt_of_closed'; readonly rows: number }
  | { readonly what: 'correct_closed' };

/** Something to do next. */
export type NextStep = StepReason & { readonly remedy: CallRemedy };

/** Rows that have the same value in the column that a reason is about. */
export interface ReportPlace {
  /**
   * The cell's text, in full except for its end where it is long; empty where the row as a whole is meant. Null of all values
   * beyond those that are listed.
   */
  readonly value: string | null;
  readonly rowCount: number;
  /** In words: `3, 7–12, 20 and 4 more`. */
  readonly rows: string;
}

/** Rows that need attention for the same reason: everything that is wrong with a row is listed under its own reason. */
export interface AttentionGroup {
  readonly status: ResultStatus;
  readonly code: string | null;
  /** The column as the file calls it. */
  readonly column: string | null;
  readonly rows: number;
  /** One text for all of them; null where the status is enough. Where rows have several values, … replaces each. */
  readonly message: string | null;
  /** The message of the first of them, with identifiers masked: fit for a terminal. */
  readonly example: string | null;
  readonly places: readonly ReportPlace[];
}

/**
 * The rows that are neither created nor existing, as a report shows them, after those whose answer
 * contradicts what was sent.
 */
export interface Attention {
  readonly rows: number;
  /** Created rows whose answer contradicts what was sent. */
  readonly contradicted: number;
  /** Contradictions first, then by status, the largest first; at most 200. */
  readonly groups: readonly AttentionGroup[];
  readonly groupsLeftOut: number;
}

/** One input after a check. Rows that would be sent are `not_sent`. */
export interface CheckedAccount extends InputAccount {
  readonly id: null;
  /** Its name in messages: the file, and its sheet where it has one. */
  readonly place: string;
  readonly findings: TalliedFindings;
  readonly changes: ChangesSummary;
  readonly files: BatchFiles & { readonly findings: string };
}

/* What a plan consists of: its rows, and their totals in groups. */

/** A row that a plan is about: one that may be sent, or that its batch has sent. */
export interface RowToPlan extends RowToPrepare {
  readonly state: RowState;
}

/** Rows that would be sent and share resource, institution and currency. */
export interface PlanGroup {
  readonly resource: string;
  /** Null where the rail knows no institutions, or the row names none. */
  readonly institution: string | null;
  readonly currency: string | null;
  readonly rows: number;
  readonly rowsWithAmount: number;
  /** The exact sum as a plain decimal; null when no row has an amount. */
  readonly amount: string | null;
}

/** Rows that would not be sent, and why. */
export interface SkippedGroup {
  readonly status: ResultStatus;
  /** The first finding's code; `duplicate` for rows that repeat an earlier one of their file. */
  readonly code: string | null;
  readonly rows: number;
  readonly firstRow: number;
}

/** Rows that a run would move, found by a plan that is only shown; the ledger has not recorded the moves. */
export interface ForeseenRows {
  /** They would not be sent. */
  readonly left: readonly { readonly row: number; readonly status: ResultStatus; readonly code: string }[];
  /** They wait, and would be sent, since what they wait for now exists. */
  readonly released: readonly number[];
}

export interface PlanTotals {
  readonly send: readonly PlanGroup[];
  readonly skip: readonly SkippedGroup[];
}

/* What a picture of a batch shows: its rows over the time of a run, and its amounts beside those of last time. */

/** The number of equal parts into which the time of a run is divided. */
export const partsOfTime = 30;

/** Rows that got a status in one part of a run's time. */
export interface SentOverTime {
  readonly status: 'created' | 'rejected' | 'unknown' | 'held' | 'waiting';
  /** Counts the parts from 1. */
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

/** What would be paid at one institution in one currency, beside last time; exact decimals, null for nothing. */
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
