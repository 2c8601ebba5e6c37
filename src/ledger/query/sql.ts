import type { Knex } from 'knex';
import type { RowState } from '../../domain/rows/row-state.ts';

/** A connection pool or an open database transaction: whatever runs a query. */
export type Database = Knex | Knex.Transaction;

/** Runs one statement with `?` bindings and returns its rows, of the shape that the caller's SQL has. */
export async function query<Row>(
  database: Database,
  sql: string,
  bindings: readonly unknown[] = [],
): Promise<Row[]> {
  const result: { rows: Row[] } = await database.raw(sql, [...bindings] as Knex.RawBinding[]);
  return result.rows;
}

/** Runs one statement and returns how many rows it changed. */
export async function execute(
  database: Database,
  sql: string,
  bindings: readonly unknown[] = [],
): Promise<number> {
  const result: { rowCount: number | null } = await database.raw(sql, [...bindings] as Knex.RawBinding[]);
  return result.rowCount ?? 0;
}

/** Formats a timestamp column as ISO 8601 in UTC with milliseconds, in SQL, so that nothing rounds it anew. */
export function isoUtc(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/**
 * The guard of a transition on rows that are found by their primary key. The state is compared as an
 * expression, since on a table without fresh statistics the planner would otherwise walk the partial
 * index of that state once for every row.
 */
export function stateIs(alias: string, ...states: readonly RowState[]): string {
  return `${alias}.state || '' IN (${states.map((state) => `'${state}'`).join(', ')})`;
}
