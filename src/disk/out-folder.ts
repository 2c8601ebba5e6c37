/* The folder of the result files, and the removal of what killed runs left there. */

import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { ownerOfTemporary, plainHost, type TemporaryOwner } from '../domain/machine/temporary-name.ts';
import type { OutputFolder } from '../domain/settings/definitions.ts';

/**
 * A run without a place for its log and results must not begin. What killed runs left half-written there is removed.
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
 * One folder after the other: where a folder can hold none (`/proc`), the recursive form of Node 20 tries
 * for ever.
 */
function makeFolder(directory: string): void {
  if (existsSync(directory)) return;
  makeFolder(dirname(directory));
  mkdirSync(directory, { mode: 0o700 });
}

/** A file that another machine, or a container that is gone, has left alone for so long is nobody's. */
const abandonedAfterInMs = 24 * 60 * 60 * 1_000;

/**
 * Removes what killed processes left in a folder: copies of inputs and half-written result files, with all that stands
 * in them. What cannot be removed stays.
 * @param directory one for temporary files, or the one of the result files
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
  // In a container each process has the number of the one before it.
  if (isOfThisMachine) return processId === process.pid && found.mtimeMs < performance.timeOrigin;
  return found.isFile() && Date.now() - found.mtimeMs > abandonedAfterInMs;
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // A process of somebody else is running too.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
