/*
 * What ties each line of a run log to the one before: the chain of its writer, its number and its hash, at the end of the
 * line. The hash is of the hash before it and of the line up to itself, so that a line that was changed, or whose
 * predecessor is missing, does not fit.
 */

import { hash } from 'node:crypto';
import * as z from 'zod';
import type { ChainTip } from '../../domain/batches/run-log.ts';

/** Half of a SHA-256: nothing but a change gives another one. */
const hashDigits = 32;

/** In place of the hash before the first line of a chain. */
export const noHash = '';

/** In place of a chain: the lines of earlier versions, which have no numbers and hashes. */
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

/** @returns null for a line that ends otherwise: of an earlier version, or damaged */
export function linkOf(line: string): LineLink | null {
  const [, chain, number, hash] = linkPattern.exec(line.slice(-longestLink)) ?? [];
  if (chain === undefined || hash === undefined) return null;
  return { chain, line: Number(number), hash, body: line.slice(0, -hashPart) };
}

/** The hash of a line. @param before the hash of the line before it in its chain */
export function hashOfLine(before: string, body: string): string {
  return hash('sha256', before + body, 'hex').slice(0, hashDigits);
}

/** The hash of the lines of earlier versions, all together. */
export function hashOfLines(sha256: string): string {
  return sha256.slice(0, hashDigits);
}

/**
 * A line with its end.
 * @param text the JSON of an event, without a newline
 * @param after the last lines of other chains that this line comes after; names them
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

export const chainTip = z.object({
  chain: z.string().regex(/^(?:[0-9a-f]{8}|none)$/),
  line: z.int().nonnegative(),
  hash: z.string().regex(/^[0-9a-f]{32}$/),
  claims: z.int().nonnegative().nullable(),
});

const naming = z.object({ after: z.array(chainTip) });

/** The lines that a line names as those that it comes after; null where it names none: it is not the first of its chain. */
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
