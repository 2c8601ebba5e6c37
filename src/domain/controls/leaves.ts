/*
 * The leaves of a plan: one hash of the content of each of its rows. Approvers sign the root over all leaves. So a run can
 * compare the bytes that it is about to send with the approved content, row by row.
 */

import { hash } from 'node:crypto';

/** Rows whose numbers have the same quotient share a chunk. So a row that leaves a plan changes only one chunk. */
const rowsPerChunk = 1_024;

const leafLength = 32;

/** A chunk stores each leaf after its row's number. */
const entryLength = 4 + leafLength;

/** The content from which a leaf is computed. */
export interface LeafContent {
  readonly row: number;
  /** The name of the resource definition. */
  readonly resource: string;
  /** The endpoint of the request. */
  readonly path: string;
  /** Objects that did not exist when the row was checked, by field and handle. They have got their ids since then. */
  readonly names: readonly string[];
  /** The request's body without the ids of those objects, as JSON. */
  readonly body: string;
  readonly amount: string | null;
  readonly currency: string | null;
}

/**
 * SHA-256 of a row's content, in hex.
 * @param salt the salt of the batch; without it, a person could find account numbers by trying all of them
 */
export function leafOf(salt: string, content: LeafContent): string {
  const { row, resource, path, names, body, amount, currency } = content;
  const parts = JSON.stringify(names.length === 0 ? [amount, currency] : [amount, currency, ...names]);
  // Salt, resource and path contain no line break, and JSON contains none either. So the parts can be separated in only one
  // way.
  return hash('sha256', `leaf 1\n${salt}\n${resource}\n${path}\n${row}\n${parts}\n${body}`, 'hex');
}

/** Leaves of neighbouring rows in the stored form: under the hash of their bytes. */
export interface LeafChunk {
  readonly hash: Buffer;
  readonly content: Buffer;
}

/** Collects the leaves of a plan, in the order of its rows. Only the leaves of a few chunks are in memory. */
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

  /** The chunks that were completed since the last call. */
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

/** The number of a row's block. The leaves of rows in one block are in one chunk of each proof. */
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

/** The hash of the chunk with the leaf of a row, in hex; undefined if no chunk includes rows with that number. */
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

/** The leaves of a chunk in hex, by row; undefined if its bytes do not match its hash. */
export function leavesIn({ hash: stated, content }: LeafChunk): ReadonlyMap<number, string> | undefined {
  if (!hash('sha256', content, 'buffer').equals(stated) || content.length % entryLength !== 0)
    return undefined;
  const leaves = new Map<number, string>();
  for (let at = 0; at < content.length; at += entryLength)
    leaves.set(content.readInt32BE(at), content.toString('hex', at + 4, at + entryLength));
  return leaves;
}
