/* How a file compares with the last one of its series. */

import type { CurrencySum } from '../money/expectation.ts';

/** What files of one series have in common; null where a file has nothing of the kind. */
export interface SeriesKeys {
  /** What is left of its name without dates and numbers. */
  readonly name: string | null;
  /** Its header, where it is read with a mapping that is remembered for that. */
  readonly mapping: string | null;
}

/** The batch of a series that a file is compared with. */
export interface SeriesBatch {
  readonly batch: string;
  readonly file: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** Rows of a batch, and whom they pay. */
export interface PayeesOfRows {
  readonly batch: string;
  readonly rows: readonly number[];
  /** Of each row its payee, in 8 bytes, a byte in each character. */
  readonly payees: string;
}

/** Payees, and the amounts of their rows. A payee is a customer and a name, written differently or not. */
export interface PayeeGroup {
  readonly payees: number;
  readonly sums: readonly CurrencySum[];
}

/** A file beside the last one of its series. Rows that are invalid count in neither. */
export interface SeriesComparison {
  readonly earlier: SeriesBatch & { readonly payees: number };
  readonly payees: number;
  /** Payees of this file that the earlier one does not have. */
  readonly fresh: PayeeGroup;
  /** Payees of the earlier file that this one does not have. */
  readonly missing: PayeeGroup;
}
