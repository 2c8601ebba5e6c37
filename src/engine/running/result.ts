import type { Environment } from '../../domain/batches/batch.ts';
import { type ExitCode, exitCodes, gravest } from '../../domain/failures/exit-code.ts';
import { type Failure, FilesRefused } from '../../domain/failures/failure.ts';
import { type BatchSummary, jsonSummary } from '../../output/words/json-summary.ts';

/** How a use case ended. */
export interface CallResult {
  readonly exitCode: ExitCode;
  readonly batches: readonly BatchSummary[];
  /** Why it stopped before its end; null when it did not. */
  readonly failure: Failure | null;
  /** What `--json` prints in place of the account of batches, for a use case whose result is something else. */
  readonly document?: unknown;
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

/** What `--json` prints of a result. */
export function documentOf({ exitCode, batches, failure, document }: CallResult): unknown {
  const error =
    failure === null ? null : { code: failure.code, message: failure.message, next: failure.next };
  return document ?? jsonSummary({ exitCode, batches, error });
}
