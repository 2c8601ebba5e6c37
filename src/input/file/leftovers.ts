import { readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownerOfFolder, plainHost } from '../../domain/machine/temporary-folder.ts';

/**
 * Removes temporary folders whose process was killed: copies of files in other formats, with all that stands in
 * them. Only what a process of this very machine left is looked at; what cannot be removed stays.
 * @param isAlive whether a process of this machine is running
 */
export async function removeLeftovers(isAlive: (processId: number) => boolean = isRunning): Promise<void> {
  const host = plainHost(hostname());
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names) {
    const owner = ownerOfFolder(name);
    if (owner === null || owner.host !== host || isAlive(owner.processId)) continue;
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
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
