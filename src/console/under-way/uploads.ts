/* Files that people upload: kept unchanged, in a separate folder, under safe names. */

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PageProblem } from './failures.ts';

/* Files that arrive with a form: written as they arrive, under safe names. */

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
 * Writes files into a folder as they arrive, one after the other, without holding one in memory.
 * @throws PageProblem for a file that exceeds the import limit, or where the disk is full; the folder is then removed
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
    // A disk that cannot be written may also not allow removal.
    await rm(folder, { recursive: true, force: true }).catch(() => {});
    throw diskProblem(error) ?? error;
  }
}

/** What is kept with an id beside its files; undefined where there is none. */
export async function readKept<Kept>(folder: string, id: string, name: string): Promise<Kept | undefined> {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return undefined;
  const text = await readFile(join(folder, id, name), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

/** Keeps it in place of what was kept with this id before. */
export async function writeKept(folder: string, kept: { readonly id: string }, name: string): Promise<void> {
  const path = join(folder, kept.id, name);
  await writeFile(`${path}.new`, JSON.stringify(kept), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Whether two files that are kept have the same bytes; false where one is not there any more. */
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

/** Names that Windows treats as devices, whatever their extension. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?= *(?:\.|$))/i;

/** The most bytes of a name. Names of results are longer, and file systems allow 255 bytes. */
const mostNameBytes = 200;

/**
 * The name of a file without its folders and without characters that have a special meaning in a file system, a
 * terminal or a page. Names of more than 100 characters or 200 bytes keep their beginning and their extension.
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

/** The stated part of how a file of an upload is read. */
export interface UploadReading {
  readonly hidden?: 'include' | 'skip';
  readonly leaveOutNonRows?: boolean;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly sheet?: string;
  readonly kind?: string;
  readonly acceptDrift?: string;
}

/** A file of an upload, with its own reading. */
interface UploadedFile extends KeptFile {
  /** Absent if nothing is stated. */
  readonly reading?: UploadReading;
}

/** The files that were uploaded together. */
export interface Upload {
  readonly id: string;
  /** Null if the session ended during the upload, until a person signs in. */
  readonly by: string | null;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Their names for people, and their paths. */
  readonly files: readonly UploadedFile[];
  /** Whole ids of the batches that were made from them. */
  readonly batches: readonly string[];
}

const description = 'upload.json';

/** Uploads of a console, in a folder that only its owner may read. */
export class Uploads {
  readonly #folder: string;
  readonly #now: () => Date;
  /** The ids of the uploads of each batch; null before the first query. */
  #ofBatches: Promise<Map<string, Set<string>>> | null = null;
  /** The ids of the newest uploads by the names of their files; null before the first query, and after one was removed. */
  #named: Promise<Map<string, string>> | null = null;

  constructor(folder: string, now: () => Date = () => new Date()) {
    this.#folder = folder;
    this.#now = now;
  }

  /**
   * Keeps the files as they arrive, one after the other, without holding one in memory.
   * @throws PageProblem for a file that exceeds the import limit, or if there is none; nothing of the upload is then
   * kept
   */
  async keep(by: string | null, arriving: AsyncIterable<ArrivingFile>): Promise<Upload> {
    const id = randomUUID();
    const files = await keepFiles(join(this.#folder, id), arriving);
    if (files.length === 0) {
      throw new PageProblem(422, 'No file was chosen.', 'Choose a file, then upload it.');
    }
    const upload: Upload = { id, by, at: this.#now().toISOString(), files, batches: [] };
    try {
      await this.#write(upload);
    } catch (error) {
      await rm(join(this.#folder, id), { recursive: true, force: true }).catch(() => {});
      throw diskProblem(error) ?? error;
    }
    if (this.#named !== null) nameIn(await this.#named, upload);
    return upload;
  }

  /** Removes an upload of which nothing was made. */
  async discard({ id }: Upload): Promise<void> {
    this.#named = null;
    await rm(join(this.#folder, id), { recursive: true, force: true });
  }

  /** @throws PageProblem */
  async find(id: string): Promise<Upload> {
    const upload = await readKept<Upload>(this.#folder, id, description);
    if (upload === undefined)
      throw new PageProblem(404, 'There is no such upload.', 'Upload the file again.');
    return upload;
  }

  /** The newest uploads, the newest first. */
  async list(most: number): Promise<readonly Upload[]> {
    const names = await readdir(this.#folder).catch((): string[] => []);
    const uploads = await Promise.all(names.map((name) => this.find(name).catch(() => undefined)));
    return newestFirst(uploads).slice(0, most);
  }

  /**
   * Stores a person's decisions on how a file is read.
   * @param number of the file, from 1; null for all of them
   */
  async read(upload: Upload, number: number | null, reading: UploadReading): Promise<Upload> {
    return this.#readAs(upload, number, (before) => ({ ...before, ...reading }));
  }

  /** Removes decisions on a file from before a mapping was agreed to, since the mapping contains them. */
  async readAsMapped(upload: Upload, number: number): Promise<Upload> {
    return this.#readAs(upload, number, ({ sheet: _, kind: __, delimiter: ___, ...reading }) => reading);
  }

  /** States how the characters of a CSV file are read; what is absent is found in the file again. */
  async readInDialect(
    upload: Upload,
    number: number,
    dialect: Pick<UploadReading, 'delimiter' | 'encoding'>,
  ): Promise<Upload> {
    return this.#readAs(upload, number, ({ delimiter: _, encoding: __, ...reading }) => ({
      ...reading,
      ...dialect,
    }));
  }

  async #readAs(
    { id }: Upload,
    number: number | null,
    change: (reading: UploadReading) => UploadReading,
  ): Promise<Upload> {
    const upload = await this.find(id);
    const files = upload.files.map((file, at) =>
      number === null || number === at + 1 ? { ...file, reading: change(file.reading ?? {}) } : file,
    );
    const changed = { ...upload, files };
    await this.#write(changed);
    return changed;
  }

  /** Stores the batches that were made from its files. */
  async noteBatches(id: string, batches: readonly string[]): Promise<void> {
    const upload = await this.find(id);
    await this.#write({ ...upload, batches: [...new Set([...upload.batches, ...batches])] });
    if (this.#ofBatches !== null) noteIn(await this.#ofBatches, id, batches);
  }

  /** The uploads that a batch was made from, the newest first; empty if it was not uploaded here. */
  async ofBatch(batch: string): Promise<readonly Upload[]> {
    this.#ofBatches ??= this.#readBatches();
    const ids = (await this.#ofBatches).get(batch) ?? new Set();
    const uploads = await Promise.all([...ids].map((id) => this.find(id).catch(() => undefined)));
    return newestFirst(uploads);
  }

  /** The ids of the newest uploads by the names of their files. */
  newestByName(): Promise<ReadonlyMap<string, string>> {
    this.#named ??= this.list(Number.POSITIVE_INFINITY).then((newestFirst) => {
      const named = new Map<string, string>();
      for (const upload of [...newestFirst].reverse()) nameIn(named, upload);
      return named;
    });
    return this.#named;
  }

  async #readBatches(): Promise<Map<string, Set<string>>> {
    const found = new Map<string, Set<string>>();
    for (const { id, batches } of await this.list(Number.POSITIVE_INFINITY)) noteIn(found, id, batches);
    return found;
  }

  /** The path of a batch's file; undefined if it was not uploaded here. */
  async sourceOf(batch: string, fileName: string): Promise<string | undefined> {
    const files = (await this.ofBatch(batch)).flatMap((upload) => upload.files);
    return files.find(({ name }) => name === fileName)?.path ?? files[0]?.path;
  }

  /** Assigns an upload without an owner to the person who has signed in for it. */
  async claim(upload: Upload, by: string): Promise<Upload> {
    if (upload.by !== null) return upload;
    const claimed = { ...upload, by };
    await this.#write(claimed);
    return claimed;
  }

  async #write(upload: Upload): Promise<void> {
    await writeKept(this.#folder, upload, description);
  }
}

function newestFirst(uploads: readonly (Upload | undefined)[]): readonly Upload[] {
  return uploads
    .flatMap((upload) => (upload === undefined ? [] : [upload]))
    .sort((one, other) => (one.at < other.at ? 1 : -1));
}

function noteIn(found: Map<string, Set<string>>, upload: string, batches: readonly string[]): void {
  for (const batch of batches) found.set(batch, (found.get(batch) ?? new Set<string>()).add(upload));
}

function nameIn(named: Map<string, string>, { id, files }: Upload): void {
  for (const { name } of files) named.set(name, id);
}
