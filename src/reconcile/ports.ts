/* The interfaces of reconciliation to the ledger, the source file and the database. */

import type { CurrencySum } from '../domain/money/expectation.ts';
import type { Contradiction } from '../domain/rows/finding.ts';
import type { RowToResolve } from '../domain/rows/ledger-row.ts';
import type { ResultRow } from '../domain/rows/result-row.ts';
import type { StatusCounts } from '../domain/rows/row-state.ts';
import type { TableRow } from '../domain/tables/table.ts';

/** The queries for deciding about rows of one batch. */
export interface ResolvePort {
  readonly findRows: (rows: readonly number[]) => Promise<readonly RowToResolve[]>;
  /** By row: the id of the object that another row created for the same natural key. */
  readonly findOtherObjects: (rows: readonly RowToResolve[]) => Promise<ReadonlyMap<number, string>>;
  /** By object id: the row that created it. */
  readonly findCreators: (
    objectIds: readonly string[],
  ) => Promise<ReadonlyMap<string, { readonly batch: string; readonly row: number }>>;
}

/** A verdict's entry in the run log. */
export interface ResolvedEvent {
  readonly event: 'row.resolved';
  readonly row: number;
  readonly key: string | null;
  readonly attempt: number;
  readonly verdict: 'created' | 'existing' | 'staged';
  readonly id: string | null;
}

/** The source file of a batch, whose content is the one that was imported. */
export interface AccountedSource {
  readonly rows: () => AsyncIterable<readonly TableRow[]>;
  readonly read: (row: TableRow) => {
    /** The row's amount and currency, normalised; null where it has none. */
    readonly sum: { readonly currency: string; readonly amount: string } | null;
    /** The row's cells as stored in the ledger. */
    readonly keptCells: readonly string[];
  };
}

/** The ledger queries for accounting for a batch's rows. */
export interface AccountPort {
  readonly countStatuses: (batchId: string) => Promise<StatusCounts>;
  readonly sumAmounts: (batchId: string) => Promise<readonly CurrencySum[]>;
  readonly readResultRows: (batchId: string) => AsyncIterable<readonly ResultRow[]>;
  readonly readAnsweredRows: (batchId: string) => AsyncIterable<
    readonly {
      readonly row: number;
      readonly resource: string;
      readonly objectId: string;
      readonly body: Buffer;
      readonly answer: string | null;
    }[]
  >;
  readonly findContradictions: (batchId: string, limit: number) => Promise<readonly Contradiction[]>;
}

/** One connection's database transaction; its temporary tables end with it. */
export interface SqlPort {
  readonly run: (sql: string, bindings?: readonly unknown[]) => Promise<void>;
  readonly query: <Row>(sql: string, bindings?: readonly unknown[]) => Promise<Row[]>;
}
