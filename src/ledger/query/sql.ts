/* Runs SQL: statements with the columns that they return, and how a verb of the ledger is declared. */

import type { Knex } from 'knex';

/* The rows of a statement. Each column and its type are declared beside the statement, and compared with the result. */

/** A PostgreSQL type as the driver returns it: the object ids of its types, and whether it may be null. */
export interface ColumnType<Value> {
  readonly name: string;
  /** The object ids of PostgreSQL's types that are returned as such a value. */
  readonly types: readonly number[];
  readonly mayBeNull: boolean;
  /** Converts the driver's value into the column's value; absent if they are the same. */
  readonly read?: (value: string) => Value;
  /** Only for the compiler: the type of the value. */
  readonly value?: Value;
}

/** The columns of a row of this type. */
export type Columns<Row> = { readonly [Name in keyof Row]-?: ColumnType<Row[Name]> };

/** The row that these columns declare. */
export type RowOf<Declared> = {
  readonly [Name in keyof Declared]: Declared[Name] extends ColumnType<infer Value> ? Value : never;
};

function column<Value>(name: string, ...types: readonly number[]): ColumnType<Value> {
  return { name, types, mayBeNull: false };
}

export const bool = column<boolean>('boolean', 16);
export const bytes = column<Buffer>('bytea', 17);
/** Whole numbers of 64 bits are returned as text, so that they are not rounded. */
export const int8 = column<string>('bigint', 20);
export const int4 = column<number>('integer', 23);
export const float8 = column<number>('double precision', 701);
export const text = column<string>('text', 25);
export const texts = column<string[]>('text[]', 1009);
export const timestamp = column<Date>('timestamptz', 1184);
export const uuid = column<string>('uuid', 2950);

const words = column<never>('text', 25);
const documents = column<never>('json', 114, 3802);

/** A text from a closed list. A CHECK of the schema, or the statement itself, determines the allowed words. */
export function word<Word extends string>(): ColumnType<Word> {
  return words;
}

/** JSON. A verb with the same type wrote its content; no other code writes the column. */
export function json<Document>(): ColumnType<Document> {
  return documents;
}

/** JSON as text, so that it is stored as it was written. Its content also comes from a verb with the same type. */
export function jsonText<Document>(): ColumnType<Document> {
  return { ...words, name: 'JSON as text', read: JSON.parse };
}

/** Bytes in UTF-8 that a statement returns as text, because the driver reads text much faster. */
export const utf8: ColumnType<Buffer> = {
  ...words,
  name: 'text of bytes',
  read: (value) => Buffer.from(value, 'utf8'),
};

export function orNull<Value>(column: ColumnType<Value>): ColumnType<Value | null> {
  return { ...column, mayBeNull: true };
}

/** The driver's description of a statement's result. */
interface QueryResult {
  readonly rows: Record<string, unknown>[];
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

/**
 * Compares a result with the declaration of its statement: the names and types of its columns, and that no required column
 * is null.
 * @throws Error that names the column, without any values
 */
function checkedRows<Row>(columns: Columns<Row>, { rows, fields }: QueryResult): Row[] {
  const declared: Readonly<Record<string, ColumnType<unknown>>> = columns;
  for (const { name, dataTypeID } of fields) {
    const expected = declared[name];
    if (expected === undefined)
      throw new Error(`a statement gives the column "${name}", which is not declared`);
    if (!expected.types.includes(dataTypeID)) {
      throw new Error(`a statement gives "${name}" as type ${dataTypeID}, and ${expected.name} is declared`);
    }
  }
  const names = Object.keys(declared);
  const missing = names.find((name) => fields.every((field) => field.name !== name));
  if (missing !== undefined)
    throw new Error(`a statement does not give the column "${missing}", which is declared`);
  const required = names.filter((name) => declared[name]?.mayBeNull === false);
  const readers = Object.entries(declared).flatMap(([name, { read }]) =>
    read === undefined ? [] : [[name, read] as const],
  );
  for (const row of rows) {
    for (const name of required) {
      if (row[name] === null)
        throw new Error(`a statement gives null as "${name}", which is declared to be there`);
    }
    for (const [name, read] of readers) {
      const value = row[name];
      if (typeof value === 'string') row[name] = read(value);
    }
  }
  return rows as Row[];
}

/** A part of a statement, with its bindings. */
export interface Fragment {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

/** A connection pool or an open database transaction, which can run a query. */
export type Database = Knex | Knex.Transaction;

/** A statement with `?` bindings, and the declaration of its result. */
type Statement<Input> = [database: Database, input: Input, sql: string, bindings?: readonly unknown[]];

/**
 * Runs one statement with `?` bindings and returns its rows.
 * @param columns the columns of each row; a statement that returns other columns is a mistake, and fails
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

/** The first row of a statement; undefined if it returns none. */
export async function findRow<Row>(...statement: Statement<Columns<Row>>): Promise<Row | undefined> {
  const [found] = await query<Row>(...statement);
  return found;
}

/** The row of a statement that always returns one, such as an aggregate. @throws Error if it returns none */
export async function onlyRow<Row>(...statement: Statement<Columns<Row>>): Promise<Row> {
  const found = await findRow<Row>(...statement);
  if (found === undefined) throw new Error('the row that a statement has to give is not there');
  return found;
}

/** The values of a statement with one column. */
export async function valuesOf<Value>(
  ...[database, column, sql, bindings = []]: Statement<ColumnType<Value>>
): Promise<Value[]> {
  const result: QueryResult = await database.raw(sql, [...bindings] as Knex.RawBinding[]);
  const name = result.fields[0]?.name ?? '';
  return checkedRows<Record<string, Value>>({ [name]: column }, result).map((row) => row[name] as Value);
}

/** The first value of a statement with one column; undefined if it returns none. */
export async function findValue<Value>(
  ...statement: Statement<ColumnType<Value>>
): Promise<Value | undefined> {
  const [found] = await valuesOf(...statement);
  return found;
}

/** The first value of a statement with one column; `other` if it returns none, or null. */
export async function valueOr<Value, Other>(
  other: Other,
  ...statement: Statement<ColumnType<Value>>
): Promise<NonNullable<Value> | Other> {
  return (await findValue(...statement)) ?? other;
}

/** The value of a statement with one column that always returns one row. @throws Error if it returns none */
export async function onlyValue<Value>(...statement: Statement<ColumnType<Value>>): Promise<Value> {
  const values = await valuesOf(...statement);
  if (values.length === 0) throw new Error('the value that a statement has to give is not there');
  return values[0] as Value;
}

/** Runs one statement. */
export async function run(...statement: Parameters<typeof execute>): Promise<void> {
  await execute(...statement);
}

/**
 * Runs one statement and returns its rows, without checking their columns. Only for the temporary tables of a comparison.
 * The files that use it create these tables, and the compared files determine their columns.
 */
export async function uncheckedRows<Row>(
  database: Database,
  sql: string,
  bindings: readonly unknown[] = [],
): Promise<Row[]> {
  const result: { rows: Row[] } = await database.raw(sql, [...bindings] as Knex.RawBinding[]);
  return result.rows;
}

/** Runs one statement and returns the number of rows that it changed or returned. */
export async function execute(
  database: Database,
  sql: string,
  bindings: readonly unknown[] = [],
): Promise<number> {
  const result: { rowCount: number | null } = await database.raw(sql, [...bindings] as Knex.RawBinding[]);
  return result.rowCount ?? 0;
}

/** Runs one statement and returns whether it changed any row. */
export async function changesAny(...statement: Parameters<typeof execute>): Promise<boolean> {
  return (await execute(...statement)) > 0;
}

/** Groups rows of several batches by their batch. */
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

/** Formats a timestamp column as ISO 8601 in UTC with milliseconds, in SQL, so that it is not rounded again. */
export function isoUtc(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** SQL: the column has one of these words of the program. */
export function isIn(column: string, words: readonly string[]): string {
  return words.length === 0 ? 'false' : `${column} IN (${words.map((word) => `'${word}'`).join(', ')})`;
}

/* A verb's own declaration: on which connections it runs, and whether it may be run again. */

/** How a verb is to be called. */
interface VerbPolicy {
  /**
   * `short`: it ends quickly, since it is about one group of rows or one record at most. It runs on connections with short
   * timeouts. `long`: it may take as long as work on a whole batch.
   */
  readonly pool: 'short' | 'long';
  /**
   * Whether it may be repeated when the database was unavailable, even if only the reply to its COMMIT was lost. It may if it
   * only reads, or if its conditions detect that its change was made. A verb that yields pages of rows continues after the
   * last received row: `fromRow` is the position, after the database, of its argument with that row number.
   * A heartbeat is not repeated, since the next one follows anyway.
   */
  readonly repeatable: boolean | { readonly fromRow: number };
  /** Whether it only stores data that can be computed again, so that it may be omitted on a server that accepts no writes. */
  readonly savesWorkOnly?: boolean;
}

type VerbFunction = (database: never, ...rest: never[]) => unknown;

/** A function on the ledger that declares how it is called. */
export type Verb<Act extends VerbFunction = VerbFunction> = Act & { readonly policy: VerbPolicy };

/**
 * Declares a verb of the ledger.
 * @param act its first parameter is the database; called by another verb, it runs in that one's transaction
 */
export function verb<Act extends VerbFunction>(policy: VerbPolicy, act: Act): Verb<Act> {
  return Object.assign(act, { policy });
}

const declaring =
  (pool: VerbPolicy['pool'], repeatable: boolean) =>
  <Act extends VerbFunction>(act: Act): Verb<Act> =>
    verb({ pool, repeatable }, act);

/** Declare a verb of each policy; short ones that may be repeated are most reads. */
export const shortVerb = declaring('short', true);
export const shortVerbOnce = declaring('short', false);
export const longVerb = declaring('long', true);
export const longVerbOnce = declaring('long', false);
