import { createHash, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { BatchIdentity, BatchRecord, Environment } from '../../src/domain/batches/batch.ts';
import type { RunRecord } from '../../src/domain/batches/run.ts';
import type { ClaimedRow, Preparation, RowConclusion, StagedRow } from '../../src/domain/rows/ledger-row.ts';
import type { Attempt, Conclusion } from '../../src/domain/sending/outcome.ts';
import { fingerprintOf } from '../../src/kinds/request.ts';
import { beginBatch } from '../../src/ledger/batches/batches.ts';
import { beginRun } from '../../src/ledger/batches/runs.ts';
import { writePreparations } from '../../src/ledger/before-sending/prepare.ts';
import { finishStaging, stageRows } from '../../src/ledger/before-sending/stage.ts';
import { type Database, execute, uncheckedRows as query } from '../../src/ledger/query/sql.ts';
import { type ClaimRequest, claimRows } from '../../src/ledger/sending/claim.ts';
import { recordConclusions } from '../../src/ledger/sending/record.ts';

export type ReadyPreparation = Extract<Preparation, { to: 'ready' }>;

const dayInMs = 86_400_000;

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The identity of a batch that no other test has, in an environment of its own. */
export function newIdentity(given: Partial<BatchIdentity> = {}): BatchIdentity {
  return {
    // Ids of objects are unique in an environment, and most tests call theirs the same.
    environment: { mode: 'sandbox', origin: `https://${randomUUID()}.example.test` },
    kind: 'customers',
    sheet: null,
    contentHash: hashOf(randomUUID()).toString('hex'),
    readingHash: hashOf('').toString('hex'),
    ...given,
  };
}

/** The environment of a batch, for another one beside it. */
export function besides({ mode, origin }: BatchRecord): { readonly environment: Environment } {
  return { environment: { mode, origin } };
}

/** What a batch of a test is: everything else is its own. */
type GivenBatch = Partial<BatchIdentity> & { readonly importId?: string };

export function beginTestBatch(
  database: Database,
  { importId = randomUUID(), ...given }: GivenBatch = {},
): Promise<BatchRecord> {
  const input = { fileName: 'people.csv', header: ['external_id', 'email'], importId };
  return beginBatch(database, newIdentity(given), input);
}

export function stagedRow(row: number, given: Partial<StagedRow> = {}): StagedRow {
  return {
    row,
    resource: 'customers',
    state: 'staged',
    cells: [`c-${row}`, `c${row}@example.test`],
    record: { external_id: `c-${row}`, country: 'KE' },
    findings: [],
    notes: [],
    handle: null,
    sameAs: null,
    objectId: null,
    reason: null,
    ...given,
  };
}

export function duplicateOf(original: number, row: number): StagedRow {
  return stagedRow(row, { state: 'duplicate', sameAs: original });
}

/** A batch that is staged to its end, with these rows, or a number of plain ones from row 2 on. */
export async function stagedBatch(
  database: Knex,
  rows: number | readonly StagedRow[],
  given: GivenBatch = {},
): Promise<BatchRecord> {
  const batch = await beginTestBatch(database, given);
  const staged = typeof rows === 'number' ? Array.from({ length: rows }, (_, at) => stagedRow(at + 2)) : rows;
  const run = await beginTestRun(database, batch);
  await stageRows(database, batch, run.id, staged);
  await finishStaging(database, batch.id, run.id, []);
  // What tests look at begins with the batch as it stands.
  await execute(database, 'DELETE FROM runs WHERE id = ?', [run.id]);
  return batch;
}

/** Puts the runs back that staged batches of a test: their events are in the trail. */
export async function restoreStagingRuns(database: Knex): Promise<void> {
  await executeByHand(
    database,
    `INSERT INTO runs (id, batch_id, command, owner_host, owner_process, lease_until, started_by, channel)
     SELECT (details::jsonb->>'run')::uuid, chain::uuid, details::jsonb->>'command', '', '', now(), actor, channel
     FROM audit_events e WHERE event = 'run.begun' AND NOT EXISTS (SELECT FROM runs WHERE id::text = e.details::jsonb->>'run')`,
  );
}

export function beginTestRun(
  database: Knex,
  batch: BatchRecord,
  given: { join?: boolean; leaseInMs?: number; command?: string } = {},
): Promise<RunRecord> {
  const { join = false, leaseInMs = 60_000, command = 'import' } = given;
  const run = { id: randomUUID(), batchId: batch.id, command, leaseInMs, join };
  return beginRun(database, { ...run, actor: { name: 'maker', channel: 'library' } });
}

/** A request of its own for a row; two of the same `object` are about the same object. */
export function readyPreparation(
  batch: BatchRecord,
  row: number,
  given: Partial<ReadyPreparation> & { object?: string } = {},
): ReadyPreparation {
  const { object = `${batch.id} ${row}`, path = '/customers', ...rest } = given;
  const body = given.body ?? Buffer.from(`{"external_id":"c-${row}"}`);
  return {
    row,
    generation: 1,
    to: 'ready',
    idempotencyKey: randomUUID(),
    path,
    body,
    fingerprint: fingerprintOf(path, body),
    naturalKey: hashOf(object),
    handle: null,
    ...rest,
  };
}

export interface BatchUnderRun {
  readonly batch: BatchRecord;
  readonly run: RunRecord;
}

/**
 * A batch with a number of rows that are ready to be sent, from row 2 on, and a run that holds it. Each row is a chunk
 * of its own unless stated, so that a claim takes as many as it asks for.
 */
export async function readyBatch(
  database: Knex,
  count: number,
  rowsPerChunk = 1,
  given: GivenBatch = {},
): Promise<BatchUnderRun> {
  const batch = await stagedBatch(database, count, given);
  const run = await beginTestRun(database, batch);
  const preparations = Array.from({ length: count }, (_, at) => readyPreparation(batch, at + 2));
  await writePreparations(database, batch.id, run.id, preparations, rowsPerChunk);
  return { batch, run };
}

let tokens = 0;

export function claimRequest({ batch, run }: BatchUnderRun, given: Partial<ClaimRequest> = {}): ClaimRequest {
  tokens += 1;
  return {
    batchId: batch.id,
    runId: run.id,
    leaseToken: String(BigInt(run.number) * 4_294_967_296n + BigInt(tokens)),
    credential: 'key one',
    keyLifetimeInMs: dayInMs,
    approvalId: undefined,
    limit: 100,
    rows: 'all',
    ...given,
  };
}

export function claim(
  database: Knex,
  held: BatchUnderRun,
  given: Partial<ClaimRequest> = {},
): Promise<ClaimedRow[]> {
  return claimRows(database, claimRequest(held, given));
}

export function attempt(given: Partial<Attempt> = {}): Attempt {
  return {
    number: 1,
    outcome: 'created',
    reason: null,
    httpStatus: 201,
    objectId: null,
    durationInMs: 12.5,
    answer: null,
    ...given,
  };
}

/** What a claimed row came to; with the evidence that its state needs, unless stated otherwise. */
export function concluded(claimed: ClaimedRow, given: Partial<Conclusion> = {}): RowConclusion {
  const { row, generation, leaseToken, idempotencyKey } = claimed;
  const state = given.state ?? 'created';
  const objectId = state === 'created' ? `object-${row}` : null;
  const conclusion: Conclusion = { objectId, code: null, message: null, attempts: [], ...given, state };
  return { row, generation, leaseToken, idempotencyKey, conclusion };
}

/** Records the same for all of these rows. */
export function conclude(
  database: Knex,
  { batch, run }: BatchUnderRun,
  claimed: readonly ClaimedRow[],
  given: Partial<Conclusion> = {},
): Promise<Set<number>> {
  return recordConclusions(
    database,
    batch.id,
    run.id,
    claimed.map((row) => concluded(row, given)),
  );
}

/** Changes rows by hand, of whichever batches: no trigger looks whether they are locked, and no foreign key is checked. */
export function executeByHand(
  database: Knex,
  sql: string,
  bindings: readonly unknown[] = [],
): Promise<number> {
  return database.transaction(async (transaction) => {
    await query(transaction, 'SET LOCAL session_replication_role = replica');
    return execute(transaction, sql, bindings);
  });
}

/** A row as the ledger's table has it. */
export async function storedRow(
  database: Database,
  batch: BatchRecord,
  row: number,
): Promise<Record<string, unknown>> {
  const [stored] = await query<Record<string, unknown>>(
    database,
    'SELECT * FROM rows WHERE batch_id = ? AND row_number = ?',
    [batch.id, row],
  );
  if (stored === undefined) throw new Error(`row ${row} is not in the ledger`);
  return stored;
}

export async function statesOf(database: Database, batch: BatchRecord): Promise<Record<number, string>> {
  const rows = await query<{ row: number; state: string }>(
    database,
    'SELECT row_number AS row, state FROM rows WHERE batch_id = ? ORDER BY row_number',
    [batch.id],
  );
  return Object.fromEntries(rows.map(({ row, state }) => [row, state]));
}
