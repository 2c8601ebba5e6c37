import type { BatchAccount, InputAccount } from '../domain/batches/account.ts';
import type { Environment } from '../domain/batches/batch.ts';
import {
  type CallOutcome,
  FilesRefused,
  gravest,
  type PaybatchError,
} from '../domain/failures/paybatch-error.ts';

/** The end of a use case. */
export interface CallResult {
  readonly outcome: CallOutcome;
  readonly batches: readonly InputAccount[];
  /** Why it stopped before its end; null when it did not. */
  readonly failure: PaybatchError | null;
}

/** Batches whose files were written, and their folder. */
export interface WrittenBatches extends CallResult {
  readonly batches: readonly BatchAccount[];
  readonly environment: Environment;
}

/** A result for the files that were not refused. The refused files are added: they count as well, and are reported. */
export function withRefused<Result extends CallResult>(
  result: Result,
  refused: readonly PaybatchError[],
): Result {
  if (refused.length === 0) return result;
  const failure = result.failure ?? new FilesRefused(refused);
  return { ...result, failure, outcome: gravest([result.outcome, ...refused.map(({ kind }) => kind)]) };
}
