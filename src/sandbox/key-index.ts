import type { Span } from './journal.ts';

const FIRST_CAPACITY = 1024;

/** What an idempotency key has been answered. */
export interface AnsweredKey {
  readonly answer: Span;
  readonly status: number;
  readonly fingerprint: number;
  /** Milliseconds since 1970 of the answer that counts. */
  readonly at: number;
  readonly slot: number;
}

/**
 * The idempotency keys that have an answer. A million of them must fit into a few hundred megabytes, so
 * only the key itself is an object of its own; everything else stands in columns of numbers.
 */
export class KeyIndex {
  readonly #slots = new Map<string, number>();
  #used = 0;
  #offsets = new Float64Array(FIRST_CAPACITY);
  #fingerprints = new Float64Array(FIRST_CAPACITY);
  #times = new Float64Array(FIRST_CAPACITY);
  #lengths = new Uint32Array(FIRST_CAPACITY);
  #statuses = new Uint16Array(FIRST_CAPACITY);
  #attempts = new Uint8Array(FIRST_CAPACITY);

  /** Remembers an answer; one that the key had before is forgotten. */
  set(
    key: string,
    entry: { answer: Span; status: number; fingerprint: number; at: number; attempt: number },
  ): void {
    if (this.#used === this.#offsets.length) this.#grow();
    const slot = this.#used++;
    this.#slots.set(key, slot);
    this.#offsets[slot] = entry.answer.offset;
    this.#lengths[slot] = entry.answer.length;
    this.#fingerprints[slot] = entry.fingerprint;
    this.#times[slot] = entry.at;
    this.#statuses[slot] = entry.status;
    this.#attempts[slot] = entry.attempt;
  }

  get(key: string): AnsweredKey | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined) return undefined;
    return {
      answer: { offset: this.#offsets[slot] ?? 0, length: this.#lengths[slot] ?? 0 },
      status: this.#statuses[slot] ?? 0,
      fingerprint: this.#fingerprints[slot] ?? 0,
      at: this.#times[slot] ?? 0,
      slot,
    };
  }

  /** Counts one more try of an answered key; stops at 255, where nothing depends on it any more. */
  countAttempt(slot: number): number {
    const attempt = Math.min((this.#attempts[slot] ?? 0) + 1, 255);
    this.#attempts[slot] = attempt;
    return attempt;
  }

  #grow(): void {
    const capacity = this.#used * 2;
    this.#offsets = enlarged(this.#offsets, new Float64Array(capacity));
    this.#fingerprints = enlarged(this.#fingerprints, new Float64Array(capacity));
    this.#times = enlarged(this.#times, new Float64Array(capacity));
    this.#lengths = enlarged(this.#lengths, new Uint32Array(capacity));
    this.#statuses = enlarged(this.#statuses, new Uint16Array(capacity));
    this.#attempts = enlarged(this.#attempts, new Uint8Array(capacity));
  }
}

function enlarged<A extends { set(from: A): void }>(from: A, to: A): A {
  to.set(from);
  return to;
}
