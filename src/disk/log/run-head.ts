/*
 * The head file beside a run log. It names the last line that the log had when the head was written, for example at the
 * latest claim. If the log ends before that line, it was truncated. Without the head, a truncation could not be
 * distinguished from the end of a killed run.
 */

import { hash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { ChainTip } from '../../domain/batches/run.ts';
import { temporaryFileName } from '../../domain/machine/temporary-name.ts';
import { type FileSystem, realFileSystem, syncDirectoryOf, writeFully } from '../file-system.ts';

/*
 * The link of each line of a run log to the line before. It is at the end of the line: the chain of the writer, the line's
 * number, and its hash. The hash covers the hash of the line before and the line up to the hash. So a line does not match
 * its hash if it was changed, or if the line before is missing.
 */

/** Half of a SHA-256: enough to detect every change. */
const hashDigits = 32;

/** Used as the previous hash for the first line of a chain. */
export const noHash = '';

/** Used as the chain of the lines of earlier versions, which have no numbers and hashes. */
export const unlinkedChain = 'none';

/** The link at the end of a line, as `linkedLine` writes it. */
export interface LineLink {
  readonly chain: string;
  readonly line: number;
  readonly hash: string;
  /** The line up to the hash. */
  readonly body: string;
}

const linkPattern = /,"chain":"([0-9a-f]{8})","line":(\d{1,15}),"line_hash":"([0-9a-f]{32})"\}$/;
const longestLink = 110;
const hashPart = ',"line_hash":""}'.length + hashDigits;

/**
 * Reads the link of a line.
 * @returns null for a line that does not end with a link: it is of an earlier version, or damaged
 */
export function linkOf(line: string): LineLink | null {
  const [, chain, number, hash] = linkPattern.exec(line.slice(-longestLink)) ?? [];
  if (chain === undefined || hash === undefined) return null;
  return { chain, line: Number(number), hash, body: line.slice(0, -hashPart) };
}

/** The hash of a line. @param before the hash of the previous line in its chain */
export function hashOfLine(before: string, body: string): string {
  return hash('sha256', before + body, 'hex').slice(0, hashDigits);
}

/** The hash of all lines of earlier versions together. */
export function hashOfLines(sha256: string): string {
  return sha256.slice(0, hashDigits);
}

/**
 * A line with its link.
 * @param text the JSON of an event, without a newline
 * @param after the last lines of other chains before this line, which this line names; null if it names none
 */
export function linkedLine(
  text: string,
  { before, chain, line }: { readonly before: string; readonly chain: string; readonly line: number },
  after: readonly ChainTip[] | null,
): { readonly line: string; readonly hash: string } {
  const named = after === null ? '' : `,"after":${JSON.stringify(after)}`;
  const body = `${text.slice(0, -1)}${named},"chain":"${chain}","line":${line}`;
  const hash = hashOfLine(before, body);
  return { line: `${body},"line_hash":"${hash}"}\n`, hash };
}

const chainTip = z.object({
  chain: z.string().regex(/^(?:[0-9a-f]{8}|none)$/),
  line: z.int().nonnegative(),
  hash: z.string().regex(/^[0-9a-f]{32}$/),
  claims: z.int().nonnegative().nullable(),
});

const naming = z.object({ after: z.array(chainTip) });

/** The last lines of other chains that a line names; null if it names none. */
export function namedBy(line: string): readonly ChainTip[] | null {
  if (!line.includes(',"after":[')) return null;
  try {
    return naming.parse(JSON.parse(line)).after;
  } catch {
    return null;
  }
}

const namePattern = /^\{"time":"[^"]{20,30}","event":"([a-z.]{1,30})"/;

/** The name of a line's event; undefined if the line does not begin like an event. */
export function eventNameOf(line: string): string | undefined {
  return namePattern.exec(line)?.[1];
}

/** A claim, and the ledger that has it; null in logs of earlier versions, which did not name their ledger. */
const namedClaim = z.object({
  run: z.string().min(1),
  claim: z.int().positive(),
  ledger: z.uuid().nullable(),
});

const runHead = z.object({
  batch: z.uuid(),
  time: z.iso.datetime(),
  ...chainTip.shape,
  /** Number of bytes of the log that were read when the head was written. */
  bytes: z.int().nonnegative(),
  /** The last claim in the log; null if the log has no claim. */
  claimed: namedClaim.nullable(),
  /** The last lines of other runs that write at the same time, unless a line of this writer names them. */
  others: z.array(chainTip),
  /**
   * Lines that an earlier head names and that are not in the log, until a run has written their content again from its
   * ledger.
   */
  lacking: z.array(chainTip),
});

/** Adds a hash over the rest of the file, so that a damaged head is not used as evidence against its log. */
const sealedHead = runHead.extend({ sum: z.string() });

export type NamedClaim = z.output<typeof namedClaim>;
export type RunHead = z.output<typeof runHead>;

/** The head beside a log. */
export type FoundHead = RunHead | 'missing' | 'damaged';

/** The path of a log's head: `NAME.run.head` beside `NAME.run.jsonl`. */
export function runHeadPath(log: string): string {
  return `${log.replace(/\.jsonl$/, '')}.head`;
}

/** The path of a head's log. */
export function logOfHead(head: string): string {
  return `${head.replace(/\.head$/, '')}.jsonl`;
}

export const runHeadEnding = '.run.head';

/** Maximum number of bytes in a head. */
const longestHead = 1024 * 1024;

/**
 * Reads the head beside a log.
 * @throws the file system's error, unless the file is missing
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

/** Writes the head of a log repeatedly during a run. */
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
   * Replaces the head in one step: it is on disk before it gets its name. The new name is synced only the first time.
   * Later, a power failure may restore an older head, which contains less but nothing wrong.
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
