/*
 * Candidates for a filter of rows. They are found by the states and messages of rows, without reading other rows. They
 * include all matching rows, and a few rows that do not match.
 */

import { duplicateStatus, type RowState, resultStatus, rowStates } from '../../domain/rows/row-state.ts';
import type { RowFilter } from '../../domain/rows/search-terms.ts';
import { byHash, comparedNumber } from '../query/rows.ts';
import type * as sql from '../query/sql.ts';

/** The states of rows that do not repeat another one. */
export const originalStates = rowStates.filter((state) => state !== 'duplicate');

/** Rows of a batch between two row numbers (exclusive). */
interface Span {
  readonly batchId: string;
  readonly after: number;
  /** A number, or SQL that returns a number. */
  readonly before: sql.Fragment;
}

/** The first rows of a span, from one of its ends. */
export interface FirstRows {
  readonly batchId: string;
  readonly after: number;
  readonly before: number;
  readonly order: 'ASC' | 'DESC';
  readonly limit: number;
}

/**
 * How rows that repeat another one are found. `place`: the first of all such rows, whatever they repeat. `original`: only
 * rows that repeat a candidate, however many other such rows are before them.
 */
export type RepeatsBy = 'place' | 'original';

/**
 * SQL of the common table expression `candidates`, with the one that it needs before it: the first row numbers that may
 * match.
 */
export function candidatesOf(first: FirstRows, filter: RowFilter, repeatsBy: RepeatsBy): sql.Fragment {
  const { batchId, after, order, limit } = first;
  const span: Span = { batchId, after, before: { sql: '?', bindings: [first.before] } };
  const ordered = (rows: sql.Fragment): sql.Fragment => ({
    sql: `${rows.sql} ORDER BY row_number ${order} LIMIT ?`,
    bindings: [...rows.bindings, limit],
  });
  const own = ordered(union(ownSources(filter, span).map(ordered)));
  const fromOwn = { sql: 'SELECT row_number FROM own', bindings: [] };
  const repeats = repeatSources(filter, span, { order, limit }, repeatsBy).map(ordered);
  const all = ordered(union([fromOwn, ...repeats]));
  return {
    sql: `own AS MATERIALIZED (${own.sql}), candidates AS MATERIALIZED (${all.sql})`,
    bindings: [...own.bindings, ...all.bindings],
  };
}

function union(fragments: readonly sql.Fragment[]): sql.Fragment {
  const all = joined(fragments, ' UNION ');
  return { ...all, sql: `SELECT row_number FROM (${all.sql}) c` };
}

/** Joins fragments into one, each in brackets. */
export function joined(fragments: readonly sql.Fragment[], separator: ' UNION ' | ' AND '): sql.Fragment {
  return {
    sql: fragments.map((each) => `(${each.sql})`).join(separator),
    bindings: fragments.flatMap(({ bindings }) => bindings),
  };
}

/** Rows that may match by their own state and message. */
function ownSources(filter: RowFilter, span: Span): readonly sql.Fragment[] {
  const { status } = filter;
  if (isForAll(filter)) return [rowsWhere(span, 'true')];
  const states = originalStates.filter((state) => status === undefined || resultStatus(state) === status);
  // A row that repeats another row may have its own finding.
  return sourcesOf(span, isAboutFindings(filter) ? [...states, 'duplicate'] : states, filter);
}

/** Rows that may match by the state and message of the row that they repeat. */
function repeatSources(
  filter: RowFilter,
  span: Span,
  { order, limit }: Pick<FirstRows, 'order' | 'limit'>,
  repeatsBy: RepeatsBy,
): readonly sql.Fragment[] {
  const { status } = filter;
  const states = originalStates.filter((state) => status === undefined || duplicateStatus(state) === status);
  if (isForAll(filter) || states.length === 0) return [];
  if (repeatsBy === 'place') return [rowsWhere(span, "state = 'duplicate'")];
  // A row always repeats an earlier row, and no candidate is after the last own row. So the repeated rows are before that
  // row.
  const ownEnd = `(SELECT CASE WHEN count(*) < ? THEN ? ELSE max(row_number) END FROM own)`;
  const before: sql.Fragment =
    order === 'DESC' ? span.before : { sql: ownEnd, bindings: [limit, ...span.before.bindings] };
  const originals = union(sourcesOf({ ...span, after: 0, before }, states, filter));
  const isRepeated = byHash(`same_as IN (${originals.sql})`);
  return [rowsWhere(span, `state = 'duplicate' AND ${isRepeated}`, originals.bindings)];
}

function sourcesOf(span: Span, states: readonly RowState[], filter: RowFilter): readonly sql.Fragment[] {
  return states.flatMap((state) =>
    isAboutFindings(filter) ? withFinding(span, state, filter) : inState(span, state),
  );
}

function isForAll({ status, code, column }: RowFilter): boolean {
  return status === undefined && code === undefined && column === undefined;
}

function isAboutFindings({ code, column }: RowFilter): boolean {
  return code !== undefined || column !== undefined;
}

/** Rows with a code, found in the index of codes. */
function withFinding(span: Span, state: RowState, { code, column }: RowFilter): sql.Fragment {
  const condition = joined(
    [
      { sql: `state = '${state}'`, bindings: [] },
      code === undefined ? { sql: 'code IS NOT NULL', bindings: [] } : { sql: 'code = ?', bindings: [code] },
      ...(column === undefined ? [] : [{ sql: "coalesce(field, '') = ?", bindings: [column] }]),
    ],
    ' AND ',
  );
  // The index is ordered by code first. With the bare column the planner would read all rows of the batch instead.
  const place = code === undefined ? comparedNumber('row_number') : 'row_number';
  return rowsWhere(span, condition.sql, condition.bindings, { place });
}

/** Rows in a state, if the filter has no other condition on them. A row of a chunk does not record its result itself. */
function inState(span: Span, state: RowState): readonly sql.Fragment[] {
  if (state === 'created') return [rowsWhere(span, 'true', [], { table: 'created_objects' })];
  if (state === 'ready')
    return [rowsWhere(span, "state = 'ready' AND chunk IS NULL"), inOpenChunks(span, 'lease_token IS NULL')];
  const own = rowsWhere(span, `state = '${state}'`);
  return state === 'sending' ? [own, inOpenChunks(span, 'lease_token IS NOT NULL')] : [own];
}

/** Open rows of chunks: rows that are neither created nor taken out of their chunk. */
function inOpenChunks(span: Span, condition: string): sql.Fragment {
  const { batchId } = span;
  const open = `FROM send_chunks WHERE batch_id = ? AND open_rows > 0 AND ${condition}`;
  return rowsWhere(
    span,
    `row_number >= (SELECT min(first_row) ${open}) AND row_number <= (SELECT max(last_row) ${open})
      AND ${byHash(`chunk IN (SELECT chunk ${open})`)}`,
    [batchId, batchId, batchId],
  );
}

function rowsWhere(
  { batchId, after, before }: Span,
  condition: string,
  bindings: readonly unknown[] = [],
  { table = 'row_states', place = 'row_number' } = {},
): sql.Fragment {
  return {
    sql: `SELECT row_number FROM ${table} WHERE batch_id = ? AND ${place} > ? AND ${place} < ${before.sql} AND ${condition}`,
    bindings: [batchId, after, ...before.bindings, ...bindings],
  };
}
