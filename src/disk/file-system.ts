/* Writes files to a disk that may be full, missing or read-only, and manages the folder of the result files. */

import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { PaybatchError, type Remedies, type Remedy, remediesOf } from '../domain/failures/paybatch-error.ts';
import { ownerOfTemporary, plainHost, type TemporaryOwner } from '../domain/machine/temporary-name.ts';
import type { OutputFolder } from '../domain/settings/definitions.ts';

/** The functions of the file system that the output needs. They are a port, so that tests can simulate a full disk. */
export type FileSystem = Pick<typeof fs, 'open' | 'rename' | 'rm' | 'mkdir' | 'lstat'>;

export const realFileSystem: FileSystem = fs;

/** Creates the folder, accessible only to its owner. An existing folder is not changed. */
export async function makeDirectory(files: FileSystem, directory: string): Promise<void> {
  await files.mkdir(directory, { recursive: true, mode: 0o700 });
}

/** Writes all of the bytes. On a full disk, a single write may write only a part of them, without an error. */
export async function writeFully(handle: fs.FileHandle, bytes: Buffer): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written);
    written += bytesWritten;
  }
}

/**
 * Makes a file's name durable. On Linux and macOS, a new or changed name is on disk only after its folder is synced.
 * Windows has no such call and refuses to open a folder, so a refusal is not a failure.
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
 * Thrown if one of paybatch's own files cannot be written or read. `message` is a sentence that says what is wrong,
 * `remedies` says what to do about it, and `code` is stable, for programs.
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

/**
 * Turns the operating system's refusal to write `path` into an error with an explanation. An `OutputError` is returned
 * unchanged.
 */
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
        `${path} cannot be written, because there is a file where a folder should be, or a folder where a file should be.`,
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

/* The folder of the result files, and the removal of files that killed runs left there. */

/**
 * Ensures that the folder exists, since a run needs it for its log and results. Removes half-written files of killed runs.
 * @throws PaybatchError (`usage`)
 */
export async function requireOutFolder({ out }: Pick<OutputFolder, 'out'>): Promise<void> {
  const directory = resolve(out);
  try {
    makeFolder(directory);
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch {
    throw new PaybatchError(
      'out_not_writable',
      `The folder for the result files, ${out}, cannot be written to.`,
      { action: 'set', purpose: 'choose another one', oneOf: [{ setting: 'out' }] },
    );
  }
  await removeLeftovers(directory);
}

/**
 * Creates a folder and its parents one after the other. The recursive option of Node 20 would try for ever if a folder
 * cannot be created (as in `/proc`).
 */
function makeFolder(directory: string): void {
  if (existsSync(directory)) return;
  makeFolder(dirname(directory));
  mkdirSync(directory, { mode: 0o700 });
}

/**
 * Time without a change after which a file counts as abandoned, if it is of another machine, or of a container that does
 * not exist any more.
 */
const abandonedAfterInMs = 24 * 60 * 60 * 1_000;

/**
 * Removes files that killed processes have left in a folder: copies of inputs, and half-written result files. Files that
 * cannot be removed are kept.
 * @param directory the folder for temporary files, or that of the result files
 */
export async function removeLeftovers(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names) {
    const owner = ownerOfTemporary(name);
    if (owner === null || !(await isLeft(owner, join(directory, name)))) continue;
    await rm(join(directory, name), { recursive: true, force: true }).catch(() => {});
  }
}

async function isLeft({ host, processId }: TemporaryOwner, path: string): Promise<boolean> {
  const isOfThisMachine = host === plainHost(hostname());
  if (isOfThisMachine && !isRunning(processId)) return true;
  const found = await stat(path).catch(() => null);
  if (found === null) return false;
  // In a container, each process may have the same process id as the one before it. So a file with this id that is older
  // than this process counts as abandoned.
  if (isOfThisMachine) return processId === process.pid && found.mtimeMs < performance.timeOrigin;
  return found.isFile() && Date.now() - found.mtimeMs > abandonedAfterInMs;
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // With any other error than ESRCH, the process exists, for example as a process of another user.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
