/*
 * The tasks of the work list: the data of each line, the lines of one kind as a section, and the totals of a section.
 */

import type { ApprovalStanding } from '../domain/batches/batch-facts.ts';
import type { OpenOfPerson } from '../domain/batches/difference-decisions.ts';
import type { OpenRows } from '../domain/batches/open-rows.ts';
import type { RunRecord } from '../domain/batches/run.ts';
import type { CurrencySum } from '../domain/money/sums.ts';
import type { RowRemedy } from '../domain/rows/row-state.ts';
import type { RefusedAlike } from '../domain/sending/stops.ts';
import type { NamedBatch } from '../ledger/batches/batches.ts';
import type { CountedDoubt } from '../ledger/batches/families.ts';
import { addedUp } from './batch-tables.ts';

/** The fields of all lines of the work list. */
export interface Task {
  readonly batch: NamedBatch;
  /** Null if rows have changed since a run last added them up. */
  readonly rows: number | null;
  /** The sums of readable amounts; null if they are not added up. */
  readonly sums: readonly CurrencySum[] | null;
}

/** A batch whose plan waits for approvals. */
export interface ApprovalTask extends Task {
  readonly standing: ApprovalStanding;
}

/** Rows of a batch that were sent, and have no conclusive answer. */
export interface DoubtTask extends Task {
  readonly rows: number;
  readonly doubt: CountedDoubt;
  /** Whether a run may be started that sends them again: none is under way, and the batch is not closed. */
  readonly canGoOn: boolean;
}

/** Rows of a batch that have one status for one reason. */
export interface ReasonTask extends Task, Pick<OpenRows, 'status' | 'code' | 'since'> {
  readonly rows: number;
  /** What a person can do about the rows; null if their status shows it. */
  readonly advice: RowRemedy | null;
  /** Whether a run may send them again without sending other rows of the batch. */
  readonly canBeTried: boolean;
}

/** Rows to correct. */
export interface CorrectionTask extends ReasonTask {
  /** Whether some of these rows have corrections that are neither planned nor discarded. */
  readonly isEdited: boolean;
  /** Other batches that read the same content and have such rows. They have no line of their own. */
  readonly alsoIn: readonly NamedBatch[];
}

/** A batch with rows that a run sends. */
export interface SendingTask extends Task {
  /**
   * `edited`: no run sends it before the corrections of its rows are planned or discarded. `planned`: it was checked,
   * and no run was to send it. `stopped`: the API refused its rows for one reason. `unfinished`: a run was interrupted.
   * `joined`: no run was interrupted, and further rows may be sent since then, for example because of a decision.
   */
  readonly state: 'under_way' | 'edited' | 'planned' | 'stopped' | 'unfinished' | 'joined';
  readonly refusedAlike: RefusedAlike | null;
}

/** A batch on which the API and the ledger disagree. */
export interface ContradictionTask extends Task {
  /** Created rows whose answer contradicts their request. */
  readonly contradicted: number;
  /** Objects that the API created for rows which do not have them. */
  readonly unrecorded: number;
}

/** A batch whose last reconciliation has left differences that a person decides about. */
export interface DifferencesTask extends Task {
  readonly rows: number;
  /** The id of that reconciliation in the ledger. */
  readonly reconciliation: string;
  readonly by: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Number of differences that the viewer looks into. */
  readonly own: number;
  /** Numbers of differences that other people look into. Differences without a person have null as the person. */
  readonly others: readonly OpenOfPerson[];
}

/** A run that neither works nor has ended: its program was killed, or its machine was lost. */
interface CutOffRun extends Pick<RunRecord, 'command' | 'actor'> {
  /** Whole id of its batch. */
  readonly batch: string;
}

/** The lines of one kind: the first ones are listed. */
export interface WorkSection<Line extends Task> {
  readonly tasks: readonly Line[];
  /** Number of lines that are not listed. */
  readonly more: number;
  /** Number of rows in all lines whose rows are known. */
  readonly rows: number;
  readonly sums: readonly CurrencySum[];
  /** Number of lines whose rows are unknown and not counted. */
  readonly uncounted: number;
  /** Number of lines whose sums are unknown, because their amounts are not added up. */
  readonly unsummed: number;
}

/** @param unread number of lines that exist and were not read */
export function workSection<Line extends Task>(
  tasks: readonly Line[],
  limit: number,
  unread = 0,
): WorkSection<Line> {
  return {
    tasks: tasks.slice(0, limit),
    more: Math.max(0, tasks.length - limit) + unread,
    rows: tasks.reduce((sum, { rows }) => sum + (rows ?? 0), 0),
    sums: addedUp(tasks.flatMap(({ sums }) => sums ?? [])),
    uncounted: tasks.filter(({ rows }) => rows === null).length + unread,
    unsummed: tasks.filter(({ sums }) => sums === null).length + unread,
  };
}

/** Adds up sums by currency; null if one of them is unknown. */
export function joinedSums(all: readonly Task['sums'][]): Task['sums'] {
  const known = all.filter((sums) => sums !== null);
  return known.length < all.length ? null : addedUp(known.flat());
}

/** What needs a person. */
export interface WorkSections {
  readonly approvals: WorkSection<ApprovalTask>;
  /** Batches in the order in which their keys expire or have expired, the earliest first. */
  readonly doubts: WorkSection<DoubtTask>;
  /** Held rows that pay a known payee at another account, or name another payee's account. */
  readonly changedPayees: WorkSection<ReasonTask>;
  /** Held rows for other reasons. */
  readonly held: WorkSection<ReasonTask>;
  /** Invalid and rejected rows, by batch and status, except those that another file corrects. */
  readonly corrections: WorkSection<CorrectionTask>;
  readonly waiting: WorkSection<ReasonTask>;
  readonly sending: WorkSection<SendingTask>;
  readonly contradictions: WorkSection<ContradictionTask>;
  /** Lines that the viewer looks into come first, then the others, the last found ones first. */
  readonly differences: WorkSection<DifferencesTask>;
  /** The last run of each batch without a working run. */
  readonly cutOff: readonly CutOffRun[];
  /** Whether there are too many open batches, so that only the newest ones were checked. */
  readonly isCutShort: boolean;
}
