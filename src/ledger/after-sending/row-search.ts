/*
 * Searching rows of a batch by status, code, column and text. A search walks the indexes of the states that can have the
 * status, in the order of row numbers, and stops after a maximum of rows, so that each page is found in moments.
 */

import type { Knex } from 'knex';
import type { Finding } from '../../domain/rows/finding.ts';
import { duplicateStatus, type ResultStatus, resultStatus } from '../../domain/rows/row-state.ts';
import type { FoundRows, RowFilter, RowGroup, RowPlace } from '../../domain/rows/search-terms.ts';
import type { Message } from '../../domain/settings/message.ts';
import { asFence, byKeysOnly, inOrderOfIndex, roomyHashes } from '../query/planner.ts';
import { inputOf, rowOf } from '../query/rows.ts';
import * as sql from '../query/sql.ts';
import { candidatesOf, type OriginalState, originalStates, type RepeatsBy } from './row-sources.ts';

/** This many rows are examined with each statement where not all of them match. */
const rowsAtOnce = 2_000;

/**
 * Rows that repeat others are examined one by one up to this number, and then by the rows that they repeat. Most batches
 * have few of them, and the second way reads all matching rows before the page.
 */
const repeatsAtFirst = 1_000;

/**
 * The first rows after a row, or the last ones before it, that match a filter.
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
  const rows: number[] = [];
  let step = filter.text === undefined ? limit + 1 : rowsAtOnce;
  let place = from;
  let lookedAt = 0;
  for (;;) {
    const wanted = limit + 1 - rows.length;
    const repeatsBy = lookedAt < repeatsAtFirst ? 'place' : 'original';
    const found = await lookThrough(transaction, { batchId, filter, place, step, wanted, repeatsBy });
    rows.push(...found.rows);
    lookedAt += found.looked;
    if (rows.length > limit) return page(rows.slice(0, limit), from, rows[limit - 1] ?? null, false);
    if (found.lookedTo === null || found.looked < step) return page(rows, from, null, false);
    if (lookedAt >= most) return page(rows, from, found.lookedTo, true);
    place = { ...from, row: found.lookedTo };
    // Where few of the examined rows match, more are examined with each statement.
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

/** The search of one statement, and its range. */
interface Looking {
  readonly batchId: string;
  readonly filter: RowFilter;
  readonly place: RowPlace;
  /** The most rows to examine. */
  readonly step: number;
  /** The most rows to find. */
  readonly wanted: number;
  readonly repeatsBy: RepeatsBy;
}

const searchStepColumns = {
  looked: sql.int4,
  /** The most distant row that was examined; null where there was none. */
  lookedTo: sql.orNull(sql.int4),
  /** In the direction of the search. */
  rows: sql.json<readonly number[]>(),
};

/** Greater than any row number. */
const endOfAnyBatch = 2 ** 31 - 1;

async function lookThrough(
  database: sql.Database,
  { batchId, filter, place: { row, direction }, step, wanted, repeatsBy }: Looking,
): Promise<sql.RowOf<typeof searchStepColumns>> {
  const isForward = direction === 'after';
  const order = isForward ? 'ASC' : 'DESC';
  const candidates = candidatesOf(
    { batchId, after: isForward ? row : 0, before: isForward ? endOfAnyBatch : row, order, limit: step },
    filter,
    repeatsBy,
  );
  const conditions = conditionsOf(filter);
  return sql.onlyRow(
    database,
    searchStepColumns,
    `WITH ${candidates.sql},
       looked AS MATERIALIZED (SELECT ?::uuid AS batch_id, row_number FROM candidates)
     SELECT (SELECT count(*)::int FROM looked) AS looked,
       (SELECT ${isForward ? 'max' : 'min'}(row_number) FROM looked) AS "lookedTo",
       coalesce((SELECT json_agg(row_number ORDER BY row_number ${order}) FROM (
         SELECT n.row_number FROM ${conditions.from.sql} n ${conditions.joins}
         WHERE ${conditions.where.sql} ORDER BY n.row_number ${order} LIMIT ?) f), '[]') AS rows`,
    [...candidates.bindings, batchId, ...conditions.from.bindings, ...conditions.where.bindings, wanted],
  );
}

/** Where the rows `n` of a filter come from, their look-ups, and the condition that they have to meet. */
interface Conditions {
  readonly from: sql.Fragment;
  readonly joins: string;
  readonly where: sql.Fragment;
}

/** Few rows have a text that is searched: the state of the others is not looked up. */
function conditionsOf({ status, code, column, text: wanted }: RowFilter): Conditions {
  const isOfState = status !== undefined || code !== undefined || column !== undefined;
  const conditions: sql.Fragment[] = [
    ...(status === undefined ? [] : [hasStatus(status)]),
    ...(code === undefined ? [] : [{ sql: 'coalesce(o.code, r.code) = ?', bindings: [code] }]),
    ...(column === undefined ? [] : [isAbout(column)]),
  ];
  return {
    from: wanted === undefined ? { sql: 'looked', bindings: [] } : withText(wanted),
    joins: isOfState ? `${rowOf('n')} ${originalOf('r')}` : '',
    where: {
      sql: conditions.length === 0 ? 'true' : conditions.map(({ sql }) => `(${sql})`).join(' AND '),
      bindings: conditions.flatMap(({ bindings }) => bindings),
    },
  };
}

/** SQL that joins the row `o` that row `row` repeats, where it repeats one. */
function originalOf(row: string): string {
  return `LEFT JOIN LATERAL (SELECT state, code, field FROM rows
    WHERE ${row}.state = 'duplicate' AND batch_id = ${row}.batch_id AND row_number = ${row}.same_as ${asFence}) o ON true`;
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
 * The rows that were looked at and have a text. Cells are stored as JSON: a text is searched as JSON writes it, so that it is
 * found in one cell, and not across two. A database may change the case of plain letters only, so that other letters are
 * searched as people write them.
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

const storedGroupColumns = {
  state: sql.word<OriginalState>(),
  isRepeat: sql.bool,
  code: sql.text,
  field: sql.orNull(sql.text),
  rows: sql.int4,
  example: sql.int4,
  message: sql.orNull(sql.text),
  /** Of the example, as JSON. */
  findings: sql.text,
};

type StoredGroup = sql.RowOf<typeof storedGroupColumns>;

/** All messages of the rows of a batch, the most frequent first. Rows that repeat another one count as that one. */
export const readRowGroups = sql.longVerb(
  async (database: sql.Database, batchId: string): Promise<RowGroup[]> => {
    const groups = await sql.query(
      database,
      storedGroupColumns,
      `SELECT g.*, s.message, s.findings FROM (
         SELECT state, false AS "isRepeat", code, field, count(*)::int AS rows, min(row_number) AS example
         FROM row_states WHERE batch_id = ? AND code IS NOT NULL GROUP BY state, code, field
         UNION ALL
         SELECT o.state, true, o.code, o.field, count(*)::int, min(d.row_number)
         FROM (SELECT row_number, same_as FROM row_states WHERE batch_id = ? AND state = 'duplicate' ${asFence}) d
         CROSS JOIN LATERAL (SELECT state, code, field FROM row_states
           WHERE batch_id = ? AND row_number = d.same_as AND code IS NOT NULL ${asFence}) o
         GROUP BY o.state, o.code, o.field) g
       CROSS JOIN LATERAL (SELECT coalesce(o.message, e.message) AS message, i.findings FROM row_states e
         LEFT JOIN row_states o ON o.batch_id = e.batch_id AND o.row_number = e.same_as
         JOIN row_inputs i ON i.batch_id = e.batch_id AND i.row_number = coalesce(e.same_as, e.row_number)
         WHERE e.batch_id = ? AND e.row_number = g.example ${asFence}) s`,
      [batchId, batchId, batchId, batchId],
    );
    return together(groups);
  },
);

/** What a finding says of its column; undefined where the row has another reason than its findings. */
function messageIn(findings: string, code: string, column: string | null): Message | undefined {
  const all: readonly Finding[] = JSON.parse(findings);
  return all.find((finding) => finding.code === code && finding.column === (column ?? ''))?.message;
}

/** Rows and their repeats in one group, since they have one status. */
function together(groups: readonly StoredGroup[]): RowGroup[] {
  const all = new Map<string, RowGroup>();
  for (const { state, isRepeat, code, field, rows, example, message, findings } of groups) {
    const status = isRepeat ? duplicateStatus(state) : resultStatus(state);
    const column = field === '' ? null : field;
    const key = JSON.stringify([status, code, column]);
    const known = all.get(key);
    const isFirst = known === undefined || example < known.example;
    all.set(key, {
      status,
      code,
      column,
      rows: rows + (known?.rows ?? 0),
      example: isFirst ? example : known.example,
      message: isFirst ? (messageIn(findings, code, field) ?? message) : known.message,
    });
  }
  return [...all.values()].sort((one, other) => other.rows - one.rows || one.example - other.example);
}
