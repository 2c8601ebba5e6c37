/* What a statement's rows look like: each column with its type, declared where the statement is, and compared with what comes. */

/** A type of PostgreSQL's, as the driver gives it: by the numbers of its types, and whether it may be null. */
export interface ColumnType<Value> {
  readonly name: string;
  /** The object ids of PostgreSQL's types that come as such a value. */
  readonly types: readonly number[];
  readonly mayBeNull: boolean;
  /** Only for the compiler: what the driver makes of it. */
  readonly value?: Value;
}

/** The columns of a row of this type. */
export type Columns<Row> = { readonly [Name in keyof Row]-?: ColumnType<Row[Name]> };

function column<Value>(name: string, ...types: readonly number[]): ColumnType<Value> {
  return { name, types, mayBeNull: false };
}

export const bool = column<boolean>('boolean', 16);
export const bytes = column<Buffer>('bytea', 17);
/** Whole numbers of 64 bits come as text, so that nothing rounds them. */
export const int8 = column<string>('bigint', 20);
export const int4 = column<number>('integer', 23);
export const float8 = column<number>('double precision', 701);
export const text = column<string>('text', 25);
export const texts = column<string[]>('text[]', 1009);
export const timestamp = column<Date>('timestamptz', 1184);
export const uuid = column<string>('uuid', 2950);

const words = column<never>('text', 25);
const documents = column<never>('json', 114, 3802);

/** A text of a closed list. Which words it may hold is for a CHECK of the schema, or for the statement, to say. */
export function word<Word extends string>(): ColumnType<Word> {
  return words;
}

/** JSON. What it holds was written by a verb of the same type; a column of it has no other writer. */
export function json<Document>(): ColumnType<Document> {
  return documents;
}

export function orNull<Value>(column: ColumnType<Value>): ColumnType<Value | null> {
  return { ...column, mayBeNull: true };
}

/** What the driver says of the result of a statement. */
export interface QueryResult {
  readonly rows: readonly object[];
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

/**
 * Compares a result with what its statement was declared to give: names and types of its columns, and that nothing is
 * null that may not be.
 * @throws Error that names the column; values are not repeated
 */
export function checkedRows<Row>(columns: Columns<Row>, { rows, fields }: QueryResult): Row[] {
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
  for (const row of rows as readonly Readonly<Record<string, unknown>>[]) {
    for (const name of required) {
      if (row[name] === null)
        throw new Error(`a statement gives null as "${name}", which is declared to be there`);
    }
  }
  return rows as Row[];
}
