/* The events of run logs, as far as a rebuilt ledger needs them. */

import type { ClaimedRange } from '../domain/batches/batch.ts';
import type { LoggedAnswer } from '../domain/rows/ledger-row.ts';

/** What a run log has on a row and its keys: the parts of its events that a rebuilt ledger needs. */
export type LoggedEvent =
  | {
      readonly event: 'run.started';
      readonly time: string;
      readonly batch: string;
      readonly run: string;
      /** The process of the run, and its host; null in old logs. */
      readonly host: string | null;
      readonly process: string | null;
      readonly mode: 'sandbox' | 'live';
      readonly origin: string;
      readonly content_hash: string;
      readonly reading_hash: string;
      readonly sheet: string | null;
      readonly credential: string | null;
    }
  | { readonly event: 'run.finished'; readonly batch: string; readonly run: string }
  | {
      readonly event: 'claim.made';
      readonly batch: string;
      readonly run: string;
      readonly claim: number;
      readonly rows?: readonly ClaimedRange[] | undefined;
    }
  | { readonly event: 'batch.closed'; readonly batch: string; readonly run: string }
  | {
      readonly event: 'row.staged';
      readonly time: string;
      readonly batch: string;
      readonly row: number;
      readonly key: string;
      readonly generation: number;
      readonly request_hash: string;
    }
  | {
      readonly event: 'row.answered';
      readonly time: string;
      readonly batch: string;
      readonly row: number;
      readonly key: string;
      readonly attempt: number;
      readonly status: number | null;
      readonly outcome: string;
      readonly reason: string | null;
      readonly id: string | null;
      readonly duration_ms: number;
    }
  | {
      readonly event: 'row.final';
      readonly time: string;
      readonly batch: string;
      readonly row: number;
      readonly key: string | null;
      readonly status: string;
      readonly id: string | null;
      readonly code: string | null;
    }
  | {
      readonly event: 'row.resolved';
      readonly time: string;
      readonly batch: string;
      readonly row: number;
      readonly key: string | null;
      readonly verdict: string;
      readonly id: string | null;
    }
  | {
      /** Not a line of the log: a result file beside it has the row as created. */
      readonly event: 'row.shown';
      readonly time: string;
      readonly batch: string;
      readonly row: number;
      /** Null where that file has none. */
      readonly key: string | null;
      readonly id: string;
    }
  | { readonly event: 'other'; readonly batch: string };

/** An event, and its position: in which of the logs that are read, and in which line. */
export type PlacedEvent = LoggedEvent & {
  readonly place?: { readonly log: number; readonly line: number };
};

/** What a run log has on a row, with the fingerprint of the API key that was in use then. */
export type LoggedRowEvent = Exclude<
  PlacedEvent,
  { event: 'run.started' | 'run.finished' | 'claim.made' | 'batch.closed' | 'other' }
> & {
  readonly credential: string | null;
};

export type StartedEvent = Extract<LoggedEvent, { event: 'run.started' }>;

/* What run logs have on a row and its keys. */

/** What is known of one row's newest key. */
export interface LoggedRow {
  /** Null where the log has answers under the key, but the line with the key itself was cut off. */
  readonly generation: number | null;
  readonly key: string;
  /** SHA-256 of the request that belongs to the key, in hex; null like the generation. */
  readonly requestHash: string | null;
  /** When the key was first written down: no request under it was earlier, unless that line is missing. ISO 8601, UTC. */
  readonly firstStagedAt: string;
  /** Fingerprint of the API key under which the row's key was last sent, or else last claimed; null in old logs. */
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
      /** Present where the answer contradicted the request. */
      readonly code?: string;
      /** The API's answer that shows it; absent where a person stated it. */
      readonly answer?: LoggedAnswer;
    }
  | { readonly state: 'rejected' | 'waiting' | 'held'; readonly code: string | null }
  | { readonly state: 'unknown' }
  /** Several keys, and nothing shows which of them was used. */
  | { readonly state: 'unclear' };

/**
 * The end of a row that needs no request of its own: another row's object, a person's decision, its correction, a closed
 * batch.
 */
export type EndWithoutRequest =
  | { readonly state: 'existing'; readonly objectId: string }
  | { readonly state: 'held'; readonly code: string | null }
  | { readonly state: 'superseded' | 'closed' };
