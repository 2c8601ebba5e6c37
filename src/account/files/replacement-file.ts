/*
 * Files that replace an older file in one step, once they are complete and on disk, and rows that wait in a temporary
 * file.
 */

import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import {
  type FileSystem,
  makeDirectory,
  realFileSystem,
  syncDirectoryOf,
  writeError,
  writeFully,
} from '../../disk/file-system.ts';
import { temporaryFileName } from '../../domain/machine/temporary-name.ts';
import { protectCell } from '../../domain/tables/table.ts';
import { showControls } from '../../domain/text/characters.ts';

/* The CSV text of result files. */

export const byteOrderMark = '\uFEFF';

/** A reader would remove the single quotes around a value. Inside double quotes they are kept. */
const inSingleQuotes = /^\s*'.*'\s*$/s;
/** Values that the stringifier quotes. */
const needsQuotes = /[",\r\n]|^\s*'.*'\s*$/s;

/**
 * Records as CSV for spreadsheet programs: commas, CRLF, quotes where they are needed, and no cell that could be taken
 * for a formula. The stringifier's own `escape_formulas` is not used. It also guards four full-width characters, and
 * reading does not remove that guard. It does not guard a cell that looks guarded already. Most files have only records
 * without quotes. These records are joined here, with their phone numbers guarded, in a sixth of the stringifier's
 * time. Control characters in text from outside are made visible, so that a terminal does not obey them.
 */
export function csvText(records: readonly (readonly string[])[]): string {
  let text = '';
  let quoted: string[][] = [];
  for (const record of records) {
    const guarded = record.map(protectCell);
    if (guarded.some((cell) => needsQuotes.test(cell))) {
      quoted.push(guarded);
      continue;
    }
    if (quoted.length > 0) text += withQuotes(quoted);
    quoted = [];
    text += `${guarded.join(',')}\r\n`;
  }
  // This is done once for the whole text: control characters do not affect which cells are quoted.
  return showControls(quoted.length > 0 ? text + withQuotes(quoted) : text);
}

/** One call costs as much as the work for several records, so consecutive records share a call. */
function withQuotes(records: readonly (readonly string[])[]): string {
  return stringify([...records], {
    record_delimiter: '\r\n',
    quote_record_delimiter: true,
    quoted_match: inSingleQuotes,
  });
}

const BUFFER_CHARACTERS = 256 * 1024;

/**
 * A file that is written beside its final name and gets that name only when it is complete and on disk. A reader of the
 * final name sees either the whole old file or the whole new one, whatever happens in between. Every method except
 * `discard` throws `OutputError`.
 */
export class ReplacementFile {
  readonly path: string;
  readonly #files: FileSystem;
  readonly #temporaryPath: string;
  readonly #handle: FileHandle;
  #buffer = '';
  #closed = false;

  private constructor(path: string, temporaryPath: string, handle: FileHandle, files: FileSystem) {
    this.path = path;
    this.#temporaryPath = temporaryPath;
    this.#handle = handle;
    this.#files = files;
  }

  /** Creates the folder if it is missing (0700), and in it an empty temporary file (0600). */
  static async create(path: string, files: FileSystem = realFileSystem): Promise<ReplacementFile> {
    // Two processes may write the results of one batch at the same time, so each has its own temporary file.
    const owner = { host: hostname(), processId: process.pid };
    const temporaryPath = join(dirname(path), temporaryFileName(owner, randomBytes(3).toString('hex')));
    try {
      await makeDirectory(files, dirname(path));
      const handle = await files.open(temporaryPath, 'wx', 0o600);
      return new ReplacementFile(path, temporaryPath, handle, files);
    } catch (error) {
      throw writeError(path, error);
    }
  }

  /** Waits for the disk once enough text is buffered; bytes are written at once. */
  async write(content: string | Buffer): Promise<void> {
    if (typeof content !== 'string') {
      await this.#writeBuffer();
      await this.#writeBytes(content);
      return;
    }
    this.#buffer += content;
    if (this.#buffer.length >= BUFFER_CHARACTERS) await this.#writeBuffer();
  }

  /** Writes everything to disk; the final name is not touched yet. */
  async complete(): Promise<void> {
    await this.#writeBuffer();
    try {
      await this.#handle.sync();
      await this.#close();
    } catch (error) {
      throw writeError(this.path, error);
    }
  }

  /** Reads a completed file piece by piece, before it gets its final name. */
  async *read(): AsyncGenerator<string> {
    try {
      const handle = await this.#files.open(this.#temporaryPath, 'r');
      for await (const text of handle.createReadStream({ encoding: 'utf8' })) yield text as string;
    } catch (error) {
      throw writeError(this.path, error);
    }
  }

  /** Gives a completed file its final name. */
  async publish(): Promise<void> {
    try {
      await this.#files.rename(this.#temporaryPath, this.path);
      await syncDirectoryOf(this.#files, this.path);
    } catch (error) {
      throw writeError(this.path, error);
    }
  }

  /** Removes the temporary file. It is called after another failure, so it never throws. */
  async discard(): Promise<void> {
    await this.#close().catch(() => {});
    await this.#files.rm(this.#temporaryPath, { force: true }).catch(() => {});
  }

  async #writeBuffer(): Promise<void> {
    if (this.#buffer === '') return;
    const bytes = Buffer.from(this.#buffer, 'utf8');
    this.#buffer = '';
    await this.#writeBytes(bytes);
  }

  async #writeBytes(bytes: Buffer): Promise<void> {
    try {
      await writeFully(this.#handle, bytes);
    } catch (error) {
      throw writeError(this.path, error);
    }
  }

  async #close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#handle.close();
  }
}

/** Removes an older file of that name, if there is one. @throws OutputError */
export async function removeFile(path: string, files: FileSystem = realFileSystem): Promise<void> {
  try {
    await files.rm(path, { force: true });
  } catch (error) {
    throw writeError(path, error);
  }
}

/**
 * Writes a file that only its owner may read, as a whole or not at all.
 * @param write writes its content; its errors are thrown unchanged
 * @throws OutputError
 */
export async function replaceFile<Result>(
  path: string,
  write: (file: ReplacementFile) => Promise<Result>,
  files: FileSystem = realFileSystem,
): Promise<Result> {
  const file = await ReplacementFile.create(path, files);
  try {
    const result = await write(file);
    await file.complete();
    await file.publish();
    return result;
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/* A CSV file that exists only if it has rows. */

/**
 * A CSV file that is written group by group and replaces an older one. If there are no rows, there is no new file, and
 * an older file is removed. Every method except `discard` throws `OutputError`.
 */
export class OptionalCsvFile {
  readonly #path: string;
  readonly #header: readonly string[];
  readonly #files: FileSystem;
  #file: ReplacementFile | null = null;

  constructor(path: string, header: readonly string[], files: FileSystem = realFileSystem) {
    this.#path = path;
    this.#header = header;
    this.#files = files;
  }

  async write(records: readonly (readonly string[])[]): Promise<void> {
    if (records.length === 0) return;
    if (this.#file === null) {
      this.#file = await ReplacementFile.create(this.#path, this.#files);
      await this.#file.write(byteOrderMark + csvText([this.#header]));
    }
    await this.#file.write(csvText(records));
  }

  /** Gives the file its name. @returns its path; null if nothing was written */
  async publish(): Promise<string | null> {
    if (this.#file === null) {
      await removeFile(this.#path, this.#files);
      return null;
    }
    await this.#file.complete();
    await this.#file.publish();
    return this.#path;
  }

  async discard(): Promise<void> {
    await this.#file?.discard();
  }
}

/**
 * Rows that are written later than they arrive. They wait in a file beside their target, so memory does not grow with
 * them. Every method except `discard` throws `OutputError`.
 */
export class RowSpool<Row> {
  readonly #path: string;
  readonly #files: FileSystem;
  #file: ReplacementFile | null = null;
  #count = 0;

  /** @param path of the target file, which is not touched */
  constructor(path: string, files: FileSystem) {
    this.#path = path;
    this.#files = files;
  }

  get count(): number {
    return this.#count;
  }

  async add(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    this.#file ??= await ReplacementFile.create(this.#path, this.#files);
    this.#count += rows.length;
    let lines = '';
    for (const row of rows) lines += `${JSON.stringify(row)}\n`;
    await this.#file.write(lines);
  }

  /** All rows, in the order of their arrival, in groups of moderate size. */
  async *rows(): AsyncGenerator<readonly Row[]> {
    if (this.#file === null) return;
    await this.#file.complete();
    let rest = '';
    for await (const text of this.#file.read()) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      yield lines.map((line): Row => JSON.parse(line));
    }
  }

  /** Removes the file. It never throws. */
  async discard(): Promise<void> {
    await this.#file?.discard();
    this.#file = null;
  }
}
