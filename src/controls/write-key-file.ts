/* Writing key files: never over another file, and readable by their owner alone. */

import { existsSync, lstatSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { realFileSystem, syncDirectoryOf, writeFully } from '../disk/file-system.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';

/** @throws PaybatchError (`file_exists`) */
export function requireFree(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw taken(path);
}

/**
 * Writes a new key file, on disk when it returns.
 * @throws PaybatchError (`file_exists`), (`user_key_unusable`) where it cannot be written
 */
export async function writeKeyFile(path: string, text: string): Promise<void> {
  try {
    const handle = await open(path, 'wx', 0o600);
    try {
      // Whatever the mask of the process, nobody but the owner reads it, and the owner does.
      await handle.chmod(0o600);
      await writeFully(handle, Buffer.from(text));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await syncDirectoryOf(realFileSystem, path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code === 'EEXIST') throw taken(path);
    throw new PaybatchError(
      'user_key_unusable',
      `The key file ${path} cannot be written (${code}).`,
      'choose another place for it',
      { cause: error },
    );
  }
}

export async function removeKeyFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

const replaced = '.old';

/** Where the key that replaced the one of a file may be. */
export function newestKeyPath(path: string): string {
  return path.endsWith(replaced) ? path.slice(0, -replaced.length) : newKeyPath(path);
}

/** Where the new key stands until it is known to the ledger. */
function newKeyPath(path: string): string {
  return `${path}.new`;
}

/**
 * Replaces a key file once the ledger knows the new key. The old one stays, with `.old` added to its name.
 * @param commit makes the ledger know the key; a PaybatchError of it says that it does not
 */
export async function replaceKeyFile(path: string, text: string, commit: () => Promise<void>): Promise<void> {
  const beside = newKeyPath(path);
  // The present key is the old one, so whatever stands there was given up.
  if (existsSync(beside)) await removeKeyFile(beside);
  await writeKeyFile(beside, text);
  try {
    await commit();
  } catch (error) {
    // After a lost connection nobody knows which key counts: then both files stay.
    if (error instanceof PaybatchError) await removeKeyFile(beside);
    throw error;
  }
  await rename(path, `${path}${replaced}`);
  await rename(beside, path);
  await syncDirectoryOf(realFileSystem, path);
}

function taken(path: string): PaybatchError {
  return new PaybatchError('file_exists', `${path} is there already, and is not overwritten.`, [
    'name another file',
  ]);
}
