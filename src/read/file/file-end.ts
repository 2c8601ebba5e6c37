/* What a file's size, time and last bytes say of whether it is whole, without reading the rest of it. */

import { type FileHandle, open, stat } from 'node:fs/promises';
import { isGzip, signatureOf } from './signature.ts';

/** A file at one moment. */
export interface SeenFile {
  readonly bytes: number;
  /** Milliseconds since 1970, by the clock of the machine that has the file. */
  readonly changedAtInMs: number;
}

/** @returns null for what is no file, or cannot be looked at */
export async function seenFile(path: string): Promise<SeenFile | null> {
  try {
    const stats = await stat(path);
    return stats.isFile() ? { bytes: stats.size, changedAtInMs: stats.mtimeMs } : null;
  } catch {
    return null;
  }
}

/** The directory at the end of a zip archive has 22 bytes, and a comment of up to 64 KiB. */
const mostBytesOfEnd = 22 + 0xffff;
const endOfDirectory = Buffer.from([0x50, 0x4b, 0x05, 0x06]);

/**
 * Whether a file does not end as a whole one does: a text without the line end of its last line, or an archive without its
 * directory. What is compressed as a whole, and an old workbook, do not tell it by their ends.
 */
export async function mayBeUnfinished(path: string, { bytes }: SeenFile): Promise<boolean> {
  const handle = await open(path, 'r').catch(() => null);
  if (handle === null) return false;
  try {
    const start = await bytesAt(handle, 0, 8);
    if (isGzip(start)) return false;
    switch (signatureOf(start)) {
      case 'zip':
        return !(await lastBytes(handle, bytes, mostBytesOfEnd)).includes(endOfDirectory);
      case 'compound':
        return false;
      case 'text':
        return !isLineEnd(await lastBytes(handle, bytes, 2));
    }
  } catch {
    return false;
  } finally {
    await handle.close();
  }
}

function lastBytes(handle: FileHandle, fileBytes: number, most: number): Promise<Buffer> {
  const length = Math.min(most, fileBytes);
  return bytesAt(handle, fileBytes - length, length);
}

async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** @param end the last two bytes of a text: a line break is one byte, or two with a zero in UTF-16 */
export function isLineEnd(end: Buffer): boolean {
  const last = end.at(-1) === 0 ? end.at(-2) : end.at(-1);
  return last === 0x0a || last === 0x0d;
}
