/* The folder of the result files, and the removal of files that killed runs left there. */

import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { ownerOfTemporary, plainHost, type TemporaryOwner } from '../domain/machine/temporary-name.ts';
import type { OutputFolder } from '../domain/settings/definitions.ts';

/**
 * Ensures that the folder exists: a run needs it for its log and results. Removes half-written files of killed runs.
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
 * Creates one folder after the other: where a folder cannot be created (`/proc`), the recursive form of Node 20 tries for
 * ever.
 */
function makeFolder(directory: string): void {
  if (existsSync(directory)) return;
  makeFolder(dirname(directory));
  mkdirSync(directory, { mode: 0o700 });
}

/** A file of another machine, or of a container that is gone, counts as abandoned after this long without a change. */
const abandonedAfterInMs = 24 * 60 * 60 * 1_000;

/**
 * Removes what killed processes left in a folder: copies of inputs and half-written result files, with their content.
 * Files that cannot be removed stay.
 * @param directory one for temporary files, or that of the result files
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
  // In a container each process has the same number as the one before it.
  if (isOfThisMachine) return processId === process.pid && found.mtimeMs < performance.timeOrigin;
  return found.isFile() && Date.now() - found.mtimeMs > abandonedAfterInMs;
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // A process of another user is running too.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
