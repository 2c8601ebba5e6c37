import type { Knex } from 'knex';
import { shortBatchId } from '../domain/batch.ts';
import type { ExitCode } from '../domain/exit-code.ts';
import { exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import type { RunOwner, RunRecord } from '../domain/ledger-row.ts';
import { mayBeAlive, thisOwner } from './owner.ts';
import { writeOutLost } from './portions.ts';
import { type Database, execute, isoUtc, query, stateIs } from './sql.ts';

const runColumns = `
  id, number, command, owner_host AS host, owner_process AS process, ${isoUtc('started_at')} AS "startedAt",
  ${isoUtc('lease_until')} AS "leaseUntil", ${isoUtc('ended_at')} AS "endedAt", exit_code AS "exitCode"`;

interface RunRow extends Omit<RunRecord, 'owner'> {
  readonly host: string;
  readonly process: string;
}

function toRecord({ host, process, ...run }: RunRow): RunRecord {
  return { ...run, owner: { host, process } };
}

/** The runs of a batch, oldest first. */
export async function listRuns(database: Database, batchId: string): Promise<RunRecord[]> {
  const runs = await query<RunRow>(
    database,
    `SELECT ${runColumns} FROM runs WHERE batch_id = ? ORDER BY started_at, number`,
    [batchId],
  );
  return runs.map(toRecord);
}

/**
 * Begins a run of a batch, if no other run holds it. A run that ended, whose lease has run out, or whose
 * process on this host is gone, holds nothing any more: its rows under lease become `unknown` at once.
 * @param leaseInMs how long the run is trusted to live without a sign of life
 * @throws Failure (exit 7) that names the holder
 */
export async function beginRun(
  database: Knex,
  run: { id: string; batchId: string; command: string; leaseInMs: number; join: boolean },
): Promise<RunRecord> {
  return database.transaction(async (transaction) => {
    const held = await query(transaction, 'SELECT id FROM batches WHERE id = ? FOR NO KEY UPDATE', [
      run.batchId,
    ]);
    if (held.length === 0) throw givenUpMeanwhile(run.batchId);
    const open = await query<RunRow & { isExpired: boolean }>(
      transaction,
      `SELECT ${runColumns}, lease_until <= now() AS "isExpired" FROM runs WHERE batch_id = ? AND ended_at IS NULL`,
      [run.batchId],
    );
    const isDead = (candidate: (typeof open)[number]): boolean =>
      candidate.isExpired || !mayBeAlive({ host: candidate.host, process: candidate.process });
    const holder = open.find((candidate) => !isDead(candidate));
    if (holder !== undefined && !run.join) throw heldBy(run.batchId, toRecord(holder));
    await endLostRuns(transaction, run.batchId, open.filter(isDead));
    return insertRun(transaction, run, thisOwner());
  });
}

function givenUpMeanwhile(batchId: string): Failure {
  return new Failure(
    exitCodes.stopped,
    'batch_given_up',
    `Another run of the same file gave batch ${shortBatchId(batchId)} up just now: the file was refused as a whole.`,
    'import the file again to see why',
  );
}

function heldBy(batchId: string, holder: RunRecord): Failure {
  const pid = holder.owner.process.split(' ', 1)[0];
  return new Failure(
    exitCodes.batchHeld,
    'batch_held',
    `Batch ${shortBatchId(batchId)} is held by another run: paybatch ${holder.command}, process ${pid} on ` +
      `${holder.owner.host}, since ${holder.startedAt}.`,
    `wait for it to end, then: paybatch resume ${shortBatchId(batchId)}`,
  );
}

async function endLostRuns(transaction: Database, batchId: string, lost: readonly RunRow[]): Promise<void> {
  const ids = lost.map((run) => run.id);
  await execute(transaction, 'UPDATE runs SET ended_at = now() WHERE id = ANY(?::uuid[])', [ids]);
  const ofEndedRuns = 'run_id IN (SELECT id FROM runs WHERE batch_id = ? AND ended_at IS NOT NULL)';
  await writeOutLost(transaction, batchId, ofEndedRuns, [batchId]);
  await execute(transaction, takeOverSql(ofEndedRuns), [batchId, batchId, batchId]);
}

/**
 * A lost worker may have sent its rows: they are unknown, and no late answer of its lease counts any more.
 * Rows that somebody is writing at this very moment are left out: that worker is not lost, and two that
 * wait for each other's rows would be a deadlock.
 */
function takeOverSql(whose: string): string {
  return `WITH lost AS (
            SELECT row_number FROM stored_rows WHERE batch_id = ? AND state = 'sending' AND ${whose}
            FOR NO KEY UPDATE SKIP LOCKED)
          UPDATE stored_rows r SET state = 'unknown', may_exist = true, lease_token = NULL, lease_until = NULL,
            code = 'worker_lost', field = NULL, changed_at = now(),
            message = 'The run that was sending this row ended before its answer was recorded.'
          FROM lost WHERE r.batch_id = ? AND r.row_number = lost.row_number AND ${stateIs('r', 'sending')}`;
}

/** Takes over the rows whose leases have run out, whoever held them. */
export async function takeOverExpired(database: Knex, batchId: string): Promise<number> {
  return database.transaction(async (transaction) => {
    const isExpired = 'lease_until < now()';
    await writeOutLost(transaction, batchId, isExpired, []);
    return execute(transaction, takeOverSql(isExpired), [batchId, batchId]);
  });
}

async function insertRun(
  transaction: Database,
  run: { id: string; batchId: string; command: string; leaseInMs: number },
  owner: RunOwner,
): Promise<RunRecord> {
  const [inserted] = await query<RunRow>(
    transaction,
    `INSERT INTO runs (id, batch_id, command, owner_host, owner_process, lease_until)
     VALUES (?, ?, ?, ?, ?, now() + ? * interval '1 millisecond') RETURNING ${runColumns}`,
    [run.id, run.batchId, run.command, owner.host, owner.process, run.leaseInMs],
  );
  if (inserted === undefined) throw new Error('a run was noted and is not there');
  return toRecord(inserted);
}

/**
 * A sign of life: prolongs the run's lease and those of its rows.
 * @returns false when the run was taken over meanwhile; it then holds nothing any more
 */
export async function prolongRun(
  database: Knex,
  runId: string,
  batchId: string,
  leaseInMs: number,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const prolonged = await execute(
      transaction,
      `UPDATE runs SET lease_until = now() + ? * interval '1 millisecond' WHERE id = ? AND ended_at IS NULL`,
      [leaseInMs, runId],
    );
    if (prolonged === 0) return false;
    await prolongClaims(transaction, runId, batchId, leaseInMs);
    return true;
  });
}

/** What is being recorded right now needs no longer lease, and waiting for it could be a deadlock. */
async function prolongClaims(
  transaction: Database,
  runId: string,
  batchId: string,
  leaseInMs: number,
): Promise<void> {
  await execute(
    transaction,
    `WITH held AS (
       SELECT lease_token FROM portions WHERE batch_id = ? AND lease_token IS NOT NULL AND run_id = ?
       FOR NO KEY UPDATE SKIP LOCKED)
     UPDATE portions p SET lease_until = now() + ? * interval '1 millisecond'
     FROM held WHERE p.batch_id = ? AND p.lease_token = held.lease_token`,
    [batchId, runId, leaseInMs, batchId],
  );
  await execute(
    transaction,
    `WITH held AS (
       SELECT row_number FROM stored_rows WHERE batch_id = ? AND state = 'sending' AND run_id = ?
       FOR NO KEY UPDATE SKIP LOCKED)
     UPDATE stored_rows r SET lease_until = now() + ? * interval '1 millisecond'
     FROM held WHERE r.batch_id = ? AND r.row_number = held.row_number AND ${stateIs('r', 'sending')}`,
    [batchId, runId, leaseInMs, batchId],
  );
}

export async function endRun(database: Database, runId: string, exitCode: ExitCode): Promise<void> {
  await execute(
    database,
    'UPDATE runs SET ended_at = now(), exit_code = ? WHERE id = ? AND ended_at IS NULL',
    [exitCode, runId],
  );
}

/**
 * Ends a run unless it is the batch's last one, which still has to write the files. Of two that ask at
 * the same time exactly one is told that it is the last.
 * @returns whether this run is the last
 */
export async function endUnlessLast(
  database: Knex,
  run: { readonly id: string; readonly batchId: string; readonly exitCode: ExitCode },
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await query(transaction, 'SELECT id FROM batches WHERE id = ? FOR NO KEY UPDATE', [run.batchId]);
    const others = await query<RunRow>(
      transaction,
      `SELECT ${runColumns} FROM runs
       WHERE batch_id = ? AND id <> ? AND ended_at IS NULL AND lease_until > now()`,
      [run.batchId, run.id],
    );
    const isLast = !others.some(({ host, process }) => mayBeAlive({ host, process }));
    if (!isLast) await endRun(transaction, run.id, run.exitCode);
    return isLast;
  });
}
