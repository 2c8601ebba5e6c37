/* Files that people upload for import: how each is read, and the batches that were made from them. */

import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PageProblem } from './failures.ts';
import {
  type ArrivingFile,
  diskProblem,
  type KeptFile,
  keepFiles,
  readKept,
  writeKept,
} from './kept-files.ts';

/** How a file of an upload is read, as far as a person has stated it. */
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
  /** The files, with their names for people and their paths. */
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
  /**
   * The ids of the newest uploads, by the names of their files; null before the first query, and after an upload was
   * removed.
   */
  #named: Promise<Map<string, string>> | null = null;

  constructor(folder: string, now: () => Date = () => new Date()) {
    this.#folder = folder;
    this.#now = now;
  }

  /**
   * Keeps the files as they arrive, one after the other, without holding a whole file in memory.
   * @throws PageProblem for a file that exceeds the import limit, or if there is no file; nothing of the upload is then
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

  /** Removes an upload from which no batch was made. */
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
   * Stores a person's decisions about how a file is read.
   * @param number of the file, from 1; null for all files
   */
  async read(upload: Upload, number: number | null, reading: UploadReading): Promise<Upload> {
    return this.#readAs(upload, number, (before) => ({ ...before, ...reading }));
  }

  /**
   * Removes decisions about a file that were made before a mapping was agreed to, because the mapping contains them.
   */
  async readAsMapped(upload: Upload, number: number): Promise<Upload> {
    return this.#readAs(upload, number, ({ sheet: _, kind: __, delimiter: ___, ...reading }) => reading);
  }

  /** States how the characters of a CSV file are read. Absent properties are found in the file again. */
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

  /** Stores the batches that were made from an upload's files. */
  async noteBatches(id: string, batches: readonly string[]): Promise<void> {
    const upload = await this.find(id);
    await this.#write({ ...upload, batches: [...new Set([...upload.batches, ...batches])] });
    if (this.#ofBatches !== null) noteIn(await this.#ofBatches, id, batches);
  }

  /** The uploads from which a batch was made, the newest first; empty if it was not uploaded here. */
  async ofBatch(batch: string): Promise<readonly Upload[]> {
    this.#ofBatches ??= this.#readBatches();
    const ids = (await this.#ofBatches).get(batch) ?? new Set();
    const uploads = await Promise.all([...ids].map((id) => this.find(id).catch(() => undefined)));
    return newestFirst(uploads);
  }

  /** The ids of the newest uploads, by the names of their files. */
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
