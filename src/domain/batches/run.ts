/* Runs of a batch: who makes them, what they ask the API, and how they end; and what their log proves. */

import type { CallOutcome } from '../failures/paybatch-error.ts';

/** Who runs: enough to find out, on the same host, whether that process still exists. */
export interface RunOwner {
  readonly host: string;
  /** Process id, start time and boot, where the system reports them. */
  readonly process: string;
}

export interface RunRecord {
  readonly id: string;
  /** Counts the runs of the batch from 1. */
  readonly number: number;
  readonly command: string;
  /** Who began it, and by which interface; null where it is not known. */
  readonly actor: { readonly name: string; readonly door: string } | null;
  readonly owner: RunOwner;
  readonly startedAt: string;
  readonly leaseUntil: string;
  readonly endedAt: string | null;
  readonly outcome: CallOutcome | null;
}

/** The names of runs that look at a batch, or decide about its rows: nothing of it is to be sent by them. */
export const askingNothing: readonly string[] = ['plan', 'resolve', 'reconcile', 'disown', 'close'];

/** Whether a person has requested by a run that a batch is sent as it is: not a run for another plan that sent nothing. */
export function asksToSend({ command, outcome }: Pick<RunRecord, 'command' | 'outcome'>): boolean {
  return !askingNothing.includes(command) && outcome !== 'plan_changed';
}

/** The names of runs that send what was not sent yet. */
export const sendingCommands: readonly string[] = ['import', 'submit', 'resume', 'retry'];

/** The names of runs that ask the API about rows of a batch: `reconcile` sends those in doubt again, under their keys. */
export const askingCommands: readonly string[] = [...sendingCommands, 'reconcile'];

/** The ends of runs that were not stopped: what they leave undone depends on the batch's rows. */
export const wholeEnds: readonly CallOutcome[] = ['done', 'rows_need_correction', 'decision_needed'];

/**
 * Whether the latest run that sent rows of a batch completed.
 * @param runs of the batch, oldest first; one in progress does not count
 */
export function latestRunWasWhole(runs: readonly RunRecord[]): boolean {
  const latest = runs.findLast(
    ({ command, endedAt }) => endedAt !== null && askingCommands.includes(command),
  );
  return latest !== undefined && latest.outcome !== null && wholeEnds.includes(latest.outcome);
}

/* What a run log proves, and how later lines, the head file beside it, and the ledger name its lines. */

/** A line of a run log: the last known line of its writer. */
export interface ChainTip {
  /** Names the writer: writers of a run log follow each other, or work at the same time, each in a chain of its own. */
  readonly chain: string;
  /** Continues from the number of lines that the log had when the chain began. */
  readonly line: number;
  /** Of this line and thereby of all lines of the chain before it; hexadecimal. */
  readonly hash: string;
  /** How many claims the chain names up to this line; null where that is not known. */
  readonly claims: number | null;
}

/** The end of a run log, as the ledger stores it at the end of a run. */
export interface KeptLogHead {
  /** The path of the log. */
  readonly path: string;
  /** The last line of each chain that no other line of them names; the writer's own first. */
  readonly tips: readonly ChainTip[];
}

/** A claim that a run log names; 0 means the beginning of a run. */
export interface LoggedClaim {
  readonly run: string;
  readonly claim: number;
}

/** What is wrong with a run log at one place. */
export interface LogDamage {
  /**
   * `changed`, `unreadable`: the lines from `from` to `to`. `missing`: before line `from`. `moved`: a line that belongs
   * before it. `unlinked`: a line without number and hash among others that have them. `cut`: the log ends before a line
   * that its head names. `head`: the head file is damaged, or another batch's.
   */
  readonly kind: 'changed' | 'unreadable' | 'missing' | 'moved' | 'unlinked' | 'cut' | 'head';
  /** Numbers of lines in the file. */
  readonly from: number;
  readonly to: number;
  /** How many lines are unusable; infinite where it is not known. */
  readonly hidden: number;
  /** The chain that they belong to; null where it may be any, or where all of it is missing. */
  readonly chain: string | null;
}

/** What a run log proves about itself. */
export interface LogProof {
  /** Lines of the file. */
  readonly lines: number;
  /** Whether its lines have numbers and hashes: those of earlier versions have none, and prove nothing. */
  readonly isLinked: boolean;
  readonly head: 'there' | 'missing' | 'damaged';
  /** In the order of the file. */
  readonly damages: readonly LogDamage[];
  /** Lost lines of runs that send, where something may have been sent that only they recorded. */
  readonly lostLines: number;
  /** Whether claims may be among them. */
  readonly mayLackClaims: boolean;
  /**
   * Up to this line verdicts, corrections or whole runs may be missing: only what the log says about a row after it is
   * final. 0 where none are.
   */
  readonly doubtUntil: number;
}

/** First and last of rows that were claimed together, and the number of their keys, where that is not their first. */
export type ClaimedRange = [first: number, last: number] | [first: number, last: number, generation: number];
