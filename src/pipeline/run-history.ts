/** What a run log says about a row and its keys; the parts of its events that a rebuilt ledger needs. */
export type LoggedEvent =
  | {
      readonly event: 'run.started';
      readonly time: string;
      readonly batch: string;
      readonly mode: 'sandbox' | 'live';
      readonly origin: string;
      readonly content_hash: string;
      readonly reading_hash: string;
      readonly sheet: string | null;
      readonly credential: string | null;
    }
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
      readonly batch: string;
      readonly row: number;
      readonly key: string;
      readonly attempt: number;
      readonly status: number | null;
      readonly outcome: string;
      readonly reason: string | null;
      readonly id: string | null;
    }
  | {
      readonly event: 'row.final';
      readonly batch: string;
      readonly row: number;
      readonly key: string | null;
      readonly status: string;
      readonly id: string | null;
      readonly code: string | null;
    }
  | { readonly event: 'other'; readonly batch: string };

/** What is known of one row's newest key. */
export interface RowHistory {
  readonly generation: number;
  readonly key: string;
  /** SHA-256 of the request that belongs to the key, in hex. */
  readonly requestHash: string;
  /** When the key was first written down: no request under it was earlier. ISO 8601, UTC. */
  readonly firstStagedAt: string;
  /** Fingerprint of the API key that was in use when the row's key was last in hand; null in old logs. */
  readonly credential: string | null;
  readonly attempts: number;
  readonly httpStatus: number | null;
  readonly end: RowEnd;
}

/** How a row's newest key ended. Without an end it may have been sent, and may exist. */
export type RowEnd =
  | { readonly state: 'created'; readonly objectId: string }
  | { readonly state: 'rejected' | 'held'; readonly code: string | null }
  | { readonly state: 'unknown' };

/** One batch's history, from its run logs. */
export interface BatchHistory {
  readonly batch: string;
  readonly started: Extract<LoggedEvent, { event: 'run.started' }>;
  readonly rows: ReadonlyMap<number, RowHistory>;
}

/**
 * Puts a batch's history together. The newest key of a row counts: an older one was refused conclusively,
 * or given up by a person.
 * @param events of one batch's logs, each log in its own order
 * @throws Error when the logs belong to several batches, or hold no run
 */
export async function readHistory(events: AsyncIterable<LoggedEvent>): Promise<BatchHistory> {
  let started: BatchHistory['started'] | undefined;
  const rows = new Map<number, RowHistory>();
  for await (const event of events) {
    if (started !== undefined && event.batch !== started.batch) {
      throw new Error('the run logs belong to several batches');
    }
    if (event.event === 'run.started') started = event;
    else if (event.event === 'row.staged') noteStaged(rows, event, started?.credential ?? null);
    else if (event.event === 'row.answered') noteAnswered(rows, event);
    else if (event.event === 'row.final') noteFinal(rows, event);
  }
  if (started === undefined) throw new Error('the run log holds no run');
  return { batch: started.batch, started, rows };
}

function noteStaged(
  rows: Map<number, RowHistory>,
  event: Extract<LoggedEvent, { event: 'row.staged' }>,
  credential: string | null,
): void {
  const earlier = rows.get(event.row);
  if (earlier !== undefined && earlier.generation > event.generation) return;
  if (earlier?.key === event.key) {
    rows.set(event.row, { ...earlier, credential });
    return;
  }
  // A key that has an answer was used; one that never got further than the log, beside it, was not.
  if (earlier?.generation === event.generation && earlier.attempts > 0) return;
  rows.set(event.row, {
    generation: event.generation,
    key: event.key,
    requestHash: event.request_hash,
    firstStagedAt: event.time,
    credential,
    attempts: earlier?.attempts ?? 0,
    httpStatus: null,
    end: { state: 'unknown' },
  });
}

function noteAnswered(
  rows: Map<number, RowHistory>,
  event: Extract<LoggedEvent, { event: 'row.answered' }>,
): void {
  const row = rows.get(event.row);
  if (row === undefined || row.key !== event.key) return;
  const end: RowEnd =
    event.outcome === 'created' && event.id !== null ? { state: 'created', objectId: event.id } : row.end;
  rows.set(event.row, {
    ...row,
    attempts: Math.max(row.attempts, event.attempt),
    httpStatus: event.status,
    end,
  });
}

function noteFinal(rows: Map<number, RowHistory>, event: Extract<LoggedEvent, { event: 'row.final' }>): void {
  const row = rows.get(event.row);
  if (row === undefined || row.key !== event.key) return;
  const end = endOf(event);
  if (end !== undefined) rows.set(event.row, { ...row, end });
}

function endOf({ status, id, code }: Extract<LoggedEvent, { event: 'row.final' }>): RowEnd | undefined {
  if (status === 'created' && id !== null) return { state: 'created', objectId: id };
  if (status === 'rejected' || status === 'held') return { state: status, code };
  return undefined;
}
