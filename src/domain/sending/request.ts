import type { OutcomeKind } from './outcome.ts';

/**
 * One stored request: these bytes, this path, this key, and nothing else, however often it is tried.
 */
export interface StoredRequest {
  readonly path: string;
  readonly idempotencyKey: string;
  readonly body: Buffer;
}

/** One HTTP request as the ledger and the run log remember it. */
export interface Attempt {
  /** Counts the requests of this row from 1, over all runs. */
  readonly number: number;
  readonly outcome: OutcomeKind;
  /** A stable code: the unknown reason, the refusal's code, the stop reason; null when created. */
  readonly reason: string | null;
  readonly httpStatus: number | null;
  readonly objectId: string | null;
  readonly durationInMs: number;
  /** When it left, in milliseconds after the first request of its claim; absent where nobody measured it. */
  readonly sentAfterMs?: number;
  /** The answer's body as text when it was read whole and is of moderate size; evidence for reconciliation. */
  readonly answer: string | null;
}
