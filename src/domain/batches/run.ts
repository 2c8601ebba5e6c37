/* Runs of a batch: who starts them, what they request from the API, how they end, and what their logs prove. */

import type { CallOutcome } from '../failures/paybatch-error.ts';

/** The owner of a run. The data is enough to determine, on the same host, whether that process still exists. */
export interface RunOwner {
  readonly host: string;
  /** Process id, start time and boot id, if the system reports them. */
  readonly process: string;
}

export interface RunRecord {
  readonly id: string;
  /** The number of the run, counted from 1 for each batch. */
  readonly number: number;
  readonly command: string;
  /** Who began it, and through which interface; null if that is not known. */
  readonly actor: { readonly name: string; readonly channel: string } | null;
  readonly owner: RunOwner;
  readonly startedAt: string;
  readonly leaseUntil: string;
  readonly endedAt: string | null;
  readonly outcome: CallOutcome | null;
}

/** The names of runs that only read a batch or decide about its rows. They do not ask for any of it to be sent. */
export const askingNothing: readonly string[] = ['plan', 'resolve', 'reconcile', 'disown', 'close'];

/**
 * Whether a person has asked, by this run, to send a batch as it is. A run that sent nothing because the plan had changed
 * does not count.
 */
export function asksToSend({ command, outcome }: Pick<RunRecord, 'command' | 'outcome'>): boolean {
  return !askingNothing.includes(command) && outcome !== 'plan_changed';
}

/** The names of runs that send rows which were not sent yet. */
export const sendingCommands: readonly string[] = ['import', 'submit', 'resume', 'retry'];

/**
 * The names of runs that send requests about rows of a batch to the API: `reconcile` sends rows in doubt again, under their
 * keys.
 */
export const askingCommands: readonly string[] = [...sendingCommands, 'reconcile'];

/** The outcomes of runs that were not stopped. Work that they leave undone depends only on the batch's rows. */
export const wholeEnds: readonly CallOutcome[] = ['done', 'rows_need_correction', 'decision_needed'];

/**
 * Whether the latest run that sent rows of a batch completed.
 * @param runs the runs of the batch, oldest first; a run in progress does not count
 */
export function latestRunWasWhole(runs: readonly RunRecord[]): boolean {
  const latest = runs.findLast(
    ({ command, endedAt }) => endedAt !== null && askingCommands.includes(command),
  );
  return latest !== undefined && latest.outcome !== null && wholeEnds.includes(latest.outcome);
}

/* What a run log proves, and how its lines are identified in later lines, in the head file next to it, and in the ledger. */

/** A line of a run log: the last known line of one writer. */
export interface ChainTip {
  /**
   * The name of the writer's chain. Writers of a run log follow each other, or work at the same time, each in its own chain.
   */
  readonly chain: string;
  /** The line's number. Numbers continue from the number of lines that the log had when the chain began. */
  readonly line: number;
  /** The hash of this line, and thereby of all earlier lines of the chain; hexadecimal. */
  readonly hash: string;
  /** How many claims the chain contains up to this line; null if that is not known. */
  readonly claims: number | null;
}

/** The end of a run log, as the ledger stores it at the end of a run. */
export interface KeptLogHead {
  /** The path of the log. */
  readonly path: string;
  /** The last line of each chain that no line of another chain names; the chain of this writer comes first. */
  readonly tips: readonly ChainTip[];
}

/** A claim in a run log; 0 means the beginning of a run. */
export interface LoggedClaim {
  readonly run: string;
  readonly claim: number;
}

/** A fault of a run log at one place. */
export interface LogDamage {
  /**
   * `changed`, `unreadable`: the lines from `from` to `to`. `missing`: lines before line `from`. `moved`: a line that
   * belongs before that place. `unlinked`: a line without number and hash among lines that have them. `cut`: the log ends
   * before a line that its head names. `head`: the head file is damaged, or belongs to another batch.
   */
  readonly kind: 'changed' | 'unreadable' | 'missing' | 'moved' | 'unlinked' | 'cut' | 'head';
  /** Numbers of lines in the file. */
  readonly from: number;
  readonly to: number;
  /** How many lines are unusable; infinite if that is not known. */
  readonly hidden: number;
  /** The chain of these lines; null if it may be any chain, or if the whole chain is missing. */
  readonly chain: string | null;
}

/** What a run log proves about itself. */
export interface LogProof {
  /** The number of lines in the file. */
  readonly lines: number;
  /** Whether its lines have numbers and hashes. Lines of earlier versions have none, and prove nothing. */
  readonly isLinked: boolean;
  readonly head: 'there' | 'missing' | 'damaged';
  /** In the order of the file. */
  readonly damages: readonly LogDamage[];
  /** The number of lost lines of sending runs in which a sending may have been recorded that no other line records. */
  readonly lostLines: number;
  /** Whether claims may be among the lost lines. */
  readonly mayLackClaims: boolean;
  /**
   * Up to this line verdicts, corrections or whole runs may be missing, so only the log's data about a row after this line
   * is final. 0 if none are missing.
   */
  readonly doubtUntil: number;
}

/** The first and last of rows that were claimed together, and the generation of their keys if it is not the first one. */
export type ClaimedRange = [first: number, last: number] | [first: number, last: number, generation: number];
