/* Files that arrive with a form: written as they come, under names that are safe. */

import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PageProblem } from './failures.ts';

/** A file on its way in. */
export interface ArrivingFile {
  readonly name: string;
  readonly content: Readable & { readonly truncated?: boolean };
}

/** A file that is kept: its name as people know it, and where it is. */
export interface KeptFile {
  readonly name: string;
  readonly path: string;
}

/** Files as a title names them: the first of them, and how many more there are. */
export function filesText(files: readonly Pick<KeptFile, 'name'>[]): string {
  const [first, second, ...others] = files.map(({ name }) => name);
  if (first === undefined) return 'no file';
  if (second === undefined) return first;
  return others.length === 0 ? `${first} and ${second}` : `${first} and ${others.length + 1} more files`;
}

/**
 * Writes files into a folder as they come, one after the other, without holding one in memory.
 * @throws PageProblem for a file that is larger than may be imported, or where the disk is full; the folder is gone then
 */
export async function keepFiles(
  folder: string,
  arriving: AsyncIterable<ArrivingFile>,
): Promise<readonly KeptFile[]> {
  const files: KeptFile[] = [];
  try {
    for await (const { name, content } of arriving) {
      const own = join(folder, String(files.length + 1));
      await mkdir(own, { recursive: true, mode: 0o700 });
      const path = join(own, safeName(name));
      await pipeline(content, createWriteStream(path, { mode: 0o600 }));
      if (content.truncated === true) {
        throw new PageProblem(
          413,
          `${safeName(name)} is larger than a file may be.`,
          'Split it, and upload the parts.',
        );
      }
      files.push({ name: safeName(name), path });
    }
    return files;
  } catch (error) {
    // A disk that takes nothing may not let go of anything either.
    await rm(folder, { recursive: true, force: true }).catch(() => {});
    throw diskProblem(error) ?? error;
  }
}

/** What a page says where the disk takes no files, or its folder is gone; undefined for every other error. */
export function diskProblem(error: unknown): PageProblem | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return new PageProblem(
    507,
    `The console cannot keep files (${String(error.code)}): nothing of this was kept.`,
    'Whoever runs the console has to make room, or mend its folder of uploads. Then send it again.',
  );
}

/** Names that Windows takes for devices, whatever their ending. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?= *(?:\.|$))/i;

/** Names of results add as many bytes again, and file systems take 255. */
const mostNameBytes = 200;

/**
 * The name of a file without its folders and without what a file system, a terminal or a page would take for something
 * else. Names of more than 100 characters, or 200 bytes, keep their beginning and their ending.
 */
export function safeName(given: string): string {
  const last = basename(given.replaceAll('\\', '/'))
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/|?*]/gu, '_')
    .trim()
    .replace(/^\.+/, '_')
    .replace(devices, '_$&');
  const name = last === '' ? 'file' : last;
  const characters = [...name];
  if (characters.length <= 100 && Buffer.byteLength(name) <= mostNameBytes) return name;
  const ending = characters.slice(-19).join('');
  let beginning = characters.slice(0, 80);
  const shortened = (): string => `${beginning.join('')}~${ending}`;
  while (Buffer.byteLength(shortened()) > mostNameBytes) beginning = beginning.slice(0, -1);
  return shortened();
}
