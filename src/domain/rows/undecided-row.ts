import type { NormalisedRecord } from './record.ts';
import type { RowState } from './row-state.ts';

/** A row that only a person, or the next run, moves on: with all that its history tells. */
export interface UndecidedRow {
  readonly row: number;
  readonly state: Extract<RowState, 'unknown' | 'held' | 'sending'>;
  readonly idempotencyKey: string | null;
  readonly record: NormalisedRecord;
  readonly code: string | null;
  readonly message: string | null;
  readonly attempts: number;
  readonly httpStatus: number | null;
  /** When a request of its key first left; null when none did. */
  readonly firstSentAt: string | null;
  readonly changedAt: string;
  /** Since the first sending, or, when nothing was sent, since its state last changed; by the ledger's clock. */
  readonly ageInMs: number;
  /** Whether two runs or more have sent it under its key without a conclusive answer. */
  readonly isUnsettled: boolean;
}

/** A doubtful row as a person reads about it. */
export interface RowAdvice {
  readonly row: number;
  readonly status: 'unknown' | 'held';
  readonly key: string | null;
  /** Requests that were ever sent for it, or may have been. */
  readonly attempts: number;
  /** Of the person or the account that the row is about; empty where it has none. */
  readonly name: string;
  /** With its currency. */
  readonly amount: string;
  /** Our own, by which the other side may know it. */
  readonly reference: string;
  /** `3 days`, `4 hours`. */
  readonly age: string;
  readonly known: string;
  readonly advice: string;
}
