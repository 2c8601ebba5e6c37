/* The source of bytes: a file, or a stream that is kept in a temporary file; and the share that was read. */

import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { ErrorCode } from '../../domain/failures/error-codes.ts';
import { temporaryPrefix } from '../../domain/machine/temporary-name.ts';
import { describeBytes, InputError, type InputLimits, limitExceeded } from './input-error.ts';
import { START_BYTES } from './signature.ts';

/**
 * The share of a table's content that its newest reading has passed. A chunk counts when its rows were taken, not
 * when it was read from the disk.
 */
export class ReadingShare {
  #readBytes = 0;
  #totalBytes = 0;

  /** @param totalBytes of the content, in the unit of `pass` */
  begin(totalBytes: number): void {
    this.#readBytes = 0;
    this.#totalBytes = totalBytes;
  }

  pass(bytes: number): void {
    this.#readBytes += bytes;
  }

  /** From 0 to 1. */
  get value(): number {
    return this.#totalBytes === 0 ? 0 : Math.min(1, this.#readBytes / this.#totalBytes);
  }
}

const CHUNK_BYTES = 256 * 1024;

/** A file on disk whose bytes can be read repeatedly: the input file, or the copy of standard input. */
export interface ByteSource {
  /** Where the bytes are. */
  readonly file: string;
  /** The base name without its extension. */
  readonly name: string;
  readonly bytes: number;
  /** The first bytes, enough to tell the format. */
  readonly start: Buffer;
  remove(): Promise<void>;
}

/** Turns the operating system's error for a file into an `InputError`. Other errors are returned unchanged. */
function fileError(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const code = 'code' in error ? String(error.code) : 'unknown error';
  const isPattern = 'path' in error && /[*?]/.test(String(error.path));
  const [name, message, advice] = fileErrors[code === 'ENOENT' && isPattern ? 'no match' : code] ?? [
    'file_not_readable',
    `The file cannot be read (${code}).`,
    'check the disk that it is on, or copy it to another one',
  ];
  return new InputError(name, message, advice, { cause: error });
}

type FileError = readonly [name: ErrorCode, message: string, advice: string];

const noSuchFile: FileError = ['file_not_found', 'There is no such file.', 'check the path'];
const notAllowed: FileError = [
  'file_not_readable',
  'The file may not be read by this user.',
  'ask its owner for the right to read it',
];

/** By the system's code. */
const fileErrors: Readonly<Record<string, FileError>> = {
  ENOENT: noSuchFile,
  ENOTDIR: noSuchFile,
  ELOOP: ['file_not_found', 'The path leads round in a circle of links.', 'check the path'],
  ENAMETOOLONG: ['file_not_found', 'The path is longer than this system allows.', 'check the path'],
  EACCES: notAllowed,
  EPERM: notAllowed,
  'no match': [
    'file_not_found',
    'No file matches this pattern.',
    'check the pattern: a shell hands it on as it is when nothing matches',
  ],
};

function nameWithoutEnding(path: string): string {
  const base = basename(path);
  const unzipped = base.replace(/(\.(?:csv|tsv|txt))\.gz$/i, '$1');
  return unzipped.replace(/(.)\.[^.]*$/, '$1');
}

async function readStart(file: string): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function tooManyBytes(limits: InputLimits): InputError {
  return limitExceeded(`it is larger than ${describeBytes(limits.fileBytes)}`, 'split it into several files');
}

/** Opens the file at `path`. */
export async function openFile(path: string, limits: InputLimits): Promise<ByteSource> {
  try {
    const stats = await stat(path);
    if (!stats.isFile()) {
      const advice = 'give the path of a file, or pipe the content in and give "-"';
      throw new InputError('not_a_file', 'This is a folder or a device, not a file.', advice);
    }
    if (stats.size > limits.fileBytes) throw tooManyBytes(limits);
    const start = await readStart(path);
    return { file: path, name: nameWithoutEnding(path), bytes: stats.size, start, remove: async () => {} };
  } catch (error) {
    throw fileError(error);
  }
}

/** A temporary file, empty and open for writing, and the path for reading it while it is open. */
interface TemporaryFile {
  readonly handle: FileHandle;
  readonly file: string;
  remove(): Promise<void>;
}

/**
 * On Linux the file is unlinked before anything is written, and is read through its descriptor, so the system removes
 * it however this process ends. Elsewhere a killed process leaves it behind, in a folder that only its owner can
 * read.
 */
async function createTemporaryFile(): Promise<TemporaryFile> {
  const folder = await temporaryFolder();
  const named = join(folder, 'stdin');
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  try {
    const handle = await open(named, 'wx+', 0o600);
    const descriptor = `/proc/self/fd/${handle.fd}`;
    const isReachable = existsSync(descriptor);
    if (isReachable) await removeFolder();
    const remove = async () => {
      await handle.close();
      await removeFolder();
    };
    return { handle, file: isReachable ? descriptor : named, remove };
  } catch (error) {
    await removeFolder();
    throw temporaryFolderError(error);
  }
}

/**
 * Copies a stream, which can be read only once, to a file that only its owner can read.
 * @throws InputError `limit_exceeded`, or `temporary_folder` when the copy cannot be stored
 */
export async function spool(stream: NodeJS.ReadableStream, limits: InputLimits): Promise<ByteSource> {
  const { handle, file, remove } = await createTemporaryFile();
  try {
    const bytes = await copy(stream, handle, limits);
    return { file, name: 'stdin', bytes, start: await readStart(file), remove };
  } catch (error) {
    await remove();
    throw temporaryFolderError(error);
  }
}

/** @returns the number of bytes */
async function copy(stream: NodeJS.ReadableStream, handle: FileHandle, limits: InputLimits): Promise<number> {
  let bytes = 0;
  const limited = async function* (chunks: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      const buffer = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      bytes += buffer.length;
      if (bytes > limits.fileBytes) throw tooManyBytes(limits);
      yield buffer;
    }
  };
  await writeFile(handle, limited(stream));
  return bytes;
}

/**
 * Makes a folder that only its owner can read, for as long as a file is open.
 * @throws InputError `temporary_folder`
 */
export async function temporaryFolder(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), temporaryPrefix({ host: hostname(), processId: process.pid })));
  } catch (error) {
    throw temporaryFolderError(error);
  }
}

/**
 * Writes a file that only its owner can read, and that is not needed after a crash.
 * @throws InputError `temporary_folder`
 */
export async function writeTemporaryFile(path: string, content: string): Promise<void> {
  try {
    await writeFile(path, content, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw temporaryFolderError(error);
  }
}

function temporaryFolderError(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const code = 'code' in error ? String(error.code) : 'unknown error';
  return new InputError(
    'temporary_folder',
    `There is no place to keep it while it is read: the system's folder for temporary files, ${tmpdir()}, cannot be used (${code}).`,
    'set TMPDIR to a folder with room that you may write to, or give the path of a file',
    { cause: error },
  );
}

/** Yields the file's bytes. At the end, `atEnd` gets their SHA-256 (hexadecimal); `share` counts the progress. */
export async function* hashedBytes(
  source: ByteSource,
  atEnd: (contentHash: string) => void,
  share?: ReadingShare,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  share?.begin(source.bytes);
  const stream = createReadStream(source.file, { highWaterMark: CHUNK_BYTES });
  try {
    for await (const chunk of stream) {
      const buffer = chunk as Buffer;
      hash.update(buffer);
      yield buffer;
      share?.pass(buffer.length);
    }
  } catch (error) {
    throw fileError(error);
  }
  atEnd(hash.digest('hex'));
}

/** Reads the file to its end. @returns SHA-256 of its bytes, hexadecimal */
export async function contentHashOf(source: ByteSource): Promise<string> {
  let contentHash = '';
  const keep = (found: string) => {
    contentHash = found;
  };
  for await (const _ of hashedBytes(source, keep)) {
    // Only the hash is needed.
  }
  return contentHash;
}

/** @throws InputError `file_changed` when the content has changed */
export function assertUnchanged(expected: string, found: string): void {
  if (expected === found) return;
  throw new InputError(
    'file_changed',
    'The file was changed while it was being read.',
    'wait until nobody and no program is writing to it, then start again',
  );
}
