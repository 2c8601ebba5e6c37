import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';

/** What the output needs of the file system; a port, so that a full disk can be tried without one. */
export type FileSystem = Pick<typeof fs, 'open' | 'rename' | 'rm' | 'mkdir' | 'lstat'>;

export const realFileSystem: FileSystem = fs;

/** The folder is made readable by its owner only; one that is there already is left as it is. */
export async function makeDirectory(files: FileSystem, directory: string): Promise<void> {
  await files.mkdir(directory, { recursive: true, mode: 0o700 });
}

/** Writes all of the bytes: a single write may take only a part of them, without an error, on a full disk. */
export async function writeFully(handle: fs.FileHandle, bytes: Buffer): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written);
    written += bytesWritten;
  }
}

/**
 * Makes a file's name last: on Linux and macOS a new or changed name is on disk only when its folder is.
 * Windows knows no such call and refuses to open a folder, which is why a refusal is no failure.
 */
export async function syncDirectoryOf(files: FileSystem, path: string): Promise<void> {
  try {
    const folder = await files.open(dirname(path), 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (process.platform !== 'win32') throw error;
  }
}
