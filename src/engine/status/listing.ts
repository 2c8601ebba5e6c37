import type { BatchFamily, Kind, RowsInDoubt } from '../../domain/batches/batch.ts';
import type { StatusCounts } from '../../domain/rows/row-state.ts';

/** One batch as the list of batches shows it. */
export interface BatchListing {
  readonly batch: string;
  readonly file: string;
  readonly sheet: string | null;
  readonly kind: Kind;
  readonly rows: number;
  readonly counts: StatusCounts;
  /** How many rows no run moves on by itself. */
  readonly needsPerson: number;
  /** Null when no row is in doubt. */
  readonly doubt: RowsInDoubt | null;
  /** Why the API gave no answer for rows of it, and since when; null where it did. */
  readonly unanswered: string | null;
  /** Why nothing more of it is sent until a person says so, in a sentence; null where nothing stands in the way. */
  readonly stopped: string | null;
  /** The batch with its corrections; null where there are none. */
  readonly family: BatchFamily | null;
  readonly state: BatchState;
  /** Who works on it at this moment. */
  readonly running: readonly RunningRun[];
  /** ISO 8601, UTC; null when it never ran. */
  readonly lastRunAt: string | null;
  /** The command that shows this batch. */
  readonly showCommand: string;
}

export type BatchState = 'running' | 'planned' | 'unfinished' | 'finished';

/** A run that holds a batch. */
export interface RunningRun {
  readonly command: string;
  readonly host: string;
  /** Its process id, as text. */
  readonly process: string;
  /** ISO 8601, UTC. */
  readonly since: string;
}
