/* The events of run logs, as far as a rebuilt ledger needs them. */

import type { ClaimedRange } from '../domain/batches/run-log.ts';

/** What a run log says about a row and its keys; the parts of its events that a rebuilt ledger needs. */
export type LoggedEvent =
  | {
      readonly event: 'run.started';
      readonly time: string;
      readonly batch: string;
      readonly run: string;
      /** The process that it is, and its host; null in old logs. */
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
      /** No line of the log: a result file beside it has the row as created. */
      readonly event: 'row.shown';
      readonly time: string;
      readonly batch: string;
      readonly row: number;
      /** Null where that file has none. */
      readonly key: string | null;
      readonly id: string;
    }
  | { readonly event: 'other'; readonly batch: string };

/** An event, and where it stands: in which of the logs that are read, and in which of its lines. */
export type PlacedEvent = LoggedEvent & {
  readonly place?: { readonly log: number; readonly line: number };
};

/** What a run log says about a row, with the fingerprint of the API key that was in use then. */
export type LoggedRowEvent = Exclude<
  PlacedEvent,
  { event: 'run.started' | 'run.finished' | 'claim.made' | 'batch.closed' | 'other' }
> & {
  readonly credential: string | null;
};

export type StartedEvent = Extract<LoggedEvent, { event: 'run.started' }>;
