/* Running SQL: queries, array parameters, and reading a batch page by page. */

import type { Knex } from 'knex';
import type { RowState } from '../../domain/rows/row-state.ts';
import { type Columns, checkedRows, int4, orNull, type QueryResult } from './columns.ts';
import { compared } from './planner.ts';

/** A connection pool or an open database transaction: whatever runs a query. */
export type Database = Knex | Knex.Transaction;

/**
 * Runs one statement with `?` bindings and returns its rows.
 * @param columns what each row has; a statement that gives anything else is a mistake, and fails
 */
export async function query<Row>(
  database: Database,
  columns: Columns<Row>,
  sql: string,
  bindings: readonly unknown[] = [],
): Promise<Row[]> {
  const result: QueryResult = await database.raw(sql, [...bindings] as Knex.RawBinding[]);
  return checkedRows(columns, result);
}

/**
 * Runs one statement and returns its rows, whatever they are. For the temporary tables of a comparison only: the files
 * that ask are the ones that make these tables, and their columns follow from the files that are compared.
 */
export async function uncheckedRows<Row>(
  database: Database,
  sql: string,
  bindings: readonly unknown[] = [],
): Promise<Row[]> {
  const result: { rows: Row[] } = await database.raw(sql, [...bindings] as Knex.RawBinding[]);
  return result.rows;
}

/** Runs one statement and returns how many rows it changed, or gave. */
export async function execute(
  database: Database,
  sql: string,
  bindings: readonly unknown[] = [],
): Promise<number> {
  const result: { rowCount: number | null } = await database.raw(sql, [...bindings] as Knex.RawBinding[]);
  return result.rowCount ?? 0;
}

/** Rows of several batches by their batch. */
export function groupedById<Row extends { readonly id: string }>(
  rows: readonly Row[],
): Map<string, Omit<Row, 'id'>[]> {
  const groups = new Map<string, Omit<Row, 'id'>[]>();
  for (const { id, ...row } of rows) {
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [row]);
    else group.push(row);
  }
  return groups;
}

/** Formats a timestamp column as ISO 8601 in UTC with milliseconds, in SQL, so that nothing rounds it anew. */
export function isoUtc(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** SQL of the guard of a transition on rows that are found by their primary key. */
export function stateIs(alias: string, ...states: readonly RowState[]): string {
  return `${compared(`${alias}.state`)} IN (${states.map((state) => `'${state}'`).join(', ')})`;
}

/*
 * Arrays as parameters, each in one string. The driver writes an array element by element and Knex looks into
 * every element before: for each recorded answer that costs as much as half a request.
 */

/** For a parameter that is cast to an array of numbers, or of UUIDs; these and bigints are given as texts. */
export function numbersLiteral(values: readonly (number | string | null)[]): string {
  let literal = '';
  for (const value of values) literal += `,${value ?? 'NULL'}`;
  return `{${literal.slice(1)}}`;
}

/** For a parameter that is cast to `bytea[]`. */
export function bytesLiteral(values: readonly Buffer[]): string {
  let literal = '';
  for (const value of values) literal += `,\\\\x${value.toString('hex')}`;
  return `{${literal.slice(1)}}`;
}

/** SQL for a `text[]` whose bindings `textsBindings` gives. */
export const textsParameter = 'string_to_array(?, ?, ?)';

/**
 * The bindings of `textsParameter`: the texts in one, what separates them, and what stands for null. Answers
 * hold many quotes, and an array literal, in which each is escaped, costs both sides several times as much. What
 * PostgreSQL's texts cannot hold, the character NUL, is replaced.
 */
export function textsBindings(values: readonly (string | null)[]): [string, string, string] {
  const { separator, absent } = marksFor(values);
  let joined = '';
  for (const value of values) joined += separator + (value ?? absent);
  // An empty text would give an array without elements. One element too many is never joined to a row.
  const texts = values.length === 1 && values[0] === '' ? separator : joined.slice(separator.length);
  return [texts.includes('\0') ? texts.replaceAll('\0', '\uFFFD') : texts, separator, absent];
}

/**
 * It begins with a character that JSON escapes, so hardly any text contains it. A number makes it differ from any
 * text that does.
 */
function marksFor(values: readonly (string | null)[]): { separator: string; absent: string } {
  for (let number = 0; ; number += 1) {
    const suffix = number === 0 ? '' : String(number);
    const separator = `\x1f${suffix}`;
    const absent = `\x1e${suffix}`;
    if (values.every((value) => value === null || !(value.includes(separator) || value === absent))) {
      return { separator, absent };
    }
  }
}

/** How many rows are looked at for one page. */
const rowsPerPage = 2_000;

/** Rows of a batch after one row number, up to another and with it. */
export interface RowRange {
  readonly batchId: string;
  readonly afterRow: number;
  readonly lastRow: number;
}

/** The bindings of the SQL function `rows_between`, which gives what the view `rows` says of a range. */
export function rangeBindings({ batchId, afterRow, lastRow }: RowRange): [string, number, number] {
  return [batchId, afterRow, lastRow];
}

/**
 * Walks a batch's rows in ranges of equal cost and yields what is read of each, empty pages left out. No cursor
 * stays open, and no page reads more than its range, whatever it looks for.
 * @param read what to read of the rows of a range
 * @param fromAfter the row number after which to begin
 */
export async function* readPages<Row>(
  database: Database,
  batchId: string,
  read: (range: RowRange) => Promise<readonly Row[]>,
  fromAfter = 0,
): AsyncGenerator<readonly Row[]> {
  let afterRow = fromAfter;
  for (;;) {
    const lastRow = await endOfRange(database, batchId, afterRow);
    if (lastRow === null) return;
    const page = await read({ batchId, afterRow, lastRow });
    if (page.length > 0) yield page;
    afterRow = lastRow;
  }
}

/**
 * The first rows after a row number that a condition holds for, looked for range by range.
 * @param read what to read of the rows of a range, in row order
 */
export async function readFirst<Row>(
  database: Database,
  start: { readonly batchId: string; readonly afterRow: number; readonly limit: number },
  read: (range: RowRange) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  for await (const page of readPages(database, start.batchId, read, start.afterRow)) {
    found.push(...page.slice(0, start.limit - found.length));
    if (found.length >= start.limit) return found;
  }
  return found;
}

async function endOfRange(database: Database, batchId: string, afterRow: number): Promise<number | null> {
  const [end] = await query(
    database,
    { lastRow: orNull(int4) },
    `SELECT max(row_number) AS "lastRow" FROM (
       SELECT row_number FROM row_states WHERE batch_id = ? AND row_number > ?
       ORDER BY row_number LIMIT ${rowsPerPage}) page`,
    [batchId, afterRow],
  );
  return end?.lastRow ?? null;
}
