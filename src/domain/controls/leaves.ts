/*
 * The leaves of a plan: a hash of the content of each of its rows. Approvers sign the root over all of them, so that a run
 * can hold the bytes that it is about to send against what was approved, row by row.
 */

import { hash } from 'node:crypto';

/** Rows whose numbers have the same quotient share a chunk: a row that leaves a plan changes one chunk. */
const rowsPerChunk = 1_024;

const leafLength = 32;

/** A chunk stores each leaf behind its row's number. */
const entryLength = 4 + leafLength;

/** What a leaf is made of. */
export interface LeafContent {
  readonly row: number;
  /** Name of the resource definition. */
  readonly resource: string;
  /** Endpoint of the request. */
  readonly path: string;
  /** Objects that did not exist when the row was checked, by field and handle: they got their ids since. */
  readonly names: readonly string[];
  /** The request's body without the ids of those objects, as JSON. */
  readonly body: string;
  readonly amount: string | null;
  readonly currency: string | null;
}

/**
 * SHA-256 of a row's content, in hex.
 * @param salt of the batch: without it, leaves would show account numbers to a person who tries them all
 */
export function leafOf(salt: string, content: LeafContent): string {
  const { row, resource, path, names, body, amount, currency } = content;
  const parts = JSON.stringify(names.length === 0 ? [amount, currency] : [amount, currency, ...names]);
  // Salt, resource and path have no line break, and JSON has none of its own: the parts cannot be read in another way.
  return hash('sha256', `leaf 1\n${salt}\n${resource}\n${path}\n${row}\n${parts}\n${body}`, 'hex');
}

/** Leaves of neighbouring rows, as they are stored: under the hash of their bytes. */
export interface LeafChunk {
  readonly hash: Buffer;
  readonly content: Buffer;
}

/** Collects the leaves of a plan, in the order of its rows. Memory holds the leaves of few chunks. */
export class LeafCollector {
  readonly #salt: string;
  readonly #heads: Buffer[] = [];
  #entries: Buffer[] = [];
  #first = 0;
  #full: LeafChunk[] = [];

  constructor(salt: string) {
    this.#salt = salt;
  }

  add(content: LeafContent): void {
    const { row } = content;
    if (this.#entries.length > 0 && blockOf(row) !== blockOf(this.#first)) this.#close();
    if (this.#entries.length === 0) this.#first = row;
    this.#entries.push(int4(row), Buffer.from(leafOf(this.#salt, content), 'hex'));
  }

  /** The chunks that are complete since the last call. */
  takeComplete(): readonly LeafChunk[] {
    const full = this.#full;
    this.#full = [];
    return full;
  }

  /** Completes the last chunk. @returns the proof, see `rootOf` */
  end(): Buffer {
    if (this.#entries.length > 0) this.#close();
    return Buffer.concat(this.#heads);
  }

  #close(): void {
    const content = Buffer.concat(this.#entries);
    const chunk = { hash: hash('sha256', content, 'buffer'), content };
    this.#entries = [];
    this.#full.push(chunk);
    this.#heads.push(int4(this.#first), chunk.hash);
  }
}

/** Rows of one block have their leaves in one chunk of each proof. */
export function blockOf(row: number): number {
  return Math.floor(row / rowsPerChunk);
}

function int4(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** The root over the leaves of a plan, in hex. @param proof the first row and the hash of each chunk */
export function rootOf(proof: Buffer): string {
  return hash('sha256', proof, 'hex');
}

/** The hash of the chunk in which a row has its leaf, in hex; undefined where no chunk has rows of that number. */
export function chunkHashOf(proof: Buffer, row: number): string | undefined {
  let [low, high] = [0, Math.floor(proof.length / entryLength)];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (blockOf(proof.readInt32BE(middle * entryLength)) < blockOf(row)) low = middle + 1;
    else high = middle;
  }
  const at = low * entryLength;
  if (at + entryLength > proof.length || blockOf(proof.readInt32BE(at)) !== blockOf(row)) return undefined;
  return proof.toString('hex', at + 4, at + entryLength);
}

/** The leaves of a chunk in hex, by row; undefined where its bytes are not those of its hash. */
export function leavesIn({ hash: stated, content }: LeafChunk): ReadonlyMap<number, string> | undefined {
  if (!hash('sha256', content, 'buffer').equals(stated) || content.length % entryLength !== 0)
    return undefined;
  const leaves = new Map<number, string>();
  for (let at = 0; at < content.length; at += entryLength)
    leaves.set(content.readInt32BE(at), content.toString('hex', at + 4, at + entryLength));
  return leaves;
}
