/* What a plan is made of: its rows, and their totals in groups. */

import type { RowToPrepare } from '../rows/ledger-row.ts';
import type { ResultStatus, RowState } from '../rows/row-state.ts';

/** A row that a plan is about: one that may be sent, or that its batch has sent. */
export interface RowToPlan extends RowToPrepare {
  readonly state: RowState;
}

/** Rows that would be sent and have resource, institution and currency in common. */
export interface PlanGroup {
  readonly resource: string;
  /** Null where the rail knows no institutions, or the row names none. */
  readonly institution: string | null;
  readonly currency: string | null;
  readonly rows: number;
  readonly rowsWithAmount: number;
  /** The exact sum as a plain decimal; null when no row has an amount. */
  readonly amount: string | null;
}

/** Rows that would not be sent, and why. */
export interface SkippedGroup {
  readonly status: ResultStatus;
  /** The first finding's code; `duplicate` for rows that repeat an earlier one of their file. */
  readonly code: string | null;
  readonly rows: number;
  readonly firstRow: number;
}

/** Rows of which a plan that is only looked at has found what a run would make of them; the ledger does not know it yet. */
export interface ForeseenRows {
  /** They would not be sent. */
  readonly left: readonly { readonly row: number; readonly status: ResultStatus; readonly code: string }[];
  /** They wait, and would be sent, since what they wait for is there. */
  readonly released: readonly number[];
}

export interface PlanTotals {
  readonly send: readonly PlanGroup[];
  readonly skip: readonly SkippedGroup[];
}
