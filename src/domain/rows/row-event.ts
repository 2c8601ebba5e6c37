/* What happened to a row, one event after the other. */

import type { Attempt, OutcomeKind } from '../sending/outcome.ts';
import type { DecidedRow } from './ledger-row.ts';
import type { RowState } from './row-state.ts';

/** Something that happened to a row. A run is the place of one among the runs of its batch; null for a run of a lost ledger. */
export type RowEvent =
  | { readonly time: string; readonly event: 'staged' }
  | {
      readonly time: string;
      readonly event: 'request_written';
      readonly run: number | null;
      readonly idempotencyKey: string;
      readonly path: string;
    }
  | {
      /** When it left; of earlier versions, when it was recorded. */
      readonly time: string;
      readonly event: 'attempt';
      readonly run: number | null;
      readonly attempt: number;
      readonly idempotencyKey: string | null;
      readonly outcome: OutcomeKind;
      readonly reason: string | null;
      readonly httpStatus: number | null;
      readonly objectId: string | null;
      readonly durationInMs: number;
      /** The answer's body; null where none was kept. */
      readonly answer: string | null;
    }
  | {
      readonly time: string;
      readonly event: 'verdict';
      readonly verdict: DecidedRow['verdict'];
      readonly fromState: DecidedRow['fromState'];
      readonly objectId: string | null;
      /** How many requests of the row it was given about. */
      readonly attempts: number;
      readonly note: string;
      readonly decidedBy: string;
    }
  | {
      readonly time: string;
      readonly event: 'late_answer';
      /** Of the object that the API created when the row was given up. */
      readonly objectId: string;
      readonly idempotencyKey: string;
    };

/** A request of a row with its answer, and where the row stands, as a run log has to tell of them. Times are ISO 8601. */
export interface LoggableAnswer {
  readonly row: number;
  readonly state: RowState;
  readonly rowGeneration: number;
  readonly objectId: string | null;
  readonly code: string | null;
  readonly changedAt: string;
  readonly key: string;
  readonly generation: number;
  /** In hex. */
  readonly requestHash: string;
  readonly writtenAt: string;
  /** Null where nothing is known of a request under the key, which may have been sent anyway. */
  readonly attempt: (Omit<Attempt, 'answer' | 'sentAfterMs'> & { readonly recordedAt: string }) | null;
}
