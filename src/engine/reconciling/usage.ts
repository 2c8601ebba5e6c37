import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';

/** The failure (exit 2) of a call of `reconcile` that cannot be meant as it is. */
export function reconcileUsage(message: string): Failure {
  return new Failure(exitCodes.usage, 'usage', message, 'paybatch reconcile --help');
}
