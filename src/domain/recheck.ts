import type { Finding } from './finding.ts';
import type { Reason } from './ledger-row.ts';
import type { NormalisedRecord } from './record.ts';

/** A row that was never sent and names an institution, to be judged by a newer list of institutions. */
export interface RowToRecheck {
  readonly row: number;
  readonly resource: string;
  readonly record: NormalisedRecord;
}

/** A row that does not pass any more. */
export interface RecheckedRow {
  readonly row: number;
  readonly to: 'invalid' | 'held';
  readonly findings: readonly Finding[];
  readonly reason: Reason;
}
