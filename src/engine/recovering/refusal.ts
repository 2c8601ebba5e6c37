import type { ErrorCode } from '../../domain/failures/error-codes.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { Remedies } from '../../domain/failures/remedy.ts';

/** The failure of a recovery whose logs or file are not what it needs: nothing was changed. */
export function refusedRecovery(code: ErrorCode, message: string, next: Remedies): PaybatchError {
  return new PaybatchError(code, message, next, { kind: 'file_refused' });
}
