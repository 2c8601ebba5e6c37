import type { ContentMark } from './content-mark.ts';

/** The words of a hash that stand in the index: 128 bits, so that no two rows of any file meet by chance. */
const keyWords = 4;
const bytesPerWord = 4;
/** Of an entry: the key, the content's mark in two words, and the row. */
const contentAt = keyWords;
const rowAt = contentAt + 2;
const wordsPerEntry = rowAt + 1;
/** Of a slot: the first word of its key, and the number of its entry, counted from 1. */
const wordsPerSlot = 2;
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
 * Remembers the natural keys of a file's rows in some 44 bytes each, so that a million rows fit into some tens
 * of megabytes: entries in the order of the rows, and an open-addressing hash table of small slots, which is the
 * only part that is read here and there.
 */
export class NaturalKeyIndex {
  #size = 0;
  #slotCount = initialSlots;
  #slots = new Uint32Array(initialSlots * wordsPerSlot);
  #entries = new Uint32Array((initialSlots / 2) * wordsPerEntry);

  /**
   * Adds a row, unless an earlier one has its key.
   * @param key SHA-256 of the natural key, a byte in each character
   * @param content of what is sent with the row
   * @returns the earlier row, or undefined when this is the first
   */
  add(key: string, content: Pick<ContentMark, 'first' | 'second'>, row: number): EarlierRow | undefined {
    if (this.#size * 2 >= this.#slotCount) this.#grow();
    const entries = this.#entries;
    // Written behind the last entry, where it stays if its key is new.
    const at = this.#size * wordsPerEntry;
    for (let word = 0; word < keyWords; word += 1) entries[at + word] = readWord(key, word);
    entries[at + contentAt] = content.first;
    entries[at + contentAt + 1] = content.second;
    entries[at + rowAt] = row;
    const earlier = this.#find(at);
    if (earlier !== undefined) {
      const hasSameContent = this.#areSame(earlier, at, contentAt, rowAt);
      return { row: entries[earlier + rowAt] ?? 0, hasSameContent };
    }
    this.#size += 1;
    return undefined;
  }

  /** Where the entry with the same key as the one at `at` begins; if there is none, this one gets a slot. */
  #find(at: number): number | undefined {
    const slots = this.#slots;
    const lastSlot = this.#slotCount - 1;
    const firstWord = this.#entries[at] ?? 0;
    for (let slot = firstWord & lastSlot; ; slot = (slot + 1) & lastSlot) {
      const entry = slots[slot * wordsPerSlot + 1] ?? 0;
      if (entry === 0) {
        slots[slot * wordsPerSlot] = firstWord;
        slots[slot * wordsPerSlot + 1] = this.#size + 1;
        return undefined;
      }
      if (slots[slot * wordsPerSlot] !== firstWord) continue;
      const other = (entry - 1) * wordsPerEntry;
      if (this.#areSame(other, at, 0, keyWords)) return other;
    }
  }

  /** Whether two entries have the same words, from one word to before another. */
  #areSame(left: number, right: number, first: number, end: number): boolean {
    for (let word = first; word < end; word += 1) {
      if (this.#entries[left + word] !== this.#entries[right + word]) return false;
    }
    return true;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slotCount *= 2;
    this.#slots = new Uint32Array(this.#slotCount * wordsPerSlot);
    const entries = new Uint32Array((this.#slotCount / 2) * wordsPerEntry);
    entries.set(this.#entries);
    this.#entries = entries;
    const lastSlot = this.#slotCount - 1;
    for (let at = 0; at < old.length; at += wordsPerSlot) {
      const entry = old[at + 1] ?? 0;
      if (entry === 0) continue;
      const firstWord = old[at] ?? 0;
      let slot = firstWord & lastSlot;
      while (this.#slots[slot * wordsPerSlot + 1] !== 0) slot = (slot + 1) & lastSlot;
      this.#slots[slot * wordsPerSlot] = firstWord;
      this.#slots[slot * wordsPerSlot + 1] = entry;
    }
  }
}
