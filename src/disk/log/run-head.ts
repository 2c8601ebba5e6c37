/*
 * The head file beside a run log: which line was the log's last one when its rows were last claimed. A log that ends before
 * that line was cut; without the head a cut cannot be told from the end of a killed run.
 */

import { hash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { temporaryFileName } from '../../domain/machine/temporary-name.ts';
import { type FileSystem, realFileSystem, syncDirectoryOf, writeFully } from '../file-system.ts';
import { chainTip } from './line-link.ts';

/** A claim, and the ledger that has it; null in logs of versions that did not name their ledger. */
const namedClaim = z.object({
  run: z.string().min(1),
  claim: z.int().positive(),
  ledger: z.uuid().nullable(),
});

const runHead = z.object({
  batch: z.uuid(),
  time: z.iso.datetime(),
  ...chainTip.shape,
  /** Up to here the log was read when the head was written. */
  bytes: z.int().nonnegative(),
  /** The last claim that the log names; null where it names none. */
  claimed: namedClaim.nullable(),
  /** The last lines of runs that write at the same time, as far as no line of this writer names them. */
  others: z.array(chainTip),
  /** Lines that an earlier head names and the log lacks, until a run has written what its ledger knows of them. */
  lacking: z.array(chainTip),
});

/** Hash over the rest of the file: a head that was damaged must not speak against its log. */
const sealedHead = runHead.extend({ sum: z.string() });

export type NamedClaim = z.output<typeof namedClaim>;
export type RunHead = z.output<typeof runHead>;

/** What stands beside a log. */
export type FoundHead = RunHead | 'missing' | 'damaged';

/** Where the head of a log is: `NAME.run.head` beside `NAME.run.jsonl`. */
export function runHeadPath(log: string): string {
  return `${log.replace(/\.jsonl$/, '')}.head`;
}

/** The log that a head file is about. */
export function logOfHead(head: string): string {
  return `${head.replace(/\.head$/, '')}.jsonl`;
}

export const runHeadEnding = '.run.head';

/** No head is larger. */
const longestHead = 1024 * 1024;

/**
 * Reads the head beside a log.
 * @throws the file system's error, unless the file is not there
 */
export async function readRunHead(log: string, files: FileSystem = realFileSystem): Promise<FoundHead> {
  let handle: FileHandle;
  try {
    handle = await files.open(runHeadPath(log), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
    if (code === 'ELOOP') return 'damaged';
    throw error;
  }
  try {
    const { size } = await handle.stat();
    if (size > longestHead) return 'damaged';
    const bytes = Buffer.alloc(size);
    const { bytesRead } = await handle.read(bytes, 0, size, 0);
    return headIn(bytes.toString('utf8', 0, bytesRead));
  } finally {
    await handle.close();
  }
}

function headIn(text: string): RunHead | 'damaged' {
  try {
    const { sum, ...head } = sealedHead.parse(JSON.parse(text));
    return sum === sumOf(head) ? head : 'damaged';
  } catch {
    return 'damaged';
  }
}

function sumOf(head: RunHead): string {
  return hash('sha256', JSON.stringify(runHead.parse(head)), 'hex').slice(0, 16);
}

/** Writes the head of a log, again and again while a run is under way. */
export class RunHeadWriter {
  readonly #path: string;
  readonly #temporaryPath: string;
  readonly #files: FileSystem;
  #isNamed = false;

  constructor(log: string, files: FileSystem) {
    this.#path = runHeadPath(log);
    this.#files = files;
    const owner = { host: hostname(), processId: process.pid };
    this.#temporaryPath = join(dirname(log), temporaryFileName(owner, randomBytes(3).toString('hex')));
  }

  /**
   * Replaces the head in one step; it is on disk before it gets its name. That the new name is on disk as well is only seen
   * to the first time: later, a power cut may bring back an older head, which says less and nothing wrong.
   * @throws the file system's error
   */
  async write(head: RunHead): Promise<void> {
    const text = `${JSON.stringify({ ...head, sum: sumOf(head) })}\n`;
    const handle = await this.#files.open(this.#temporaryPath, 'wx', 0o600);
    try {
      await writeFully(handle, Buffer.from(text, 'ascii'));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await this.#files.rename(this.#temporaryPath, this.#path);
    if (!this.#isNamed) await syncDirectoryOf(this.#files, this.#path);
    this.#isNamed = true;
  }
}
