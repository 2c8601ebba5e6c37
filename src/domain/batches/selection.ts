/* Rows that a person selects by what they have in common, to decide about all of them at once. */

import type { CurrencySum } from '../money/money.ts';
import type { Verdict } from '../rows/ledger-row.ts';

/** A row that waits for a person, with the values by which it may be selected. */
export interface SelectableRow {
  readonly row: number;
  readonly state: 'held' | 'unknown';
  readonly code: string | null;
  readonly generation: number;
  /** Requests that were sent for it, or may have been. */
  readonly attempts: number;
  readonly idempotencyKey: string | null;
  /** Null where the row has none. */
  readonly amount: string | null;
  readonly currency: string | null;
  /** As the file has them. */
  readonly cells: readonly string[];
}

/** One of the rows that are shown of a selection. */
export interface SelectionSample {
  readonly row: number;
  readonly status: 'held' | 'unknown';
  readonly code: string | null;
  /** Of the person or the account in the row; empty where it has none. */
  readonly name: string;
  /** With its currency; empty where it has none. */
  readonly amount: string;
  /** paybatch's own reference, by which the other side may know it. */
  readonly reference: string;
  readonly attempts: number;
}

/** The rows that a bulk verdict is for, as shown to a person. */
export interface Selection {
  /** Over the rows, their state, and the verdict: another hash means that something has changed. */
  readonly hash: string;
  readonly verdict: Verdict;
  readonly rows: number;
  /** How many of them were sent more than once. */
  readonly sentRepeatedly: number;
  /** Of the rows with an amount and a currency. */
  readonly sums: readonly CurrencySum[];
  /** The first of them. */
  readonly samples: readonly SelectionSample[];
}
