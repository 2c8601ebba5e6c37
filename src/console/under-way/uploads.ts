/* Files that people upload: kept as they came, in a folder of their own, under names that are safe. */

import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PageProblem } from './failures.ts';

/** How the files of an upload are read, as far as somebody has said. */
export interface UploadReading {
  readonly hidden?: 'include' | 'skip';
  readonly leaveOutNonRows?: boolean;
  readonly encoding?: string;
  readonly sheet?: string;
  readonly kind?: string;
}

/** What somebody uploaded in one go. */
export interface Upload {
  readonly id: string;
  /** Null until somebody signs in again whose session ended while the files came. */
  readonly by: string | null;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Their names as people know them, and where they are. */
  readonly files: readonly { readonly name: string; readonly path: string }[];
  readonly reading: UploadReading;
  /** Whole ids of the batches that were made of them. */
  readonly batches: readonly string[];
}

/** A file on its way in. */
export interface ArrivingFile {
  readonly name: string;
  readonly content: Readable & { readonly truncated?: boolean };
}

const description = 'upload.json';

/** Uploads of a console, in a folder that only its owner may read. */
export class Uploads {
  readonly #folder: string;
  readonly #now: () => Date;

  constructor(folder: string, now: () => Date = () => new Date()) {
    this.#folder = folder;
    this.#now = now;
  }

  /**
   * Keeps the files as they come, one after the other, without holding one in memory.
   * @throws PageProblem for a file that is larger than may be imported, or where none came; nothing of the upload stays then
   */
  async keep(by: string | null, arriving: AsyncIterable<ArrivingFile>): Promise<Upload> {
    const id = randomUUID();
    const files = await this.#store(id, arriving);
    if (files.length === 0) {
      throw new PageProblem(422, 'No file was chosen.', 'Choose a file, then upload it.');
    }
    const upload: Upload = { id, by, at: this.#now().toISOString(), files, reading: {}, batches: [] };
    await this.#write(upload);
    return upload;
  }

  /** The same for files that belong to something else, such as an export to compare with; there may be none. */
  async keepBeside(arriving: AsyncIterable<ArrivingFile>): Promise<Upload['files']> {
    return this.#store(randomUUID(), arriving);
  }

  async #store(id: string, arriving: AsyncIterable<ArrivingFile>): Promise<Upload['files']> {
    const folder = join(this.#folder, id);
    const files: { name: string; path: string }[] = [];
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
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** @throws PageProblem */
  async find(id: string): Promise<Upload> {
    const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
    const text = isId
      ? await readFile(join(this.#folder, id, description), 'utf8').catch(() => undefined)
      : undefined;
    if (text === undefined) {
      throw new PageProblem(404, 'There is no such upload.', 'Upload the file again.');
    }
    return JSON.parse(text);
  }

  /** The newest uploads, the newest first. */
  async list(most: number): Promise<readonly Upload[]> {
    const names = await readdir(this.#folder).catch((): string[] => []);
    const uploads = await Promise.all(names.map((name) => this.find(name).catch(() => undefined)));
    return uploads
      .flatMap((upload) => (upload === undefined ? [] : [upload]))
      .sort((one, other) => (one.at < other.at ? 1 : -1))
      .slice(0, most);
  }

  /** Keeps what somebody has said about how its files are read. */
  async read(upload: Upload, reading: UploadReading): Promise<Upload> {
    const changed = { ...upload, reading: { ...upload.reading, ...reading } };
    await this.#write(changed);
    return changed;
  }

  /** Leaves out what was said about a file before somebody agreed to a mapping, which says it too. */
  async readAsMapped(upload: Upload): Promise<Upload> {
    // Of several files the mapping is for one.
    if (upload.files.length > 1) return upload;
    const { sheet: _, kind: __, ...reading } = upload.reading;
    const changed = { ...(await this.find(upload.id)), reading };
    await this.#write(changed);
    return changed;
  }

  /** Keeps which batches were made of its files. */
  async noteBatches(id: string, batches: readonly string[]): Promise<void> {
    const upload = await this.find(id);
    await this.#write({ ...upload, batches: [...new Set([...upload.batches, ...batches])] });
  }

  /** The uploads that a batch was made of, the newest first; none where it was not uploaded here. */
  async ofBatch(batch: string): Promise<readonly Upload[]> {
    const uploads = await this.list(Number.POSITIVE_INFINITY);
    return uploads.filter(({ batches }) => batches.includes(batch));
  }

  /** Where the file of a batch is kept; undefined where it was not uploaded here. */
  async sourceOf(batch: string, fileName: string): Promise<string | undefined> {
    const files = (await this.ofBatch(batch)).flatMap((upload) => upload.files);
    return files.find(({ name }) => name === fileName)?.path ?? files[0]?.path;
  }

  /** Gives an upload that is nobody's to whoever has signed in for it. */
  async claim(upload: Upload, by: string): Promise<Upload> {
    if (upload.by !== null) return upload;
    const claimed = { ...upload, by };
    await this.#write(claimed);
    return claimed;
  }

  async #write(upload: Upload): Promise<void> {
    const path = join(this.#folder, upload.id, description);
    await writeFile(`${path}.new`, JSON.stringify(upload), { mode: 0o600 });
    await rename(`${path}.new`, path);
  }
}

/**
 * The name of a file without its folders and without what a file system, a terminal or a page would take for something
 * else. Names of more than 100 characters keep their beginning and their ending.
 */
export function safeName(given: string): string {
  const last = basename(given.replaceAll('\\', '/'))
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}<>:"/|?*]/gu, '_')
    .replace(/^\.+/, '_')
    .trim();
  const name = last === '' ? 'file' : last;
  const characters = [...name];
  return characters.length <= 100
    ? name
    : [...characters.slice(0, 80), '~', ...characters.slice(-19)].join('');
}
