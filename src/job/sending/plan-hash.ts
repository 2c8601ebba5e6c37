import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
import { someFile } from '../../domain/failures/next-command.ts';

/**
 * @param files that are to be sent, in which the advice names them
 * @throws Failure (exit 2) for what cannot be a plan's hash, before anything is looked at
 */
export function planHashOf(
  given: string | undefined,
  files: readonly string[] = [someFile],
): string | undefined {
  if (given === undefined || /^[0-9a-f]{64}$/i.test(given)) return given?.toLowerCase();
  throw new Failure(
    exitCodes.usage,
    'option_invalid',
    '--plan-hash is not the hash of a plan: that has 64 hexadecimal digits.',
    { words: ['plan', ...files], after: ' shows it', needs: 'place_and_reading' },
  );
}
