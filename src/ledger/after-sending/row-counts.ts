/* Counts the rows of batches in the tables, by status and by message. Also counts orphaned data without its row or batch. */

import type { Knex } from 'knex';
import type { RowCounts } from '../../domain/batches/batch-facts.ts';
import type { Finding } from '../../domain/rows/finding.ts';
import {
  duplicateStatus,
  type ResultStatus,
  type RowState,
  resultStatus,
  type StatusCounts,
} from '../../domain/rows/row-state.ts';
import type { RowGroup } from '../../domain/rows/search-terms.ts';
import { answerDiffers } from '../../domain/sending/outcome.ts';
import type { Message } from '../../domain/settings/message.ts';
import { asFence, rowOf } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

const stateGroupColumns = {
  id: sql.uuid,
  state: sql.word<RowState>(),
  originalState: sql.orNull(sql.word<Exclude<RowState, 'duplicate'>>()),
  isInChunk: sql.bool,
  count: sql.int4,
  contradicted: sql.int4,
  /** Of the batch's chunks: the rows that are neither created nor taken out, and how many of these are claimed. */
  open: sql.int4,
  claimed: sql.int4,
};

/** Rows of one state, as stored in the tables. */
type StateGroup = sql.RowOf<typeof stateGroupColumns>;

/** The number of rows of a batch in each status; the numbers add up to the batch's rows. */
export const countStatuses = sql.longVerb(
  async (database: sql.Database, batchId: string): Promise<StatusCounts> =>
    (await countRowsOf(database, [batchId])).get(batchId)?.counts ?? {},
);

/**
 * The number of rows of batches in each status, and of contradicted rows, by batch. It does not use the view `rows`, which
 * would look up every row in the other tables, before each run that continues.
 */
export async function countRowsOf(
  database: sql.Database,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, RowCounts>> {
  const groups = await sql.query(
    database,
    stateGroupColumns,
    `WITH open AS (
       SELECT batch_id, sum(open_rows)::int AS open,
         coalesce(sum(open_rows) FILTER (WHERE lease_token IS NOT NULL), 0)::int AS claimed
       FROM send_chunks WHERE batch_id = ANY(?::uuid[]) GROUP BY batch_id)
     SELECT g.*, coalesce(open, 0) AS open, coalesce(claimed, 0) AS claimed FROM (
       SELECT batch_id AS id, state, NULL AS "originalState", chunk IS NOT NULL AS "isInChunk", count(*)::int AS count,
         (count(*) FILTER (WHERE state = 'created' AND code = ?))::int AS contradicted
       FROM row_states WHERE batch_id = ANY(?::uuid[]) AND state <> 'duplicate' GROUP BY 1, 2, 4
       UNION ALL
       SELECT s.batch_id, 'duplicate', r.state, false, count(*)::int, 0
       FROM (SELECT batch_id, same_as AS row_number FROM row_states
         WHERE batch_id = ANY(?::uuid[]) AND state = 'duplicate' ${asFence}) s
       ${rowOf('s')} GROUP BY 1, 3) g LEFT JOIN open ON open.batch_id = g.id`,
    [batchIds, answerDiffers, batchIds, batchIds],
  );
  return new Map([...sql.groupedById(groups)].map(([id, each]) => [id, countedIn(each)]));
}

function countedIn(groups: readonly Omit<StateGroup, 'id'>[]): RowCounts {
  const [counts, repeats] = [new Map<ResultStatus, number>(), new Map<ResultStatus, number>()];
  const add = (to: Map<ResultStatus, number>, status: ResultStatus, count: number): void => {
    if (count !== 0) to.set(status, (to.get(status) ?? 0) + count);
  };
  for (const { state, originalState, isInChunk, count, open, claimed } of groups) {
    if (state === 'duplicate') {
      const status = duplicateStatus(originalState ?? 'staged');
      add(counts, status, count);
      add(repeats, status, count);
    } else if (!isInChunk) add(counts, resultStatus(state), count);
    else {
      // The row itself does not record the state that it has through its chunk.
      add(counts, 'created', count - open);
      add(counts, resultStatus('sending'), claimed);
      add(counts, resultStatus('ready'), open - claimed);
    }
  }
  const contradicted = groups.reduce((sum, group) => sum + group.contradicted, 0);
  return { counts: Object.fromEntries(counts), repeats: Object.fromEntries(repeats), contradicted };
}

/** The counts of a batch's rows, and the state of the batch when they were counted. */
interface Counted {
  readonly state: string;
  readonly rows: RowCounts;
}

/** The counts of each ledger by batch. A console shows a list of batches repeatedly, and few of them change in between. */
const countedBefore = new WeakMap<Knex, Map<string, Counted>>();
const batchesCounted = 1_000;

const noRows: RowCounts = { counts: {}, repeats: {}, contradicted: 0 };

/**
 * Counts the rows of batches. A batch with the same state as last time is not counted again.
 * @param ledger the ledger whose counts are remembered; the transaction belongs to it
 * @param states by batch; if two are equal, no row has changed between them
 */
export async function countChanged(
  ledger: Knex,
  transaction: sql.Database,
  states: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, RowCounts>> {
  const counted = countedBefore.get(ledger) ?? new Map<string, Counted>();
  countedBefore.set(ledger, counted);
  const changed = [...states].flatMap(([id, state]) => (counted.get(id)?.state === state ? [] : [id]));
  const fresh = changed.length === 0 ? new Map<string, RowCounts>() : await countRowsOf(transaction, changed);
  const found = new Map<string, RowCounts>();
  for (const [id, state] of states) {
    const known = counted.get(id);
    const rows = known?.state === state ? known.rows : (fresh.get(id) ?? noRows);
    found.set(id, rows);
    counted.delete(id);
    counted.set(id, { state, rows });
  }
  for (const id of [...counted.keys()].slice(0, Math.max(0, counted.size - batchesCounted)))
    counted.delete(id);
  return found;
}

/* The rows of a batch by their messages. */

const storedGroupColumns = {
  state: sql.word<Exclude<RowState, 'duplicate'>>(),
  isRepeat: sql.bool,
  code: sql.text,
  field: sql.orNull(sql.text),
  rows: sql.int4,
  example: sql.int4,
  message: sql.orNull(sql.text),
  /** Findings of the example row, as JSON. */
  findings: sql.text,
};

type StoredGroup = sql.RowOf<typeof storedGroupColumns>;

/**
 * All messages of the rows of a batch, the most frequent first. A row that repeats another one counts under the message of
 * that one.
 */
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

/** The text of a finding about its column; undefined if the row's reason is not one of its findings. */
function messageIn(findings: string, code: string, column: string | null): Message | undefined {
  const all: readonly Finding[] = JSON.parse(findings);
  return all.find((finding) => finding.code === code && finding.column === (column ?? ''))?.message;
}

/** Merges rows and their repeats into one group if they have the same status. */
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

/**
 * The tables with a row's data, each with a name for people. These tables have no foreign keys. A foreign key would look up
 * the batch or the row for each written line, which costs a fifth of the time for preparing a row. The way in which the
 * tables are written gives the same guarantee.
 */
const parts = [
  { what: 'input', table: 'row_inputs' },
  { what: 'request', table: 'requests' },
  { what: 'attempt', table: 'attempts' },
  { what: 'created object', table: 'created_objects' },
] as const;

/** Numbers of orphaned table rows by kind; kinds without any are omitted. */
type Orphans = readonly { readonly what: string; readonly rows: number }[];

/**
 * Counts rows without a batch or in another environment than their batch. Also counts inputs, requests, attempts and created
 * objects without a row. It reads the keys of these tables once.
 */
export const countOrphans = sql.longVerbOnce(async (database: sql.Database): Promise<Orphans> => {
  const [counted] = await sql.query<Readonly<Record<string, number>>>(
    database,
    Object.fromEntries([['row', sql.int4], ...parts.map(({ what }) => [what, sql.int4] as const)]),
    `SELECT
         (SELECT count(*)::int FROM row_states s LEFT JOIN batches b ON b.id = s.batch_id
          WHERE b.environment_id IS DISTINCT FROM s.environment_id) AS "row",
         ${parts.map(({ what, table }) => `(${countWithoutRow(table)}) AS "${what}"`).join(',\n       ')}`,
  );
  return Object.entries(counted ?? {}).flatMap(([what, rows]) => (rows === 0 ? [] : [{ what, rows }]));
});

function countWithoutRow(table: string): string {
  return `SELECT count(*)::int FROM ${table} t WHERE NOT EXISTS (
    SELECT FROM row_states s WHERE s.batch_id = t.batch_id AND s.row_number = t.row_number)`;
}
