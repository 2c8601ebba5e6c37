import type { Finding } from './finding.ts';
import type { Reason } from './ledger-row.ts';
import type { NormalisedRecord } from './record.ts';

/** A row that was never sent and names an institution, to be judged by a newer list of institutions. */
export interface RowToRecheck {
  readonly row: number;
  /** Null where the payee type follows from an institution that no complete list has had yet. */
  readonly resource: string | null;
  readonly record: NormalisedRecord;
  /** Only of a row without a resource: its cells as result files have them. */
  readonly cells: readonly string[] | null;
  /** Whether it is held because no complete list said if its institution exists. */
  readonly isUnverified: boolean;
}

/** A row that does not pass any more. */
export interface RecheckedRow {
  readonly row: number;
  readonly to: 'invalid' | 'held';
  readonly findings: readonly Finding[];
  readonly reason: Reason;
}

/** What a complete list says of a row that was held until there is one. */
export type VerifiedRow =
  | (RecheckedRow & { readonly to: 'invalid' })
  | {
      readonly row: number;
      readonly to: 'staged';
      /** What it was before, but for a row that had none. */
      readonly resource: string;
      /** With what the institution fills in. */
      readonly record: NormalisedRecord;
      /** Added to those that the row has. */
      readonly notes: readonly string[];
    };
