/* The folder of an embedded ledger that cannot be opened: the disk is full, its files are damaged or may not be used. */

import { accessSync, constants, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { noRoom } from './database-failure.ts';

/** PostgreSQL writes its log in files of this size, and opens no database if it cannot create one. */
const leastRoomInBytes = 16 * 1024 * 1024;

/** How the embedded PostgreSQL fails on damaged files: its reason is of no use to people. */
const engineFailure = /^(Aborted\(\)|PGlite failed to initialize)/;

/** Why the embedded ledger in a folder cannot be opened, and what helps. */
export function folderFailure(directory: string, error: unknown): PaybatchError {
  if (isDiskFull(directory, error)) return noRoom(directory);
  if (error instanceof Error && engineFailure.test(error.message)) {
    return isUsable(join(directory, 'pgdata')) ? ledgerDamaged(directory) : ledgerUnreadable(directory);
  }
  return ledgerUnreadable(directory, error);
}

/** Whether the files in a folder can be read and written: a disk may be read-only. */
function isUsable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function ledgerDamaged(directory: string): PaybatchError {
  return new PaybatchError(
    'ledger_unreadable',
    `The embedded ledger in ${directory} cannot be opened: its files are damaged, as a power cut leaves them.`,
    {
      action: 'set',
      purpose: 'choose another folder',
      oneOf: [{ setting: 'ledgerDir' }],
      next: { action: 'help', of: 'recover', purpose: 'rebuild its batches from their run logs' },
    },
  );
}

function ledgerUnreadable(directory: string, error?: unknown): PaybatchError {
  const detail = error instanceof Error ? error.message : 'its files cannot be read or written';
  return new PaybatchError(
    'ledger_unreadable',
    `The embedded ledger in ${directory} cannot be opened (${detail}).`,
    [
      { action: 'set', purpose: 'choose another folder', oneOf: [{ setting: 'ledgerDir' }] },
      { action: 'help', of: 'recover', purpose: 'rebuild its batches from their run logs' },
    ],
  );
}

/** The embedded PostgreSQL's error when it cannot write has no message, or only states that it failed. */
function isDiskFull(directory: string, error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return code === 'ENOSPC';
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < leastRoomInBytes;
  } catch {
    return false;
  }
}
