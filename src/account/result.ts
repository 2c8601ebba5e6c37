/* The end of a use case, and what else of the call a person has to know. */

import type { BatchAccount, InputAccount } from '../domain/batches/account.ts';
import type { Environment } from '../domain/batches/batch.ts';
import {
  type CallOutcome,
  FilesRefused,
  gravest,
  type PaybatchError,
} from '../domain/failures/paybatch-error.ts';
import type { LeftOutSheet } from '../domain/tables/table.ts';

/** The end of a use case. */
export interface CallResult {
  readonly outcome: CallOutcome;
  readonly batches: readonly InputAccount[];
  /** Why it stopped before its end; null when it did not. */
  readonly failure: PaybatchError | null;
  /** Sheets of the files with rows of which nothing was read; absent for none. */
  readonly leftOutSheets?: readonly LeftOutSheet[];
}

/** Batches whose files were written, and their folder. */
export interface WrittenBatches extends CallResult {
  readonly batches: readonly BatchAccount[];
  readonly environment: Environment;
}

/** A result with the sheets that were left out, of which a person has to know: there may be rows to send in them. */
export function withLeftOut<Result extends CallResult>(
  result: Result,
  leftOutSheets: readonly LeftOutSheet[],
): Result {
  if (leftOutSheets.length === 0) return result;
  return { ...result, leftOutSheets, outcome: gravest([result.outcome, 'rows_need_correction']) };
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
