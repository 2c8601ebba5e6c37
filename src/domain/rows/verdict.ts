import type { NormalisedRecord } from './record.ts';
import type { RowState } from './row-state.ts';

/** What a person can say about a row that only a person may decide. */
export const verdicts = ['created', 'not-created', 'existing', 'send'] as const;

export type Verdict = (typeof verdicts)[number];

export function isVerdict(text: string): text is Verdict {
  return (verdicts as readonly string[]).includes(text);
}

/** A row as it stands before a person's verdict on it. */
export interface RowToResolve {
  readonly row: number;
  readonly state: RowState;
  /** Null while nobody knows its payee type. */
  readonly resource: string | null;
  readonly record: NormalisedRecord;
  readonly generation: number;
  readonly code: string | null;
  readonly message: string | null;
  readonly httpStatus: number | null;
  /** When a request of its key first left; null when none did. */
  readonly firstSentAt: string | null;
  /** Requests that were ever sent for it, or may have been. */
  readonly attempts: number;
  readonly idempotencyKey: string | null;
}

/** What a person decided about a row, and the state that follows from it. */
export interface DecidedRow {
  readonly row: number;
  readonly fromState: 'held' | 'unknown';
  /** Of how many requests the person knew: the verdict holds only while there are no more. */
  readonly attempts: number;
  readonly verdict: Verdict;
  readonly to: 'created' | 'existing' | 'staged';
  readonly objectId: string | null;
  readonly note: string;
  /** For the result files: what was decided, without the note. */
  readonly message: string;
}
