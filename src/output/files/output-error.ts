import { type Remedies, type Remedy, remediesOf } from '../../domain/failures/remedy.ts';

type OutputErrorCode =
  | 'disk_full'
  | 'folder_not_writable'
  | 'not_a_folder'
  | 'symbolic_link'
  | 'file_not_found'
  | 'run_log_damaged'
  | 'run_log_gone'
  | 'write_failed';

/**
 * A file of ours cannot be written or read: `message` says in a sentence what is wrong, `remedies` what to do
 * about it, and `code` is stable, for programs.
 */
export class OutputError extends Error {
  override readonly name = 'OutputError';
  readonly code: OutputErrorCode;
  readonly remedies: readonly Remedy[];

  constructor(code: OutputErrorCode, message: string, remedies: Remedies, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.remedies = remediesOf(remedies);
  }
}

const otherFolder: Remedy = {
  action: 'set',
  purpose: 'name another folder',
  oneOf: [{ setting: 'out' }],
};

function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

/** Says what the operating system's refusal to write `path` means. An `OutputError` is left as it is. */
export function writeError(path: string, error: unknown): OutputError {
  if (error instanceof OutputError) return error;
  const code = systemCode(error);
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new OutputError(
        'disk_full',
        `There is no room on the disk to write ${path}.`,
        [{ action: 'advice', text: 'make room on the disk', next: { action: 'again' } }, otherFolder],
        error,
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new OutputError(
        'folder_not_writable',
        `This user may not write ${path}.`,
        ['ask for the right to write to that folder', otherFolder],
        error,
      );
    case 'ENOTDIR':
    case 'EEXIST':
    case 'EISDIR':
      return new OutputError(
        'not_a_folder',
        `${path} cannot be written, because a file stands where a folder should be, or a folder where a file should be.`,
        ['move it out of the way', otherFolder],
        error,
      );
    case 'ELOOP':
      return new OutputError(
        'symbolic_link',
        `${path} is a symbolic link, which is not followed.`,
        ['move it out of the way', otherFolder],
        error,
      );
    default:
      return new OutputError(
        'write_failed',
        `${path} could not be written (${code}).`,
        [{ action: 'advice', text: 'check the folder and its disk', next: { action: 'again' } }, otherFolder],
        error,
      );
  }
}
