import { type BatchRecord, shortBatchId } from '../../domain/batches/batch.ts';
import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
import type { ApiTarget } from './api-target.ts';

/**
 * Keys and objects belong to one environment: a batch is never moved on in another one, where a key that was
 * used would create a second object.
 * @throws Failure (exit 2) when the batch is of another mode or API
 */
export function requireSameEnvironment(batch: BatchRecord, { environment }: ApiTarget): void {
  if (batch.mode === environment.mode && batch.origin === environment.origin) return;
  throw new Failure(
    exitCodes.usage,
    'other_environment',
    `Batch ${shortBatchId(batch.id)} belongs to ${batch.mode} at ${batch.origin}, not to ${environment.mode} at ${environment.origin}.`,
    'give the --mode and --base-url that it was imported with',
  );
}
