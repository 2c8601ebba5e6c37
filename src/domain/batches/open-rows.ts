/** What is known of a batch's rows in doubt: sent, and without a conclusive answer. */
export interface RowsInDoubt {
  /** The oldest first sending of a row that is still in doubt (ISO 8601, UTC). */
  readonly oldestSentAt: string;
  /** When the key of that row runs out: from then on only a person may decide about it. */
  readonly oldestRunsOutAt: string;
  /** When the first key runs out of those rows that the next run sends again; null where there are none. */
  readonly nextRunsOutAt: string | null;
  /** Rows whose keys have run out; the next run holds them. */
  readonly expired: number;
  /** Rows with a key that has not run out, under which two runs or more have sent them without a conclusive answer. */
  readonly unsettled: number;
}

/** The waiting rows of a batch that wait for the same. */
export interface WaitingRows {
  /** Why: `customer_not_there`, or the code of a refusal that time mends (`kyc_required`). */
  readonly code: string;
  readonly rows: number;
  /** When the one that waits longest began to wait, or was refused last; ISO 8601, UTC. */
  readonly since: string;
}
