import type { Environment } from '../../domain/batches/batch.ts';
import type { BatchSummary } from '../../domain/batches/batch-summary.ts';
import { type ExitCode, exitCodes, gravest } from '../../domain/failures/exit-code.ts';
import { type Failure, FilesRefused } from '../../domain/failures/failure.ts';

/** How a use case ended. */
export interface CallResult {
  readonly exitCode: ExitCode;
  readonly batches: readonly BatchSummary[];
  /** Why it stopped before its end; null when it did not. */
  readonly failure: Failure | null;
}

/** Batches whose files were written, and where they belong. */
export interface WrittenBatches extends CallResult {
  readonly environment: Environment;
}

/** A result of the files that were not refused: the refused ones count as well, and are told. */
export function withRefused<Result extends CallResult>(result: Result, refused: readonly Failure[]): Result {
  if (refused.length === 0) return result;
  const failure = result.failure ?? new FilesRefused(refused);
  return { ...result, failure, exitCode: gravest([result.exitCode, exitCodes.fileRefused]) };
}
