import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';

/** Only Linux's superuser can mount one. */
export const canMount = process.platform === 'linux' && process.getuid?.() === 0;

/** A real disk of a test's own, in memory. */
export interface SmallDisk {
  readonly folder: string;
  /** Takes all room but a number of bytes. */
  readonly fill: (leftBytes: number) => void;
  readonly makeRoom: () => void;
  readonly makeReadOnly: () => void;
}

/** Mounts a disk of this size; it is gone when the test has finished. */
export function mountSmallDisk(bytes: number): SmallDisk {
  const folder = mkdtempSync(join(inject('testFolder'), 'disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  const filler = join(folder, 'filler');
  return {
    folder,
    fill: (leftBytes) => {
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - leftBytes), 1));
    },
    makeRoom: () => rmSync(filler),
    makeReadOnly: () => execFileSync('mount', ['-o', 'remount,ro', folder]),
  };
}
