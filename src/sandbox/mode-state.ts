/* The state of a sandbox in one mode: its objects, and its idempotency keys with their answers. */

import type { KycStatus, ObjectKind, RecordHeader, Span } from './journal.ts';

const FIRST_CAPACITY = 1024;

/** The answer to an idempotency key. */
export interface AnsweredKey {
  readonly answer: Span;
  readonly status: number;
  readonly fingerprint: number;
  /** The time of the answer that counts, in milliseconds since 1970. */
  readonly at: number;
  readonly slot: number;
}

/**
 * The idempotency keys with an answer. A million keys must fit into a few hundred megabytes. So only the key itself is a
 * separate object, and everything else is in typed arrays of numbers.
 */
class KeyIndex {
  readonly #slots = new Map<string, number>();
  #used = 0;
  #offsets = new Float64Array(FIRST_CAPACITY);
  #fingerprints = new Float64Array(FIRST_CAPACITY);
  #times = new Float64Array(FIRST_CAPACITY);
  #lengths = new Uint32Array(FIRST_CAPACITY);
  #statuses = new Uint16Array(FIRST_CAPACITY);
  #attempts = new Uint8Array(FIRST_CAPACITY);

  /** Stores an answer. It replaces an earlier answer of the key. */
  set(key: string, entry: Omit<AnsweredKey, 'slot'> & { readonly attempt: number }): void {
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

  /** Counts another attempt of an answered key. Stops at 255, since higher counts have no effect. */
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

/** The counts of a sandbox's objects and answers in one mode. */
export interface ModeCounts {
  readonly created: Record<ObjectKind, number>;
  /** Number of duplicate objects by natural content. An importer must never cause them. */
  readonly duplicates: Record<ObjectKind, number>;
  refused: number;
  replayed: number;
}

/** The state that one pair of API keys can access. */
export class ModeState {
  readonly customers = new Map<string, KycStatus>();
  /** The start of customers' verification, in milliseconds since 1970. */
  readonly #pendingSince = new Map<string, number>();
  /** Account id to customer id. */
  readonly accounts = new Map<string, string>();
  readonly keys = new KeyIndex();
  /** Keys whose first request is being processed, with the fingerprint of that request. */
  readonly underWay = new Map<string, number>();
  /** Number of attempts of keys without an answer. */
  readonly earlierAttempts = new Map<string, number>();
  readonly counts: ModeCounts = { created: zeros(), duplicates: zeros(), refused: 0, replayed: 0 };
  readonly #naturals: Record<ObjectKind, Set<number>> = {
    customers: new Set(),
    accounts: new Set(),
    collections: new Set(),
    external_accounts: new Set(),
  };

  /** Applies a journal line: when it is written, and again at each later start. */
  apply(header: RecordHeader, answer: Span): void {
    const { kind, key, status = 0 } = header;
    if (kind === 'limits') return;
    if (kind === 'kyc') {
      if (header.id !== undefined && header.kyc !== undefined) this.#setKyc(header.id, header.kyc, header.at);
      return;
    }
    if (key !== undefined) {
      const { fingerprint = 0, at, attempt = 1 } = header;
      this.keys.set(key, { answer, status, fingerprint, at, attempt });
    }
    if (header.id === undefined) this.counts.refused += 1;
    else this.#addObject(kind, header.id, header);
  }

  /** The state of a customer's verification; undefined for an unknown customer. */
  kycOf(id: string, now: Date, kycAfterInMs: number | null): KycStatus | undefined {
    const status = this.customers.get(id);
    if (status !== 'pending' || kycAfterInMs === null) return status;
    return now.getTime() - (this.#pendingSince.get(id) ?? 0) >= kycAfterInMs ? 'passed' : status;
  }

  #setKyc(id: string, status: KycStatus, at: number): void {
    this.customers.set(id, status);
    if (status === 'pending') this.#pendingSince.set(id, at);
    else this.#pendingSince.delete(id);
  }

  #addObject(kind: ObjectKind, id: string, header: RecordHeader): void {
    if (kind === 'customers') this.#setKyc(id, header.kyc ?? 'pending', header.at);
    if (kind === 'accounts') this.accounts.set(id, header.customer ?? '');
    this.counts.created[kind] += 1;
    const natural = header.natural ?? 0;
    const known = this.#naturals[kind];
    if (known.has(natural)) this.counts.duplicates[kind] += 1;
    else known.add(natural);
  }
}

function zeros(): Record<ObjectKind, number> {
  return { customers: 0, accounts: 0, collections: 0, external_accounts: 0 };
}
