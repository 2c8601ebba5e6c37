import type { KycStatus, ObjectKind, RecordHeader, Span } from './journal.ts';
import { KeyIndex } from './key-index.ts';

interface ModeCounts {
  readonly created: Record<ObjectKind, number>;
  /** Objects beyond the first of each natural content: what an importer must never cause. */
  readonly duplicates: Record<ObjectKind, number>;
  refused: number;
  replayed: number;
}

/** What one pair of keys sees. */
export class ModeState {
  readonly customers = new Map<string, KycStatus>();
  /** Since when customers wait for their verification, in milliseconds since 1970. */
  readonly #pendingSince = new Map<string, number>();
  /** Account id to customer id. */
  readonly accounts = new Map<string, string>();
  readonly keys = new KeyIndex();
  /** Keys whose first answer is not out yet, with their fingerprint. */
  readonly underWay = new Map<string, number>();
  /** Tries of keys that have no answer yet. */
  readonly earlierAttempts = new Map<string, number>();
  readonly counts: ModeCounts = { created: zeros(), duplicates: zeros(), refused: 0, replayed: 0 };
  readonly #naturals: Record<ObjectKind, Set<number>> = {
    customers: new Set(),
    accounts: new Set(),
    collections: new Set(),
    external_accounts: new Set(),
  };

  /** Takes over what a journal line says, when it is written and again at the next start. */
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

  /** How far a customer's verification is; undefined when there is no such customer. */
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
