/* What run logs say of a row and its keys. */

import type { LoggedAnswer } from '../domain/rows/ledger-row.ts';

/** What is known of one row's newest key. */
export interface LoggedRow {
  /** Null where the log has answers under the key, and not the line with the key itself: that was cut off. */
  readonly generation: number | null;
  readonly key: string;
  /** SHA-256 of the request that belongs to the key, in hex; null like the generation. */
  readonly requestHash: string | null;
  /** When the key was first written down: no request under it was earlier, unless that line is missing. ISO 8601, UTC. */
  readonly firstStagedAt: string;
  /** Fingerprint of the API key that the row's key was last sent, or else last in hand, under; null in old logs. */
  readonly credential: string | null;
  readonly attempts: number;
  readonly httpStatus: number | null;
  /** Whether a request under the key ended, with or without an answer. */
  readonly isTried: boolean;
  readonly end: RowEnd;
}

/** How a row's newest key ended. Without an end it may have been sent, and may exist. */
export type RowEnd =
  | {
      readonly state: 'created';
      readonly objectId: string;
      /** Where the answer contradicted what was sent. */
      readonly code?: string;
      /** The API's answer that says so; absent where a person said it. */
      readonly answer?: LoggedAnswer;
    }
  | { readonly state: 'rejected' | 'waiting' | 'held'; readonly code: string | null }
  | { readonly state: 'unknown' }
  /** Several keys, and nothing that tells which of them was used. */
  | { readonly state: 'unclear' };

/** Where a row ended that needs no request of its own: another row's object, a person's word, its correction, a closed batch. */
export type RestingPlace =
  | { readonly state: 'existing'; readonly objectId: string }
  | { readonly state: 'held'; readonly code: string | null }
  | { readonly state: 'superseded' | 'closed' };
