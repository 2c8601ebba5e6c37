import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';

/** The failure of a recovery whose logs or file are not what it needs: nothing was changed. */
export function refusedRecovery(code: string, message: string, next: string): Failure {
  return new Failure(exitCodes.fileRefused, code, message, next);
}
