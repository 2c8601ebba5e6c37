/* What a person takes back who disowns an API key: what was created live with a sandbox key. */

import type { CurrencySum } from '../money/money.ts';

/** A batch with rows that are sent again once a key is disowned. */
export interface DisownedBatch {
  readonly id: string;
  /** Rows that were created with the key. */
  readonly created: number;
  /** Their amounts, by currency. */
  readonly sums: readonly CurrencySum[];
  /** Rows for which an object stands that was created with the key. */
  readonly existing: number;
  /** Rows that are ready and were never sent: their requests may name such an object, so they are written anew. */
  readonly ready: number;
}

/** What disowning a key would do. */
export interface Disowning {
  /** Whether anything was sent live with the key. */
  readonly isKnown: boolean;
  /** Rows that were sent with the key and have no conclusive answer. */
  readonly inDoubt: number;
  /** Rows that a person has named as created after they were sent with the key: these stay. */
  readonly decided: number;
  /** In the order of their ids. */
  readonly batches: readonly DisownedBatch[];
}
