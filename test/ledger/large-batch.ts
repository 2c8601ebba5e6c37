import { createHash, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { BatchRecord } from '../../src/domain/batches/batch.ts';
import type { RunRecord } from '../../src/domain/batches/run.ts';
import type { PayeeKeys } from '../../src/domain/rows/finding.ts';
import { uncheckedRows as query } from '../../src/ledger/query/sql.ts';
import { beginTestRun, executeByHand, stagedBatch, stagedRow } from '../support/ledger-rows.ts';

/** A batch with rows in every state that occurs, and what some of its rows are found by. */
export interface LargeBatch {
  readonly batch: BatchRecord;
  readonly run: RunRecord;
  readonly lastRow: number;
  readonly numbers: readonly number[];
  readonly handles: readonly string[];
  readonly naturalKeys: readonly Buffer[];
  readonly objectIds: readonly string[];
}

const rowsPerChunk = 64;

/**
 * A batch as it stands when most of it is done: nearly all rows created through their chunks; in each hundred one
 * that is invalid, one that repeats another, one existing, one rejected, one unknown, and one created after that,
 * all of these written out of their chunks. Every row names an institution.
 * @param openRows this number of the last rows are ready and not claimed yet, and as many behind those staged
 */
export async function largeBatch(database: Knex, rows: number, openRows: number): Promise<LargeBatch> {
  const reason = { code: 'required', field: null, message: 'is missing' };
  const batch = await stagedBatch(database, [stagedRow(2, { state: 'invalid', reason })]);
  const run = await beginTestRun(database, batch);
  const [firstReady, firstStaged] = [rows - 2 * openRows, rows - openRows];
  const given = [batch.id, run.id, randomUUID()];
  // Row 1 is the header; row 2 was staged above.
  await executeByHand(
    database,
    `WITH given AS (SELECT ?::uuid AS batch, ?::uuid AS run, ?::uuid AS salt),
     claimed AS (INSERT INTO claims (batch_id, lease_token, run_id, credential)
       SELECT batch, n, run, 'key one' FROM given, generate_series(0, ${rows} / ${rowsPerChunk}) n RETURNING 1),
     s AS (SELECT n, sha256(convert_to(salt::text || n, 'UTF8')) AS key, CASE
         WHEN n > ${firstStaged} THEN 'staged' WHEN n > ${firstReady} THEN 'chunk'
         WHEN n % 100 = 10 THEN 'invalid' WHEN n % 100 = 11 THEN 'duplicate' WHEN n % 100 = 12 THEN 'existing'
         WHEN n % 100 = 13 THEN 'rejected' WHEN n % 100 = 14 THEN 'unknown' WHEN n % 100 = 15 THEN 'created'
         ELSE 'chunk' END AS fate FROM given, generate_series(3, ${rows}) n),
     chunk AS (INSERT INTO send_chunks (batch_id, chunk, first_row, last_row, open_rows, lease_token)
       SELECT batch, n / ${rowsPerChunk}, min(n), max(n), count(*) FILTER (WHERE n > ${firstReady}),
         CASE WHEN min(n) <= ${firstReady} THEN n / ${rowsPerChunk} END
       FROM given, s WHERE fate = 'chunk' GROUP BY batch, n / ${rowsPerChunk} RETURNING 1),
     stored AS (INSERT INTO row_states (batch_id, row_number, environment_id, kind, resource, state, chunk,
         natural_key, owned_key, handle, same_as, object_id, run_id, first_sent_at, may_exist, attempts)
       SELECT batch, n, ${batch.environmentId}, 'customers', 'customers',
         CASE fate WHEN 'chunk' THEN 'ready' ELSE fate END, CASE fate WHEN 'chunk' THEN n / ${rowsPerChunk} END,
         CASE WHEN fate IN ('chunk', 'rejected', 'unknown', 'created') THEN key END,
         CASE WHEN fate IN ('chunk', 'unknown', 'created') THEN key END, 'c-' || n,
         CASE fate WHEN 'duplicate' THEN n - 2 END,
         CASE WHEN fate IN ('existing', 'created') THEN 'object-' || n END,
         CASE WHEN fate IN ('rejected', 'unknown', 'created') THEN run END,
         CASE WHEN fate IN ('rejected', 'unknown', 'created') THEN now() END, fate = 'unknown',
         CASE WHEN fate IN ('rejected', 'unknown', 'created') THEN 1 ELSE 0 END
       FROM given, s RETURNING 1),
     input AS (INSERT INTO row_inputs (batch_id, row_number, cells, record, findings, notes, hash)
       SELECT batch, n, '[]', jsonb_build_object('external_id', 'c-' || n, 'institution_id', 'bank'), '[]', '[]', sha256('')
       FROM given, s RETURNING 1),
     request AS (INSERT INTO requests (batch_id, row_number, generation, idempotency_key, path, body, fingerprint, run_id)
       SELECT batch, n, 1, gen_random_uuid(), '/customers', convert_to(repeat('body ', 40), 'UTF8'), key, run
       FROM given, s WHERE fate IN ('chunk', 'rejected', 'unknown', 'created') RETURNING 1),
     creation AS (INSERT INTO created_objects (batch_id, row_number, environment_id, kind, object_id, run_id, credential,
         first_sent_at, http_status, attempts)
       SELECT batch, n, ${batch.environmentId}, 'customers', 'object-' || n, run, 'key one', now(), 201, 1
       FROM given, s WHERE n <= ${firstReady} AND fate IN ('chunk', 'created') RETURNING 1),
     payee AS (INSERT INTO payees (environment_id, customer_key, name_key, details_key, account_key, batch_id, row_number)
       SELECT ${batch.environmentId}, ${keyOf(`customer${batch.environmentId} `, 'n / 2')}, ${keyOf('name')}, ${keyOf('details')}, ${keyOf('account')},
         batch, n FROM given, s WHERE fate IN ('chunk', 'rejected', 'unknown', 'created') RETURNING 1),
     change AS (INSERT INTO payee_changes (batch_id, row_number, code, earlier_batch_id, earlier_row, environment_id,
         customer_key, name_key, details_key)
       SELECT batch, n, 'account_shared', batch, n - 100, ${batch.environmentId}, ${keyOf(`customer${batch.environmentId} `, 'n / 2')}, ${keyOf('name')},
         ${keyOf('details')} FROM given, s WHERE n % 100 IN (15, 16) AND n > 200 RETURNING 1),
     paid AS (INSERT INTO batch_payees (batch_id, first_row, rows, payees)
       SELECT batch, min(n), array_agg(n), string_agg(substr(key, 1, 8), ''::bytea) FROM given, s
       GROUP BY batch, n / 1000 RETURNING 1),
     term AS (INSERT INTO search_terms (batch_id, first_row, last_row, bits)
       SELECT batch, min(n), max(n), decode(repeat('ff', 8192), 'hex') FROM given, s GROUP BY batch, n / 1000 RETURNING 1)
     INSERT INTO attempts (batch_id, row_number, generation, number, run_id, outcome, duration_in_ms, answer)
     SELECT batch, n, 1, 1, run, CASE WHEN fate IN ('rejected', 'unknown') THEN fate ELSE 'created' END, 1, '{}'
     FROM given, s WHERE n <= ${firstReady} AND fate IN ('chunk', 'rejected', 'unknown', 'created')`,
    given,
  );
  await executeByHand(database, 'UPDATE batches SET row_count = ? WHERE id = ?', [rows - 1, batch.id]);
  return { batch, run, lastRow: rows, ...(await namesOf(database, batch.id)) };
}

/** SQL of a key of the payee of row `n`; two rows that follow each other have one customer. */
function keyOf(what: string, number = 'n'): string {
  return `substr(sha256(convert_to('${what}' || ${number}, 'UTF8')), 1, 16)`;
}

/** The payees of rows of a large batch, in that order. */
export function payeesOfRows(
  { batch: { environmentId } }: Pick<LargeBatch, 'batch'>,
  rows: readonly number[],
): (PayeeKeys & { readonly n: number })[] {
  const key = (text: string): string =>
    createHash('sha256').update(text).digest().subarray(0, 16).toString('latin1');
  return rows.map((row, n) => ({
    n,
    customer: key(`customer${environmentId} ${Math.floor(row / 2)}`),
    name: key(`name${row}`),
    nameMarks: '',
    details: key(`details${row}`),
    account: key(`account${row}`),
  }));
}

/** A thousand created rows from all over the batch. */
async function namesOf(
  database: Knex,
  batchId: string,
): Promise<Pick<LargeBatch, 'numbers' | 'handles' | 'naturalKeys' | 'objectIds'>> {
  const rows = await query<{ row: number; handle: string; naturalKey: Buffer; objectId: string }>(
    database,
    `SELECT s.row_number AS row, s.handle, s.natural_key AS "naturalKey", c.object_id AS "objectId"
     FROM created_objects c CROSS JOIN LATERAL (SELECT * FROM row_states
       WHERE batch_id = c.batch_id AND row_number = c.row_number OFFSET 0) s
     WHERE c.batch_id = ? ORDER BY (c.row_number::bigint * 7919) % 10007 LIMIT 1000`,
    [batchId],
  );
  return {
    numbers: rows.map(({ row }) => row),
    handles: rows.map(({ handle }) => handle),
    naturalKeys: rows.map(({ naturalKey }) => naturalKey),
    objectIds: rows.map(({ objectId }) => objectId),
  };
}

/** Reads all pages of a verb. */
export async function walk(pages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pages);
}
