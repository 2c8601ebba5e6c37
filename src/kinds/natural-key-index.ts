/*
 * Finds the earlier row of a file with the same object, and whether its content is the same, with a few bytes for each row.
 */

import { randomInt } from 'node:crypto';
import { remembered } from '../domain/machine/remembered.ts';
import { canonicalAmount } from '../domain/money/money.ts';
import type { NormalisedRecord } from '../domain/rows/ledger-row.ts';
import type { FieldRule, ResourceDefinition } from './definition.ts';

/**
 * Odd factors without a pattern in their bits (from MurmurHash3 and from the golden ratio), so that multiplication loses no
 * information.
 */
const firstFactor = 0xcc9e2d51;
const secondFactor = 0x9e3779b1;

/**
 * The fields that are sent, by the presence in a rule: `required` and `optional` values are in the request, other values
 * never are.
 */
export function sentFieldsOf({ rules }: ResourceDefinition): readonly string[] {
  return rules
    .filter(({ presence }) => presence === 'required' || presence === 'optional')
    .map(({ field }) => field);
}

const sentFields = remembered(sentFieldsOf);

function isCheckedAmount({ field, presence }: FieldRule): boolean {
  return field === 'amount' && presence === 'checked';
}

/**
 * A mark of the content of a record's request, with 64 bits. Marks are compared only between rows with the same natural key.
 * By chance, different content has the same mark in one of 2^64 such pairs. The marks begin with random bits, so it is not
 * possible to construct a file with equal marks. Writing and hashing every request would take as long as all other checks.
 */
export class ContentMark {
  readonly #firstSeed = randomInt(2 ** 32);
  readonly #secondSeed = randomInt(2 ** 32);
  /** The mark of the record with which `take` was last called. */
  first = 0;
  second = 0;
  /**
   * The mark of its amount, if the amount is only checked; 0 for none. If two of 2^32 are equal by chance, a note is
   * missing.
   */
  amount = 0;

  take(definition: ResourceDefinition, record: NormalisedRecord): void {
    let first = this.#firstSeed;
    let second = this.#secondSeed;
    for (const field of sentFields(definition)) {
      const own = record[field] ?? '';
      // One file may write an amount as 5555 and as 5,555.00. Both are sent as written, and are the same.
      const value = field === 'amount' ? canonicalAmount(own) : own;
      const { length } = value;
      // The length, then two characters at a time. So two different lists of values never result in the same words.
      for (let index = -1; index < length; index += index < 0 ? 1 : 2) {
        const next = index + 1 < length ? value.charCodeAt(index + 1) << 16 : 0;
        const word = index < 0 ? length : value.charCodeAt(index) | next;
        first = Math.imul(first ^ word, firstFactor);
        first = (first << 13) | (first >>> 19);
        second = Math.imul(second ^ word, secondFactor);
        second = (second << 15) | (second >>> 17);
      }
    }
    this.first = first >>> 0;
    this.second = second >>> 0;
    this.amount = this.#amountOf(definition, record);
  }

  #amountOf({ rules }: ResourceDefinition, { amount = '' }: NormalisedRecord): number {
    if (amount === '' || !rules.some(isCheckedAmount)) return 0;
    let mark = this.#firstSeed;
    for (const letter of canonicalAmount(amount))
      mark = Math.imul(mark ^ letter.charCodeAt(0), firstFactor) ^ (mark >>> 15);
    return mark >>> 0 || 1;
  }
}

/**
 * The number of hash words in the index: 96 bits. In a file of a million rows, two rows collide by chance in one of 10^17
 * files.
 */
const keyWords = 3;
const bytesPerWord = 4;
/** The places in an entry: the key, the mark of the content in two words, and the mark of an amount that is only checked. */
const contentAt = keyWords;
const amountAt = contentAt + 2;
const wordsPerEntry = amountAt + 1;
/** Entries are stored in blocks, so that a growing index copies no entries and wastes little memory. */
const entriesPerBlock = 1 << 12;
/** A slot contains the number of a row, or 0. */
const initialSlots = 1 << 12;

/** The earlier row with the same natural key, and whether its content is the same too. */
export interface EarlierOwner {
  readonly row: number;
  readonly hasSameContent: boolean;
  /** Whether both have the same amount that is only checked; true if neither has one. */
  readonly hasSameAmount: boolean;
}

function readWord(bytes: string, word: number): number {
  const at = word * bytesPerWord;
  return (
    bytes.charCodeAt(at) |
    (bytes.charCodeAt(at + 1) << 8) |
    (bytes.charCodeAt(at + 2) << 16) |
    (bytes.charCodeAt(at + 3) << 24)
  );
}

/**
 * Stores the natural keys of a file's rows in about 32 bytes each, so that a million rows need some tens of megabytes. It
 * has an entry for each row, at the place of the row's number, and an open-addressing hash table of the row numbers.
 */
export class NaturalKeyIndex {
  #size = 0;
  #lastRow = 0;
  #slots = new Uint32Array(initialSlots);
  readonly #blocks: Uint32Array<ArrayBuffer>[] = [];

  /**
   * Adds a row, unless an earlier row has its key.
   * @param key SHA-256 of the natural key; each character represents one byte
   * @param content the marks of the sent content of the row, and of an amount that is only checked
   * @param row greater than all numbers before
   * @returns the earlier row; undefined if this row is the first
   * @throws Error for a row out of order, because its entry may belong to another row
   */
  add(
    key: string,
    content: Pick<ContentMark, 'first' | 'second'> & Partial<Pick<ContentMark, 'amount'>>,
    row: number,
  ): EarlierOwner | undefined {
    if (row <= this.#lastRow) throw new Error(`row ${row} comes after row ${this.#lastRow}`);
    this.#lastRow = row;
    if (this.#size * 2 >= this.#slots.length) this.#grow();
    // Without a slot, the entry of a row that repeats another one is never read.
    const [block, at] = [this.#blockOf(row), placeOf(row)];
    for (let word = 0; word < keyWords; word += 1) block[at + word] = readWord(key, word);
    block[at + contentAt] = content.first;
    block[at + contentAt + 1] = content.second;
    block[at + amountAt] = content.amount ?? 0;
    const slot = this.#slotOf(block, at);
    const earlier = this.#slots[slot] ?? 0;
    if (earlier === 0) {
      this.#size += 1;
      this.#slots[slot] = row;
      return undefined;
    }
    const [earlierBlock, earlierAt] = [this.#blockOf(earlier), placeOf(earlier)];
    const hasSameContent = areSame(earlierBlock, earlierAt, block, at, contentAt, amountAt);
    const hasSameAmount = areSame(earlierBlock, earlierAt, block, at, amountAt, wordsPerEntry);
    return { row: earlier, hasSameContent, hasSameAmount };
  }

  /**
   * The first rows that have the same content as later ones, but other keys. It reads all entries once.
   * @param rows the later rows
   * @returns by the later row; rows without such an earlier row are omitted
   */
  earlierWithOtherKeys(rows: readonly number[]): Map<number, number> {
    const found = new Map<number, number>();
    const wanted = new Map<string, number[]>();
    for (const row of rows) {
      const content = this.#contentOf(row);
      wanted.set(content, [...(wanted.get(content) ?? []), row]);
    }
    if (wanted.size === 0) return found;
    for (const slot of this.#slots) {
      const later = slot === 0 ? undefined : wanted.get(this.#contentOf(slot));
      for (const row of later ?? []) {
        if (slot >= row || slot >= (found.get(row) ?? row)) continue;
        const isSameKey = areSame(
          this.#blockOf(slot),
          placeOf(slot),
          this.#blockOf(row),
          placeOf(row),
          0,
          keyWords,
        );
        if (!isSameKey) found.set(row, slot);
      }
    }
    return found;
  }

  #contentOf(row: number): string {
    const [block, at] = [this.#blockOf(row), placeOf(row) + contentAt];
    return `${block[at]} ${block[at + 1]}`;
  }

  /**
   * Clears the index and frees its memory soon. The garbage collector frees old arrays only after the heap has grown a lot,
   * while the next step already fills it. So the memory is transferred to new buffers without references, because young
   * objects are collected frequently.
   */
  clear(): void {
    for (const { buffer } of [this.#slots, ...Object.values(this.#blocks)])
      structuredClone(buffer, { transfer: [buffer] });
    this.#slots = new Uint32Array(initialSlots);
    this.#blocks.length = 0;
    this.#size = 0;
    this.#lastRow = 0;
  }

  /** The slot of the row with the same key as the entry at `at`, or the free slot for that entry. */
  #slotOf(block: Uint32Array, at: number): number {
    const lastSlot = this.#slots.length - 1;
    for (let slot = (block[at] ?? 0) & lastSlot; ; slot = (slot + 1) & lastSlot) {
      const row = this.#slots[slot] ?? 0;
      if (row === 0) return slot;
      if (areSame(this.#blockOf(row), placeOf(row), block, at, 0, keyWords)) return slot;
    }
  }

  #blockOf(row: number): Uint32Array<ArrayBuffer> {
    const index = Math.floor(row / entriesPerBlock);
    const block = this.#blocks[index] ?? new Uint32Array(entriesPerBlock * wordsPerEntry);
    this.#blocks[index] = block;
    return block;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    for (const row of before) {
      if (row !== 0) this.#slots[this.#slotOf(this.#blockOf(row), placeOf(row))] = row;
    }
  }
}

/** The place in its block at which the entry of a row begins. */
function placeOf(row: number): number {
  return (row % entriesPerBlock) * wordsPerEntry;
}

/** Whether two entries have the same words, from one word up to another (exclusive). */
function areSame(
  left: Uint32Array,
  leftAt: number,
  right: Uint32Array,
  rightAt: number,
  first: number,
  end: number,
): boolean {
  for (let word = first; word < end; word += 1) {
    if (left[leftAt + word] !== right[rightAt + word]) return false;
  }
  return true;
}
