import { PaybatchError } from '../../domain/failures/paybatch-error.ts';

/** The failure (`usage`) of a call of `reconcile` that cannot be meant as it is. */
export function reconcileUsage(message: string): PaybatchError {
  return new PaybatchError('usage', message, { action: 'help', of: 'reconcile' });
}
