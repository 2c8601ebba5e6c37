import { type BatchRecord, shortBatchId } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { OpenedApi } from '../connections/opened-api.ts';

/**
 * Keys and objects belong to one environment: a batch is never moved on in another one, where a key that was
 * used would create a second object.
 * @throws PaybatchError (`usage`) when the batch is of another mode or API
 */
export function requireSameEnvironment(batch: BatchRecord, { environment }: OpenedApi): void {
  if (batch.mode === environment.mode && batch.origin === environment.origin) return;
  throw new PaybatchError(
    'other_environment',
    `Batch ${shortBatchId(batch.id)} belongs to ${batch.mode} at ${batch.origin}, not to ${environment.mode} at ${environment.origin}.`,
    'give the setting mode and the setting baseUrl that it was imported with',
  );
}
