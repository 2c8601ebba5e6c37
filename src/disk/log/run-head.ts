/*
 * The head file beside a run log: it names the last line of the log at the latest claim. A log that ends before that line
 * was cut; without the head a cut cannot be distinguished from the end of a killed run.
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
 * The link of each line of a run log to the one before: the chain of its writer, its number and its hash, at the end of
 * the line. The hash covers the hash before it and the line up to itself. So a line that was changed, or whose
 * predecessor is missing, does not fit.
 */

/** Half of a SHA-256: enough to detect every change. */
const hashDigits = 32;

/** Replaces the hash before the first line of a chain. */
export const noHash = '';

/** Replaces a chain: for the lines of earlier versions, which have no numbers and hashes. */
export const unlinkedChain = 'none';

/** The end of a line, as it is written by `linkedLine`. */
export interface LineLink {
  readonly chain: string;
  readonly line: number;
  readonly hash: string;
  /** The line up to its hash. */
  readonly body: string;
}

const linkPattern = /,"chain":"([0-9a-f]{8})","line":(\d{1,15}),"line_hash":"([0-9a-f]{32})"\}$/;
const longestLink = 110;
const hashPart = ',"line_hash":""}'.length + hashDigits;

/** @returns null for a line with another end: of an earlier version, or damaged */
export function linkOf(line: string): LineLink | null {
  const [, chain, number, hash] = linkPattern.exec(line.slice(-longestLink)) ?? [];
  if (chain === undefined || hash === undefined) return null;
  return { chain, line: Number(number), hash, body: line.slice(0, -hashPart) };
}

/** The hash of a line. @param before the hash of the line before it in its chain */
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
 * @param after the last lines of other chains before this line; it names them
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

/** The lines that a line names as its predecessors; null where it names none, since it is not the first of its chain. */
export function namedBy(line: string): readonly ChainTip[] | null {
  if (!line.includes(',"after":[')) return null;
  try {
    return naming.parse(JSON.parse(line)).after;
  } catch {
    return null;
  }
}

const namePattern = /^\{"time":"[^"]{20,30}","event":"([a-z.]{1,30})"/;

/** The name of a line's event; undefined where it does not begin like one. */
export function eventNameOf(line: string): string | undefined {
  return namePattern.exec(line)?.[1];
}

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
  /** How far the log was read when the head was written. */
  bytes: z.int().nonnegative(),
  /** The last claim in the log; null where it has none. */
  claimed: namedClaim.nullable(),
  /** The last lines of runs that write at the same time, as far as no line of this writer names them. */
  others: z.array(chainTip),
  /** Lines that an earlier head names and the log lacks, until a run has written what its ledger knows of them. */
  lacking: z.array(chainTip),
});

/** Hash over the rest of the file: a damaged head must not be evidence against its log. */
const sealedHead = runHead.extend({ sum: z.string() });

export type NamedClaim = z.output<typeof namedClaim>;
export type RunHead = z.output<typeof runHead>;

/** The head beside a log. */
export type FoundHead = RunHead | 'missing' | 'damaged';

/** Where the head of a log is: `NAME.run.head` beside `NAME.run.jsonl`. */
export function runHeadPath(log: string): string {
  return `${log.replace(/\.jsonl$/, '')}.head`;
}

/** The log of a head file. */
export function logOfHead(head: string): string {
  return `${head.replace(/\.head$/, '')}.jsonl`;
}

export const runHeadEnding = '.run.head';

/** Maximum of bytes in a head. */
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
   * Replaces the head in one step; it is on disk before it gets its name. Only the first time is the new name synced as
   * well: later, a power cut may restore an older head, which has less but nothing wrong.
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
