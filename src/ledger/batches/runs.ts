/* Runs: how they begin, send heartbeats, share a batch's request rate, and end, and how lost runs are taken over. */

import type { Knex } from 'knex';
import { shortBatchId } from '../../domain/batches/batch.ts';
import type { RunOwner, RunRecord } from '../../domain/batches/run.ts';
import { type CallOutcome, PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { ActorOfEvent } from '../audit/events.ts';
import { mayBeAlive, thisOwner } from '../connection/folder-lock.ts';
import { changeBatch, countChange, lockBatch, materializeLost } from '../protocol/batch-lock.ts';
import * as sql from '../query/sql.ts';
import { requireOpenBatch } from './closing.ts';

const runColumns = `
  id, number, command, started_by AS "startedBy", channel, owner_host AS host, owner_process AS process, ${sql.isoUtc('started_at')} AS "startedAt",
  ${sql.isoUtc('lease_until')} AS "leaseUntil", ${sql.isoUtc('ended_at')} AS "endedAt", outcome`;

const runRow = {
  id: sql.uuid,
  number: sql.int4,
  command: sql.text,
  startedBy: sql.orNull(sql.text),
  channel: sql.orNull(sql.text),
  host: sql.text,
  process: sql.text,
  startedAt: sql.text,
  leaseUntil: sql.text,
  endedAt: sql.orNull(sql.text),
  outcome: sql.orNull(sql.word<CallOutcome>()),
};

type RunRow = sql.RowOf<typeof runRow>;

function toRecord({ host, process, startedBy, channel, ...run }: RunRow): RunRecord {
  const actor = startedBy === null || channel === null ? null : { name: startedBy, channel };
  return { ...run, actor, owner: { host, process } };
}

/** The runs of a batch, oldest first. They are ordered by number, since the database's clock may be set back. */
export const listRuns = sql.shortVerb(
  async (database: sql.Database, batchId: string): Promise<RunRecord[]> => {
    const runs = await sql.query(
      database,
      runRow,
      `SELECT ${runColumns} FROM runs WHERE batch_id = ? ORDER BY number`,
      [batchId],
    );
    return runs.map(toRecord);
  },
);

/** The runs of several batches, by batch. */
export function listRunsOf(
  database: sql.Database,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, readonly RunRecord[]>> {
  return runsByBatch(database, 'batch_id = ANY(?::uuid[]) ORDER BY number', batchIds);
}

/** The runs of all batches that have not ended, in progress or interrupted; at most `limit`. */
export function listRunsNotEnded(
  database: sql.Database,
  limit: number,
): Promise<ReadonlyMap<string, readonly RunRecord[]>> {
  return runsByBatch(database, 'ended_at IS NULL ORDER BY batch_id LIMIT ?', limit);
}

/** @param which SQL of a condition with one binding, and of the order */
async function runsByBatch(
  database: sql.Database,
  which: string,
  binding: unknown,
): Promise<ReadonlyMap<string, readonly RunRecord[]>> {
  const runs = await sql.query(
    database,
    { batchId: sql.uuid, ...runRow },
    `SELECT batch_id AS "batchId", ${runColumns} FROM runs WHERE ${which}`,
    [binding],
  );
  const groups = sql.groupedById(runs.map(({ batchId: id, ...run }) => ({ id, run: toRecord(run) })));
  return new Map([...groups].map(([id, each]) => [id, each.map(({ run }) => run)]));
}

/** The identity and the options of a new run. */
interface RunToBegin {
  readonly id: string;
  readonly batchId: string;
  readonly command: string;
  /** How long after a heartbeat the run counts as alive. */
  readonly leaseInMs: number;
  /** Whether the run may begin while other runs hold the batch. */
  readonly join: boolean;
  /** Who started the run, and through which interface; absent if that is not known. */
  readonly actor?: ActorOfEvent | null;
  /** Whether the run may begin on a closed batch, for runs that send nothing. False by default. */
  readonly ofClosed?: boolean;
}

/**
 * Begins a run of a batch, if no other run holds it. A run no longer holds the batch if it has ended, if its lease has
 * expired, or if its process on this host has ended. The rows under its lease then become `unknown` at once.
 * @throws PaybatchError (`busy`) that names the holder; (`batch_closed`) if a person has closed the batch
 */
export const beginRun = sql.longVerbOnce(
  async (database: Knex, run: RunToBegin): Promise<RunRecord> =>
    database.transaction(async (transaction) => {
      if ((await lockBatch(transaction, run.batchId)) === null) throw givenUpMeanwhile(run.batchId);
      if (run.ofClosed !== true) await requireOpenBatch(transaction, run.batchId);
      await refuseIfHeld(transaction, run);
      if ((await takeOver(transaction, run.batchId)) > 0) await countChange(transaction, run.batchId);
      // A run that seemed lost may have sent a heartbeat since then. In that case it has not been ended.
      await refuseIfHeld(transaction, run);
      return insertRun(transaction, run, thisOwner());
    }),
);

/** @throws PaybatchError if a run that is not lost holds the batch and the new run may not join it */
async function refuseIfHeld(transaction: sql.Database, { batchId, join }: RunToBegin): Promise<void> {
  if (join) return;
  const holder = (await openRuns(transaction, batchId)).find((run) => !isLost(run));
  if (holder !== undefined) throw heldBy(batchId, toRecord(holder));
}

/** SQL: the maximum remaining time of a lease. A lease with more time left was set before the clock was set back. */
const longestLease = "interval '10 minutes'";

/** SQL: an open run has sent no heartbeat for longer than its lease. */
const isExpired = `(lease_until <= now() OR lease_until > now() + ${longestLease})`;

type OpenRun = RunRow & { readonly isExpired: boolean };

function openRuns(transaction: sql.Database, batchId: string): Promise<OpenRun[]> {
  return sql.query(
    transaction,
    { ...runRow, isExpired: sql.bool },
    `SELECT ${runColumns}, ${isExpired} AS "isExpired" FROM runs
     WHERE batch_id = ? AND ended_at IS NULL ORDER BY number`,
    [batchId],
  );
}

function isLost({ isExpired, host, process }: OpenRun): boolean {
  return isExpired || !mayBeAlive({ host, process });
}

function givenUpMeanwhile(batchId: string): PaybatchError {
  return new PaybatchError(
    'batch_given_up',
    `Another run of the same file gave batch ${shortBatchId(batchId)} up just now: the file was refused as a whole.`,
    'import the file again to see why',
  );
}

function heldBy(batchId: string, holder: RunRecord): PaybatchError {
  const pid = holder.owner.process.split(' ', 1)[0];
  return new PaybatchError(
    'batch_held',
    `Batch ${shortBatchId(batchId)} is held by another run: ${holder.command}, process ${pid} on ` +
      `${holder.owner.host}, since ${holder.startedAt}.`,
    {
      action: 'advice',
      text: 'wait for it to end',
      next: { action: 'resume', batch: shortBatchId(batchId) },
    },
  );
}

/**
 * Ends the lost runs of a batch, and takes over the rows of all ended runs. A lost worker may have sent these rows. So they
 * become unknown, this counts as a request, and late answers under their lease no longer count. Called under the batch's
 * lock.
 * @returns the number of rows
 */
async function takeOver(transaction: sql.Database, batchId: string): Promise<number> {
  const lost = (await openRuns(transaction, batchId)).filter(isLost);
  if (lost.length > 0) await endLost(transaction, lost);
  await materializeLost(transaction, batchId);
  return sql.execute(
    transaction,
    `UPDATE row_states r SET state = 'unknown', may_exist = true, lease_token = NULL, run_id = NULL,
       attempts = r.attempts + 1, code = 'worker_lost', field = NULL, changed_at = now(),
       message = 'The run that was sending this row ended before its answer was recorded.'
     FROM runs u WHERE r.batch_id = ? AND r.state = 'sending' AND u.id = r.run_id AND u.ended_at IS NOT NULL`,
    [batchId],
  );
}

/** A run that has just sent a heartbeat is not lost: its line shows the heartbeat by now. */
async function endLost(transaction: sql.Database, lost: readonly OpenRun[]): Promise<void> {
  const [expired, gone] = [lost.filter((run) => run.isExpired), lost.filter((run) => !run.isExpired)];
  await sql.execute(
    transaction,
    `UPDATE runs SET ended_at = now() WHERE ended_at IS NULL
       AND (id = ANY(?::uuid[]) OR (id = ANY(?::uuid[]) AND ${isExpired}))`,
    [gone.map(({ id }) => id), expired.map(({ id }) => id)],
  );
}

/**
 * Takes over the rows of runs whose leases have expired, or that ended without recording their rows.
 * @returns the number of rows
 */
export const takeOverExpired = sql.longVerb(
  (database: Knex, batchId: string): Promise<number> =>
    changeBatch(
      database,
      batchId,
      (transaction) => takeOver(transaction, batchId),
      (rows) => rows > 0,
    ),
);

async function insertRun(transaction: sql.Database, run: RunToBegin, owner: RunOwner): Promise<RunRecord> {
  const inserted = await sql.onlyRow(
    transaction,
    runRow,
    `INSERT INTO runs (id, batch_id, command, owner_host, owner_process, started_by, channel, lease_until)
     -- Not from the transaction's beginning on: it may have waited for the batch's lock.
     VALUES (?, ?, ?, ?, ?, ?, ?, clock_timestamp() + ? * interval '1 millisecond') RETURNING ${runColumns}`,
    [
      ...[run.id, run.batchId, run.command, owner.host, owner.process],
      ...[run.actor?.name ?? null, run.actor?.channel ?? null, run.leaseInMs],
    ],
  );
  return toRecord(inserted);
}

/**
 * A heartbeat: extends the run's lease, and with it the run's right to all rows that it has claimed. It waits for no lock of
 * the batch.
 * @returns false if the run was taken over; then it no longer holds any rows
 */
export const prolongRun = sql.shortVerbOnce(
  (database: sql.Database, runId: string, leaseInMs: number): Promise<boolean> =>
    sql.changesAny(
      database,
      `UPDATE runs SET lease_until = now() + ? * interval '1 millisecond' WHERE id = ? AND ended_at IS NULL`,
      [leaseInMs, runId],
    ),
);

/**
 * Reserves the next interval of a batch's request rate. An interval begins where the interval of the previous request ends,
 * but never in the past. So unused time is lost, and no burst makes up for it.
 * @returns after how many milliseconds the interval begins, by the database's clock
 */
export const reserveRate = sql.shortVerb(
  async (database: sql.Database, batchId: string, durationInMs: number): Promise<number> => {
    const interval = await sql.onlyRow(
      database,
      { startsInMs: sql.float8 },
      `UPDATE batches SET rate_reserved_until =
         greatest(rate_reserved_until, clock_timestamp()) + ? * interval '1 millisecond'
       WHERE id = ?
       RETURNING (extract(epoch FROM rate_reserved_until - clock_timestamp()) * 1000 - ?)::float8 AS "startsInMs"`,
      [durationInMs, batchId, durationInMs],
    );
    return Math.max(0, interval.startsInMs);
  },
);

/** Ends a run, even if work is left. */
export const endRun = sql.shortVerb(
  (database: sql.Database, runId: string, outcome: CallOutcome): Promise<void> =>
    sql.run(database, 'UPDATE runs SET ended_at = now(), outcome = ? WHERE id = ? AND ended_at IS NULL', [
      outcome,
      runId,
    ]),
);

/**
 * Ends a run that has written the batch's files, if the files match the batch's present state.
 * @param run `revision` is the batch's revision from before the rows of the files were read
 * @param isLastTry ends the run in any case if there are other runs; these then find that they have to write the files again
 * @returns whether the run has ended; if not, the files have to be written again
 */
export const endRunWithFiles = sql.shortVerb(
  (
    database: Knex,
    run: {
      readonly id: string;
      readonly batchId: string;
      readonly outcome: CallOutcome;
      readonly revision: string;
    },
    isLastTry: boolean,
  ): Promise<boolean> =>
    database.transaction(async (transaction) => {
      const revision = await lockBatch(transaction, run.batchId);
      if (revision !== run.revision) {
        const others = (await openRuns(transaction, run.batchId)).filter(({ id }) => id !== run.id);
        if (!isLastTry || others.every(isLost)) return false;
        // The files of this run may have replaced the files of another run that has checked its own already.
        await countChange(transaction, run.batchId);
      }
      await endRun(transaction, run.id, run.outcome);
      return true;
    }),
);
