/* Who is paid in a file that is being read: payees, accounts and references, in a few megabytes for any number of rows. */

import type { PayeeChange, PayeeSigns } from '../domain/rows/finding.ts';

/** The length of a key, one byte in each character. */
export const keyBytes = 16;

/**
 * A Bloom filter. A value that was added is always found; of a million other values about a hundred are found too. It
 * has four megabytes, enough for a file of a million rows, which are allocated for the first value.
 */
class Bits {
  #words = new Uint32Array(0);

  /** @returns whether it was there before */
  add(first: number, second: number): boolean {
    if (this.#words.length === 0) this.#words = new Uint32Array(wordsOfBits);
    let wasThere = true;
    for (const place of [first, Math.imul(second, oddFactor) ^ first]) {
      const [at, bit] = [(place >>> 5) & (wordsOfBits - 1), 1 << (place & 31)];
      const word = this.#words[at] ?? 0;
      if ((word & bit) === 0) wasThere = false;
      this.#words[at] = word | bit;
    }
    return wasThere;
  }

  has(first: number, second: number): boolean {
    if (this.#words.length === 0) return false;
    return [first, Math.imul(second, oddFactor) ^ first].every(
      (place) => ((this.#words[(place >>> 5) & (wordsOfBits - 1)] ?? 0) & (1 << (place & 31))) !== 0,
    );
  }

  clear(): void {
    this.#words = new Uint32Array(0);
  }
}

const wordsOfBits = 1 << 20;
const oddFactor = 0x9e3779b1;

/** Four bytes of a key as a number, from a place on. Each character of a key is one byte. */
export function wordAt(key: string, at: number): number {
  return (
    (key.charCodeAt(at) |
      (key.charCodeAt(at + 1) << 8) |
      (key.charCodeAt(at + 2) << 16) |
      (key.charCodeAt(at + 3) << 24)) >>>
    0
  );
}

/** Customer and name in 64 bits. Both keys are hashes, so combining them bit by bit gives a hash too. */
export function payeeMark({ customer, name }: Pick<PayeeSigns, 'customer' | 'name'>): {
  readonly first: number;
  readonly second: number;
} {
  return {
    first: (wordAt(customer, 0) ^ wordAt(name, 0)) >>> 0,
    second: (wordAt(customer, 4) ^ wordAt(name, 4)) >>> 0,
  };
}

/** Customer, account and name in 64 bits. */
function accountMark({ customer, account, name }: AccountOfName): [number, number] {
  const { first, second } = payeeMark({ customer, name: account });
  return [first ^ wordAt(name, 8), second ^ wordAt(name, 12)];
}

type AccountOfName = Pick<PayeeSigns, 'customer' | 'account' | 'name'>;

/** Used in place of the name where the ledger knows the account under that name, in whatever spelling. */
const knownName = '\0'.repeat(keyBytes);

/** The payees, accounts and references of a file's rows, which can be looked up while it is read and at its end. */
export class PayeesOfFile {
  readonly #payees = new Bits();
  readonly #accounts = new Bits();
  readonly #replaced = new Bits();
  readonly #references = new Bits();
  readonly #repeatedReferences = new Bits();

  /**
   * @param isKnown whether the ledger knows the account under this name, in whatever spelling
   * @returns whether the payee may have been there before
   */
  note(signs: AccountOfName, isKnown: boolean): boolean {
    this.#accounts.add(...accountMark(isKnown ? { ...signs, name: knownName } : signs));
    const { first, second } = payeeMark(signs);
    return this.#payees.add(first, second);
  }

  /** Notes the row of a known payee who was found to be paid at another account now. */
  noteReplaced({ batch, row }: PayeeChange['earlier']): void {
    this.#replaced.add(...hashOf(`${batch} ${row}`));
  }

  wasReplaced({ batch, row }: PayeeChange['earlier']): boolean {
    return this.#replaced.has(...hashOf(`${batch} ${row}`));
  }

  noteReference(reference: string): void {
    const [first, second] = hashOf(reference);
    if (this.#references.add(first, second)) this.#repeatedReferences.add(first, second);
  }

  hasPayee(payee: Pick<PayeeSigns, 'customer' | 'name'>): boolean {
    const { first, second } = payeeMark(payee);
    return this.#payees.has(first, second);
  }

  /**
   * Whether a customer still pays this name at this account. An account that is paid under another name does not count.
   */
  hasAccount(owner: AccountOfName): boolean {
    return [knownName, owner.name].some((name) => this.#accounts.has(...accountMark({ ...owner, name })));
  }

  /** Whether more than one row has a reference, so that it identifies none of them. */
  isRepeated(reference: string): boolean {
    return this.#repeatedReferences.has(...hashOf(reference));
  }

  clear(): void {
    const all = [this.#payees, this.#accounts, this.#replaced, this.#references, this.#repeatedReferences];
    for (const bits of all) bits.clear();
  }
}

/** Two hashes of a text, with different start values and factors (the first is FNV-1a). */
function hashOf(text: string): [number, number] {
  let [first, second] = [0x811c9dc5, 0x01234567];
  for (let at = 0; at < text.length; at += 1) {
    first = Math.imul(first ^ text.charCodeAt(at), 0x01000193);
    second = Math.imul(second ^ text.charCodeAt(at), 0x5bd1e995);
  }
  return [first >>> 0, (second ^ (second >>> 15)) >>> 0];
}
