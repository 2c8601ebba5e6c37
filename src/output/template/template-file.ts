import { writeFile } from 'node:fs/promises';
import { writeError } from '../files/output-error.ts';

/**
 * Writes a template, which is for people to fill in. A file of that name may hold somebody's rows by now.
 *
 * @returns whether it was written: false when a file of that name is there and `overwrite` is not set
 * @throws OutputError
 */
export async function writeTemplateFile(path: string, bytes: Buffer, overwrite: boolean): Promise<boolean> {
  try {
    await writeFile(path, bytes, { flag: overwrite ? 'w' : 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw writeError(path, error);
  }
}
