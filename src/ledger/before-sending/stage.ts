/* Staging: the checked rows of a file are written group by group. They become valid once the file was read to its end. */

import type { Knex } from 'knex';
import { hashOfInput } from '../../../migrations/0001-schema/rows.ts';
import { type BatchRecord, shortBatchId } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { AmountSums } from '../../domain/money/sums.ts';
import { noteText } from '../../domain/rows/finding.ts';
import type { NormalisedRecord, StagedRow } from '../../domain/rows/ledger-row.ts';
import { bitsOf, termsOfRecord } from '../../domain/rows/search-terms.ts';
import type { Message } from '../../domain/settings/message.ts';
import { changeBatch, isRunOpen } from '../protocol/batch-lock.ts';
import { linkCorrections, linkReadings, markOriginsOf } from '../protocol/origins.ts';
import * as arrays from '../query/arrays.ts';
import { asFence } from '../query/rows.ts';
import * as sql from '../query/sql.ts';
import { linkDeliveredAgain } from './delivered-again.ts';
import { notePayeeChanges } from './payee-changes.ts';

/**
 * Runs a step of staging under the batch's lock. Only the run that holds a batch may stage it. Late writes of a run that was
 * considered lost must not mix its rows with the rows of another run, and must not finish or give up the staging of another
 * run.
 * @throws PaybatchError (`lease_lost`) if the run was considered lost, or the batch was completely staged since then
 */
function whileStaging<Result>(
  database: Knex,
  batchId: string,
  runId: string,
  step: (transaction: sql.Database) => Promise<Result>,
): Promise<Result> {
  const guarded = async (transaction: sql.Database): Promise<Result> => {
    const [found] = await sql.query(
      transaction,
      { id: sql.uuid },
      `SELECT id FROM (${batchBeingStaged}) batch`,
      [batchId, runId],
    );
    if (found === undefined) throw noLongerStaging(batchId);
    return step(transaction);
  };
  return changeBatch(database, batchId, guarded);
}

/** SQL that returns a batch if a run is staging it; its bindings are the ids of the batch and of the run. */
const batchBeingStaged = `SELECT id, environment_id, kind, leaf_salt FROM batches WHERE id = ? AND staged_at IS NULL AND ${isRunOpen}`;

function noLongerStaging(batchId: string): PaybatchError {
  return new PaybatchError(
    'lease_lost',
    `Another run took batch ${shortBatchId(batchId)} over while its file was being read.`,
    'import the file again',
  );
}

/** Empties a batch that was never completely staged, so nothing of it can have been sent. */
export const emptyUnstaged = sql.longVerbOnce(
  async (database: Knex, id: string, runId: string): Promise<void> => {
    await whileStaging(database, id, runId, (transaction) =>
      sql.execute(transaction, 'SELECT empty_unstaged(?)', [id]),
    );
  },
);

/**
 * Writes a group of validated rows of a batch that is being staged, in one transaction. The statement is built before the
 * lock is requested, because another group may be written at that time.
 */
export const stageRows = sql.shortVerbOnce(
  async (database: Knex, batch: BatchRecord, runId: string, rows: readonly StagedRow[]): Promise<void> => {
    const parts = [inputsOf(rows), statesOf(rows), payeesOf(rows), termsOf(rows), measuresOf(rows)] as const;
    const [inputs, states, payees, terms, measures] = parts;
    await changeBatch(database, batch.id, async (transaction) => {
      const staged = await sql.query(
        transaction,
        { id: sql.uuid },
        `WITH batch AS MATERIALIZED (${batchBeingStaged}),
           inputs AS (${inputs.sql}),
           states AS (${states.sql}),
           payees AS (${payees.sql}),
           terms AS (${terms.sql}),
           measures AS (${measures.sql}),
           hashes AS (${hashesOfInputs})
         SELECT id FROM batch`,
        [batch.id, runId, ...parts.flatMap(({ bindings }) => bindings)],
      );
      if (staged.length === 0) throw noLongerStaging(batch.id);
      await linkCorrections(transaction, batch.id, rows);
      await notePayeeChanges(
        transaction,
        batch,
        rows.flatMap(({ changes = [] }) => changes),
      );
    });
  },
);

/* The INSERT statements of rows, for the batch in the CTE `batch`. */

function inputsOf(rows: readonly StagedRow[]): sql.Fragment {
  return {
    sql: `INSERT INTO row_inputs (batch_id, row_number, cells, record, findings, notes, hash)
     SELECT i.*, ${hashOfInput('(SELECT leaf_salt FROM batch)')}
     FROM (SELECT batch.id, n.row_number, n.cells, n.record::jsonb AS record, n.findings, n.notes
       FROM batch, unnest(?::int[], ${arrays.textsParameter}, ${arrays.textsParameter}, ${arrays.textsParameter}, ${arrays.textsParameter})
         AS n (row_number, cells, record, findings, notes) ${asFence}) i
     RETURNING row_number, hash`,
    bindings: [
      arrays.numbersLiteral(rows.map((row) => row.row)),
      ...arrays.textsBindings(rows.map((row) => JSON.stringify(row.cells))),
      ...arrays.textsBindings(
        rows.map((row) => JSON.stringify(row.state === 'invalid' ? amountOf(row) : row.record)),
      ),
      ...arrays.textsBindings(rows.map((row) => listText(row.findings))),
      ...arrays.textsBindings(rows.map((row) => listText(row.notes.map(noteText)))),
    ],
  };
}

/**
 * SQL of the hash over the rows in `inputs`. The audit trail contains it together with the hashes of all groups: see `audit
 * verify`.
 */
const hashesOfInputs = `INSERT INTO staged_hashes (batch_id, first_row, last_row, hash)
  SELECT batch.id, h.* FROM batch, (SELECT min(row_number) AS first_row, max(row_number),
    sha256(string_agg(hash, ''::bytea ORDER BY row_number)) FROM inputs) h WHERE h.first_row IS NOT NULL`;

/**
 * The part of an invalid row's record that is stored: only the data that totals need. Without a definition it is unknown how
 * the amount has to be read.
 */
function amountOf({ resource, record }: StagedRow): NormalisedRecord {
  const { amount, currency } = record;
  return resource === null || amount === undefined || currency === undefined ? {} : { amount, currency };
}

/** Most rows have no findings. */
function listText(list: readonly unknown[]): string {
  return list.length === 0 ? '[]' : JSON.stringify(list);
}

function statesOf(rows: readonly StagedRow[]): sql.Fragment {
  return {
    sql: `INSERT INTO row_states (batch_id, environment_id, kind, row_number, resource, state, handle, same_as,
                              object_id, code, field, message)
     SELECT batch.id, batch.environment_id, batch.kind, n.*
     FROM batch, unnest(?::int[], ${arrays.textsParameter}, ${arrays.textsParameter}, ${arrays.textsParameter}, ?::int[], ${arrays.textsParameter},
                 ${arrays.textsParameter}, ${arrays.textsParameter}, ${arrays.textsParameter})
       AS n (row_number, resource, state, handle, same_as, object_id, code, field, message)
     WHERE n.row_number IS NOT NULL`,
    bindings: [
      arrays.numbersLiteral(rows.map((row) => row.row)),
      ...arrays.arraysOf(rows, 'resource', 'state', 'handle').flatMap(arrays.textsBindings),
      arrays.numbersLiteral(rows.map((row) => row.sameAs)),
      ...arrays.textsBindings(rows.map((row) => row.objectId)),
      ...arrays.textsBindings(rows.map((row) => row.reason?.code ?? null)),
      ...arrays.textsBindings(rows.map((row) => row.reason?.field ?? null)),
      ...arrays.textsBindings(rows.map((row) => row.reason?.message ?? null)),
    ],
  };
}

/** The payees of the rows, in one value for all rows. It is used to compare files with each other. */
function payeesOf(rows: readonly StagedRow[]): sql.Fragment {
  const paying = rows.filter(({ payee }) => payee !== undefined);
  return {
    sql: `INSERT INTO batch_payees (batch_id, first_row, rows, payees)
     SELECT batch.id, n.rows[1], n.rows, n.payees FROM batch, (SELECT ?::int[] AS rows, ?::bytea AS payees) n
     WHERE cardinality(n.rows) > 0`,
    bindings: [
      arrays.numbersLiteral(paying.map(({ row }) => row)),
      Buffer.from(paying.map(({ payee }) => payee ?? '').join(''), 'latin1'),
    ],
  };
}

/** The search terms of the rows, in one value for all rows. An invalid row has no terms. */
function termsOf(rows: readonly StagedRow[]): sql.Fragment {
  const terms = rows.flatMap(({ record, state }) => (state === 'invalid' ? [] : termsOfRecord(record)));
  return {
    sql: `INSERT INTO search_terms (batch_id, first_row, last_row, bits)
     SELECT batch.id, n.* FROM batch, (SELECT ?::int, ?::int, ?::bytea) n (first_row, last_row, bits)
     WHERE n.bits IS NOT NULL`,
    bindings: [
      rows[0]?.row ?? 0,
      rows.at(-1)?.row ?? 0,
      terms.length === 0 ? null : Buffer.from(bitsOf(terms).buffer),
    ],
  };
}

/**
 * The numbers that the thresholds of a policy use. They are stored in the transaction that stages the rows, because
 * afterwards rows can only be excluded.
 */
function measuresOf(rows: readonly StagedRow[]): sql.Fragment {
  const sums = new AmountSums();
  let [counted, bare] = [0, 0];
  for (const { state, record } of rows) {
    if (state === 'invalid' || state === 'duplicate') continue;
    const { currency, amount } = record;
    counted += 1;
    if (currency === undefined || amount === undefined) bare += 1;
    else sums.add(currency, amount);
  }
  const byCurrency = Object.fromEntries(sums.result().map(({ currency, amount }) => [currency, amount]));
  return {
    sql: `INSERT INTO staged_measures (batch_id, first_row, rows, sums, bare)
     SELECT batch.id, n.* FROM batch, (SELECT ?::int, ?::int, ?::jsonb, ?::int) n (first_row, rows, sums, bare) WHERE n.rows > 0`,
    bindings: [rows[0]?.row ?? 0, counted, JSON.stringify(byCurrency), bare],
  };
}

/**
 * From this many rows on, statistics are collected for the planner, because the embedded ledger does not collect them
 * automatically.
 */
const rowsWorthAnalysing = 1_000;

/**
 * Statistics are collected only for the columns by which rows are found. The other columns cost five times as much, and no
 * query plan depends on them.
 */
export const analysis =
  'ANALYZE row_states (batch_id, row_number, environment_id, kind, state, chunk, handle, owned_key), ' +
  'row_inputs (batch_id, row_number)';

/**
 * Marks the batch as completely staged. From now on it is valid, and its rows may be prepared and sent. The user who started
 * the run becomes its maker.
 * @param notes about the file; some are known only when its end was read
 * @returns the number of its rows
 */
export const finishStaging = sql.longVerbOnce(
  async (database: Knex, id: string, runId: string, notes: readonly Message[]): Promise<number> => {
    const rowCount = await whileStaging(database, id, runId, async (transaction) => {
      await linkReadings(transaction, id);
      await linkDeliveredAgain(transaction, id);
      // If a batch is imported again into a rebuilt ledger, the ledger may have corrections of its rows already.
      await markOriginsOf(transaction, id, 0, null);
      return sql.onlyValue(
        transaction,
        sql.int4,
        `UPDATE batches SET staged_at = now(), notes = ?, made_by = (SELECT started_by FROM runs WHERE id = ?),
           row_count = (SELECT count(*)::int FROM row_states WHERE batch_id = batches.id)
         WHERE id = ? RETURNING row_count AS "rowCount"`,
        [JSON.stringify(notes), runId, id],
      );
    });
    if (rowCount >= rowsWorthAnalysing) await sql.execute(database, analysis);
    return rowCount;
  },
);

/**
 * Removes a batch that the run is staging, because its file was refused as a whole. A batch that another run is staging
 * stays.
 */
export const giveUpBatch = sql.longVerb(async (database: Knex, id: string, runId: string): Promise<void> => {
  try {
    await whileStaging(database, id, runId, (transaction) =>
      sql.execute(transaction, 'SELECT remove_unstaged(?)', [id]),
    );
  } catch (error) {
    if (!(error instanceof PaybatchError && error.code === 'lease_lost')) throw error;
  }
});
