/* The payees of a file, in some sixteen bytes each. */

/** How many bytes stand for a payee, a byte in each character. */
export const payeeBytes = 8;
const wordsPerPayee = 2;
const initialCapacity = 1 << 10;

/** A set of payees that numbers them in the order in which they come: an open-addressing hash table of the numbers. */
export class PayeeSet {
  #size = 0;
  #words = new Uint32Array(initialCapacity * wordsPerPayee);
  /** A slot has the number of a payee plus one, or 0. */
  #slots = new Uint32Array(initialCapacity * 2);

  get size(): number {
    return this.#size;
  }

  /**
   * @param from where the payee begins in the text
   * @returns the payee's number; that of a new one is the size before
   */
  add(payee: string, from = 0): number {
    const slot = this.#slotOf(payee, from);
    const known = this.#slots[slot] ?? 0;
    if (known !== 0) return known - 1;
    if ((this.#size + 1) * wordsPerPayee > this.#words.length) {
      this.#grow();
      return this.add(payee, from);
    }
    const at = this.#size * wordsPerPayee;
    this.#words[at] = wordOf(payee, from);
    this.#words[at + 1] = wordOf(payee, from + payeeBytes / wordsPerPayee);
    this.#size += 1;
    this.#slots[slot] = this.#size;
    return this.#size - 1;
  }

  /** The number of a payee; -1 where it is not there. @param from where it begins in the text */
  numberOf(payee: string, from = 0): number {
    return (this.#slots[this.#slotOf(payee, from)] ?? 0) - 1;
  }

  /** The slot that has a payee, or the free one that is for it. */
  #slotOf(payee: string, from: number): number {
    return this.#freeOrSame(wordOf(payee, from), wordOf(payee, from + payeeBytes / wordsPerPayee));
  }

  #freeOrSame(first: number, second: number): number {
    const lastSlot = this.#slots.length - 1;
    for (let slot = first & lastSlot; ; slot = (slot + 1) & lastSlot) {
      const known = this.#slots[slot] ?? 0;
      if (known === 0) return slot;
      const at = (known - 1) * wordsPerPayee;
      if (this.#words[at] === first && this.#words[at + 1] === second) return slot;
    }
  }

  #grow(): void {
    const before = this.#words;
    this.#words = new Uint32Array(before.length * 2);
    this.#words.set(before);
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let number = 0; number < this.#size; number += 1) {
      const at = number * wordsPerPayee;
      this.#slots[this.#freeOrSame(this.#words[at] ?? 0, this.#words[at + 1] ?? 0)] = number + 1;
    }
  }
}

function wordOf(payee: string, from: number): number {
  return (
    (payee.charCodeAt(from) |
      (payee.charCodeAt(from + 1) << 8) |
      (payee.charCodeAt(from + 2) << 16) |
      (payee.charCodeAt(from + 3) << 24)) >>>
    0
  );
}
