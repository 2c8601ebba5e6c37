/* Runs that failed without a batch to tell it. */

import type { ErrorKind } from '../failures/error-codes.ts';
import type { Remedy } from '../failures/remedy.ts';

/** What failed: a file that is refused, or a run as a whole. */
export interface RunFailure {
  /** Path of the file; null where the run failed as a whole. */
  readonly file: string | null;
  readonly outcome: ErrorKind;
  /** Of the closed list of codes; one of another version may not be in it. */
  readonly code: string;
  /** A sentence. */
  readonly message: string;
  readonly remedies: readonly Remedy[];
}

/** A run that failed without a batch to tell it, and that no later run has made good. Times are ISO 8601, UTC. */
export interface FailedRun extends RunFailure {
  readonly command: string;
  /** Who started it the last time, by which way in, and where. */
  readonly startedBy: string;
  readonly door: string;
  readonly host: string;
  /** Since when it has failed again and again. */
  readonly since: string;
  readonly lastAt: string;
  readonly times: number;
}
