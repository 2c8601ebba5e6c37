import type { ContentMark } from './content-mark.ts';

/** The words of a hash that stand in the index: 128 bits, so that no two rows of any file meet by chance. */
const keyWords = 4;
const bytesPerWord = 4;
/** Of an entry: the key, the content's mark in two words, and the row. */
const contentAt = keyWords;
const rowAt = contentAt + 2;
const wordsPerEntry = rowAt + 1;
/** Entries stand in blocks, so that a growing index copies none of them and has little room to spare. */
const entriesPerBlock = 1 << 12;
/** A slot is the number of an entry, counted from 1. */
const initialSlots = 1 << 12;

/** The earlier row with the same natural key, and whether its content is the same too. */
export interface EarlierRow {
  readonly row: number;
  readonly hasSameContent: boolean;
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
 * Remembers the natural keys of a file's rows in some 36 bytes each, so that a million rows fit into some tens
 * of megabytes: entries in the order of the rows, and an open-addressing hash table of their numbers.
 */
export class NaturalKeyIndex {
  #size = 0;
  #slots = new Uint32Array(initialSlots);
  readonly #blocks: Uint32Array[] = [];

  /**
   * Adds a row, unless an earlier one has its key.
   * @param key SHA-256 of the natural key, a byte in each character
   * @param content of what is sent with the row
   * @returns the earlier row, or undefined when this is the first
   */
  add(key: string, content: Pick<ContentMark, 'first' | 'second'>, row: number): EarlierRow | undefined {
    if (this.#size * 2 >= this.#slots.length) this.#grow();
    // Written behind the last entry, where it stays if its key is new.
    const block = this.#blockFor(this.#size);
    const at = placeIn(this.#size);
    for (let word = 0; word < keyWords; word += 1) block[at + word] = readWord(key, word);
    block[at + contentAt] = content.first;
    block[at + contentAt + 1] = content.second;
    block[at + rowAt] = row;
    const slot = this.#slotOf(block, at);
    const number = this.#slots[slot] ?? 0;
    if (number === 0) {
      this.#size += 1;
      this.#slots[slot] = this.#size;
      return undefined;
    }
    const earlier = this.#blockFor(number - 1);
    const earlierAt = placeIn(number - 1);
    const hasSameContent = areSame(earlier, earlierAt, block, at, contentAt, rowAt);
    return { row: earlier[earlierAt + rowAt] ?? 0, hasSameContent };
  }

  /** The slot of the entry that has the same key as the one at `at`, or the free one that is for it. */
  #slotOf(block: Uint32Array, at: number): number {
    const lastSlot = this.#slots.length - 1;
    for (let slot = (block[at] ?? 0) & lastSlot; ; slot = (slot + 1) & lastSlot) {
      const number = this.#slots[slot] ?? 0;
      if (number === 0) return slot;
      if (areSame(this.#blockFor(number - 1), placeIn(number - 1), block, at, 0, keyWords)) return slot;
    }
  }

  #blockFor(entry: number): Uint32Array {
    const index = Math.floor(entry / entriesPerBlock);
    const block = this.#blocks[index] ?? new Uint32Array(entriesPerBlock * wordsPerEntry);
    this.#blocks[index] = block;
    return block;
  }

  #grow(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let entry = 0; entry < this.#size; entry += 1) {
      this.#slots[this.#slotOf(this.#blockFor(entry), placeIn(entry))] = entry + 1;
    }
  }
}

/** Where an entry begins in its block. */
function placeIn(entry: number): number {
  return (entry % entriesPerBlock) * wordsPerEntry;
}

/** Whether two entries have the same words, from one word to before another. */
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
