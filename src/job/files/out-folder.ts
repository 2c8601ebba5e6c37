import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
import type { JobSettings } from '../running/settings.ts';
import { removeLeftovers } from './leftovers.ts';

/**
 * A run without a place for its log and results must not begin. What killed runs left half-written there is removed.
 * @throws Failure (exit 2)
 */
export async function requireOutFolder({ out }: Pick<JobSettings, 'out'>): Promise<void> {
  const directory = resolve(out);
  try {
    makeFolder(directory);
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch {
    throw new Failure(
      exitCodes.usage,
      'out_not_writable',
      `The folder for the result files, ${out}, cannot be written to.`,
      'choose another one with --out',
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
