/*
 * Searches rows of a batch by status, code, column and text. A search reads the indexes of the states that can have the
 * status, in order of row numbers. It stops after a maximum of rows, so that each page is found quickly.
 */

import type { Knex } from 'knex';
import { duplicateStatus, type ResultStatus, resultStatus } from '../../domain/rows/row-state.ts';
import type { FoundRows, RowFilter, RowPlace } from '../../domain/rows/search-terms.ts';
import {
  asFence,
  byKeysOnly,
  inOrderOfIndex,
  inputOf,
  repeatedBy,
  roomyHashes,
  rowOf,
} from '../query/rows.ts';
import * as sql from '../query/sql.ts';
import { candidatesOf, type FirstRows, joined, originalStates, type RepeatsBy } from './row-candidates.ts';

/** How many rows each statement examines if not all of them match. */
const rowsAtOnce = 2_000;

/**
 * Up to this number, rows that repeat others are examined one by one; after that, by the rows that they repeat. Most batches
 * have few such rows, and the second way reads all matching rows before the page.
 */
const repeatsAtFirst = 1_000;

/** Greater than any row number. */
const endOfAnyBatch = 2 ** 31 - 1;

/**
 * The first rows after a row number, or the last ones before it, that match a filter.
 * @param most the maximum number of rows to examine
 */
export const findRows = sql.shortVerb(
  (
    database: Knex,
    batchId: string,
    filter: RowFilter,
    from: RowPlace,
    size: { readonly limit: number; readonly most: number },
  ): Promise<FoundRows> =>
    database.transaction(async (transaction) => {
      await sql.execute(transaction, inOrderOfIndex);
      await sql.execute(transaction, `SELECT ${byKeysOnly}, ${roomyHashes}`);
      return search(transaction, batchId, filter, from, size);
    }),
);

async function search(
  transaction: sql.Database,
  batchId: string,
  filter: RowFilter,
  from: RowPlace,
  { limit, most }: { readonly limit: number; readonly most: number },
): Promise<FoundRows> {
  const isForward = from.direction === 'after';
  const rows: number[] = [];
  let step = filter.text === undefined ? limit + 1 : rowsAtOnce;
  let row = from.row;
  let lookedAt = 0;
  for (;;) {
    const repeatsBy = lookedAt < repeatsAtFirst ? 'place' : 'original';
    const ends = isForward ? { after: row, before: endOfAnyBatch } : { after: 0, before: row };
    const first: FirstRows = { batchId, ...ends, order: isForward ? 'ASC' : 'DESC', limit: step };
    const found = await lookThrough(transaction, first, filter, repeatsBy, limit + 1 - rows.length);
    rows.push(...found.rows);
    lookedAt += found.looked;
    if (rows.length > limit) return page(rows.slice(0, limit), from, rows[limit - 1] ?? null, false);
    if (found.lookedTo === null || found.looked < step) return page(rows, from, null, false);
    if (lookedAt >= most) return page(rows, from, found.lookedTo, true);
    row = found.lookedTo;
    // If few of the examined rows match, the next statement examines more.
    step = Math.min(rowsAtOnce, step * 4);
  }
}

function page(
  rows: readonly number[],
  { direction }: RowPlace,
  next: number | null,
  isCutShort: boolean,
): FoundRows {
  return { rows: direction === 'after' ? rows : rows.toReversed(), next, isCutShort };
}

const searchStepColumns = {
  looked: sql.int4,
  /** The row number that is farthest in the search direction; null if no row was examined. */
  lookedTo: sql.orNull(sql.int4),
  /** Matching row numbers in the search direction. */
  rows: sql.json<readonly number[]>(),
};

/** @param wanted the maximum number of rows to find */
async function lookThrough(
  database: sql.Database,
  first: FirstRows,
  filter: RowFilter,
  repeatsBy: RepeatsBy,
  wanted: number,
): Promise<sql.RowOf<typeof searchStepColumns>> {
  const { batchId, order } = first;
  const candidates = candidatesOf(first, filter, repeatsBy);
  const conditions = conditionsOf(filter);
  return sql.onlyRow(
    database,
    searchStepColumns,
    `WITH ${candidates.sql},
       looked AS MATERIALIZED (SELECT ?::uuid AS batch_id, row_number FROM candidates)
     SELECT (SELECT count(*)::int FROM looked) AS looked,
       (SELECT ${order === 'ASC' ? 'max' : 'min'}(row_number) FROM looked) AS "lookedTo",
       coalesce((SELECT json_agg(row_number ORDER BY row_number ${order}) FROM (
         SELECT n.row_number FROM ${conditions.from.sql} n ${conditions.joins}
         WHERE ${conditions.where.sql} ORDER BY n.row_number ${order} LIMIT ?) f), '[]') AS rows`,
    [...candidates.bindings, batchId, ...conditions.from.bindings, ...conditions.where.bindings, wanted],
  );
}

/** The parts of a filter's query: the source of its rows `n`, their look-ups, and their condition. */
interface Conditions {
  readonly from: sql.Fragment;
  readonly joins: string;
  readonly where: sql.Fragment;
}

/**
 * If the filter has a text, the text is compared first. Few rows have it, so the state of the other rows is not looked up.
 */
function conditionsOf({ status, code, column, text: wanted }: RowFilter): Conditions {
  const isOfState = status !== undefined || code !== undefined || column !== undefined;
  const conditions: sql.Fragment[] = [
    ...(status === undefined ? [] : [hasStatus(status)]),
    ...(code === undefined ? [] : [{ sql: 'coalesce(o.code, r.code) = ?', bindings: [code] }]),
    ...(column === undefined ? [] : [isAbout(column)]),
  ];
  return {
    from: wanted === undefined ? { sql: 'looked', bindings: [] } : withText(wanted),
    joins: isOfState ? `${rowOf('n')} ${repeatedBy('r')}` : '',
    where: conditions.length === 0 ? { sql: 'true', bindings: [] } : joined(conditions, ' AND '),
  };
}

function hasStatus(status: ResultStatus): sql.Fragment {
  const own = originalStates.filter((state) => resultStatus(state) === status);
  const repeated = originalStates.filter((state) => duplicateStatus(state) === status);
  return { sql: `${sql.isIn('r.state', own)} OR ${sql.isIn('o.state', repeated)}`, bindings: [] };
}

function isAbout(column: string): sql.Fragment {
  return column === ''
    ? { sql: "coalesce(o.code, r.code) IS NOT NULL AND coalesce(o.field, r.field, '') = ''", bindings: [] }
    : { sql: 'coalesce(o.field, r.field) = ?', bindings: [column] };
}

/**
 * The examined rows that contain a text. Cells are stored as JSON, so the text is compared in its JSON form. Then it is
 * found only within one cell. A database may change the case of plain (ASCII) letters only, so other letters are also
 * searched in lower case, in upper case, and with initial capitals.
 */
function withText(wanted: string): sql.Fragment {
  const initials = wanted.toLowerCase().replace(/\p{L}+/gu, capitalised);
  const isPlain = /^[ -~]*$/.test(wanted);
  const forms = new Set(isPlain ? [wanted] : [wanted, wanted.toLowerCase(), wanted.toUpperCase(), initials]);
  const patterns = [...forms].map((form) => `%${inJson(form).replace(/[\\%_]/g, '\\$&')}%`);
  return {
    sql: `(SELECT l.* FROM looked l ${inputOf('l')} WHERE i.cells ILIKE ANY(?::text[]) ${asFence})`,
    bindings: [patterns],
  };
}

function capitalised(word: string): string {
  const [first = '', ...rest] = word;
  return first.toUpperCase() + rest.join('');
}

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}
