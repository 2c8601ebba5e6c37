import { FilesRefused, PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { asFailure } from '../running/stop-cause.ts';
import type { OpenInputs } from './inputs.ts';

/**
 * Looks at the files of a call that could be opened. Where others were refused and nothing may go on without them,
 * this is only to name all that is refused at once: what else is in the way then says nothing that a person could use
 * before those files are mended, unless the person stopped it.
 * @throws FilesRefused that names at least the files that could not be opened
 */
export async function namingRefused<Result>(
  { refused, mayContinue }: Pick<OpenInputs, 'refused' | 'mayContinue'>,
  look: () => Promise<Result>,
): Promise<Result> {
  if (mayContinue) return look();
  try {
    return await look();
  } catch (error) {
    const failure = asFailure(error);
    if (
      !(failure instanceof PaybatchError) ||
      failure instanceof FilesRefused ||
      failure.code === 'interrupted'
    )
      throw error;
    throw new FilesRefused(refused);
  }
}
