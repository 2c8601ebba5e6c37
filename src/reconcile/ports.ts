import type { NormalisedRecord } from '../domain/record.ts';
import type { RowState } from '../domain/row-state.ts';
import type { Verdict } from './verdict.ts';

/** A row that a person decides about, as the ledger knows it. */
export interface ResolvingRow {
  readonly row: number;
  readonly state: RowState;
  readonly resource: string | null;
  readonly record: NormalisedRecord;
  readonly generation: number;
  readonly code: string | null;
  readonly attempts: number;
  readonly idempotencyKey: string | null;
  readonly wasSent: boolean;
}

/** A verdict as the ledger keeps it. */
export interface StoredVerdict {
  readonly row: number;
  readonly fromState: 'held' | 'unknown';
  readonly verdict: Verdict;
  readonly to: 'created' | 'existing' | 'staged';
  readonly objectId: string | null;
  readonly note: string;
  readonly message: string;
}

/** What deciding about rows of one batch may ask. */
export interface ResolvePort {
  readonly findRows: (rows: readonly number[]) => Promise<readonly ResolvingRow[]>;
  /** By row: the id of the object that another row made for the same natural key. */
  readonly findOtherObjects: (rows: readonly ResolvingRow[]) => Promise<ReadonlyMap<number, string>>;
  /** By object id: the row that created it. */
  readonly findCreators: (
    objectIds: readonly string[],
  ) => Promise<ReadonlyMap<string, { readonly batch: string; readonly row: number }>>;
}

/** What the run log notes of a verdict. */
export interface ResolvedEvent {
  readonly event: 'row.resolved';
  readonly row: number;
  readonly key: string | null;
  readonly attempt: number;
  readonly verdict: 'created' | 'existing' | 'staged';
  readonly id: string | null;
}
