/** Bytes of a hash that stand in the index: 128 bits, so that no two rows of any file meet by chance. */
const keyWords = 4;
const contentWords = 2;
const wordsPerSlot = keyWords + contentWords + 1;
const initialSlots = 1 << 12;

/** The earlier row with the same natural key, and whether its content is the same too. */
export interface EarlierRow {
  readonly row: number;
  readonly hasSameContent: boolean;
}

/**
 * Remembers the natural keys of a file's rows in 28 bytes each, so that a million rows fit into some
 * tens of megabytes: an open-addressing hash table over one typed array.
 */
export class NaturalKeyIndex {
  #slots = initialSlots;
  #words = new Uint32Array(initialSlots * wordsPerSlot);
  #size = 0;

  /**
   * Adds a row, unless an earlier one has its key.
   * @param key SHA-256 of the natural key
   * @param content SHA-256 of what is sent
   * @returns the earlier row, or undefined when this is the first
   */
  add(key: Buffer, content: Buffer, row: number): EarlierRow | undefined {
    if (this.#size * 3 >= this.#slots * 2) this.#grow();
    const words = [0, 4, 8, 12].map((at) => key.readUInt32LE(at));
    const contents = [0, 4].map((at) => content.readUInt32LE(at));
    const at = this.#find(words);
    if (this.#words[at + wordsPerSlot - 1] === 0) {
      this.#words.set([...words, ...contents, row], at);
      this.#size += 1;
      return undefined;
    }
    const hasSameContent = contents.every((word, index) => this.#words[at + keyWords + index] === word);
    return { row: this.#words[at + wordsPerSlot - 1] ?? 0, hasSameContent };
  }

  /** The position of the key's slot, or of the empty one where it belongs. Row numbers begin at 1. */
  #find(words: readonly number[]): number {
    let slot = (words[0] ?? 0) % this.#slots;
    for (;;) {
      const at = slot * wordsPerSlot;
      if (this.#words[at + wordsPerSlot - 1] === 0) return at;
      if (words.every((word, index) => this.#words[at + index] === word)) return at;
      slot = (slot + 1) % this.#slots;
    }
  }

  #grow(): void {
    const old = this.#words;
    this.#slots *= 2;
    this.#words = new Uint32Array(this.#slots * wordsPerSlot);
    for (let at = 0; at < old.length; at += wordsPerSlot) {
      if (old[at + wordsPerSlot - 1] === 0) continue;
      const entry = old.subarray(at, at + wordsPerSlot);
      this.#words.set(entry, this.#find([...entry.subarray(0, keyWords)]));
    }
  }
}
