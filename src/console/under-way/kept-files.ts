/*
 * Files that arrive with a form. They are kept unchanged in a separate folder under safe names, together with data
 * about them.
 */

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PageProblem } from './failures.ts';

/** A file that is being uploaded. */
export interface ArrivingFile {
  readonly name: string;
  readonly content: Readable & { readonly truncated?: boolean };
}

/** A kept file: its name for people, and its path. */
export interface KeptFile {
  readonly name: string;
  readonly path: string;
}

/** Files for a title: the first name, and the number of further files. */
export function filesText(files: readonly Pick<KeptFile, 'name'>[]): string {
  const [first, second, ...others] = files.map(({ name }) => name);
  if (first === undefined) return 'no file';
  if (second === undefined) return first;
  return others.length === 0 ? `${first} and ${second}` : `${first} and ${others.length + 1} more files`;
}

/**
 * Writes files into a folder as they arrive, one after the other, without holding a whole file in memory.
 * @throws PageProblem for a file that exceeds the import limit, or if the disk is full; the folder is then removed
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
    // If a disk cannot be written, removal may fail too.
    await rm(folder, { recursive: true, force: true }).catch(() => {});
    throw diskProblem(error) ?? error;
  }
}

/** The data kept under an id beside the files; undefined if there are none. */
export async function readKept<Kept>(folder: string, id: string, name: string): Promise<Kept | undefined> {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return undefined;
  const text = await readFile(join(folder, id, name), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

/** Keeps data in place of the data that were kept under this id before. */
export async function writeKept(folder: string, kept: { readonly id: string }, name: string): Promise<void> {
  const path = join(folder, kept.id, name);
  await writeFile(`${path}.new`, JSON.stringify(kept), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Whether two kept files have the same bytes; false if one of them no longer exists. */
export async function hasSameContent(one: string, other: string): Promise<boolean> {
  const sizes = await Promise.all([one, other].map((path) => stat(path).catch(() => null)));
  if (sizes[0] == null || sizes[0].size !== sizes[1]?.size) return false;
  const [left, right] = await Promise.all([hashOf(one), hashOf(other)]);
  return left === right;
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** The error for a page if the disk cannot be written or the folder is missing; undefined for every other error. */
export function diskProblem(error: unknown): PageProblem | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return new PageProblem(
    507,
    `The console cannot keep files (${String(error.code)}): nothing of this was kept.`,
    'The operator of the console has to make room, or repair its folder of uploads. Then send it again.',
  );
}

/** Names that Windows treats as devices, whatever their extension is. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?= *(?:\.|$))/i;

/** The maximum number of bytes of a name. Names of results are longer, and file systems allow 255 bytes. */
const mostNameBytes = 200;

/**
 * The name of a file without its folders and without characters that have a special meaning in a file system, a
 * terminal or a page. Names of more than 100 characters or 200 bytes keep their beginning and their extension.
 */
export function safeName(sentName: string): string {
  const last = basename(sentName.replaceAll('\\', '/'))
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
