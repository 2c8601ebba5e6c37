import * as fs from 'node:fs/promises';
import type { FileSystem } from '../../src/disk/file-system.ts';

type Fault = 'write' | 'sync' | 'rename';

export interface FaultyDisk extends FileSystem {
  /** Calls so far, in order: `write`, `sync`, `rename NAME`, `rm NAME`. */
  readonly calls: string[];
  /** Makes room again. */
  mend(): void;
}

function diskFull(): NodeJS.ErrnoException {
  return Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
}

/** The real file system, on which `fault` fails as on a full disk after `after` of those calls went well. */
export function faultyDisk(fault: Fault | null, after = 0, beforeSync = async () => {}): FaultyDisk {
  const calls: string[] = [];
  let remaining = fault === null ? Number.POSITIVE_INFINITY : after;
  const attempt = (kind: Fault) => {
    if (kind !== fault) return;
    if (remaining <= 0) throw diskFull();
    remaining -= 1;
  };
  const open: FileSystem['open'] = async (path, flags, mode) => {
    const handle = await fs.open(path, flags, mode);
    if (flags === 'r') return handle;
    const write = handle.write.bind(handle) as (
      bytes: Buffer,
      offset: number,
      length: number,
    ) => Promise<{ bytesWritten: number; buffer: Buffer }>;
    const sync = handle.sync.bind(handle);
    const failingWrite = async (bytes: Buffer, offset: number, length: number) => {
      calls.push('write');
      // A disk that runs full takes a part of the bytes first.
      if (fault === 'write' && remaining <= 0 && length > 1) await write(bytes, offset, length >> 1);
      attempt('write');
      return write(bytes, offset, length);
    };
    const failingSync = async () => {
      await beforeSync();
      calls.push('sync');
      attempt('sync');
      return sync();
    };
    return Object.assign(handle, { write: failingWrite, sync: failingSync });
  };
  return {
    calls,
    mend: () => {
      remaining = Number.POSITIVE_INFINITY;
    },
    open,
    mkdir: fs.mkdir,
    lstat: fs.lstat,
    rename: async (from, to) => {
      calls.push(`rename ${String(to).split('/').at(-1)}`);
      attempt('rename');
      return fs.rename(from, to);
    },
    rm: async (path, options) => {
      calls.push(`rm ${String(path).split('/').at(-1)}`);
      return fs.rm(path, options);
    },
  };
}
