/* The log of a run, and what settles a batch before it is sent: its family, and the logs of earlier runs. */

import { existsSync } from 'node:fs';
import { runLogPath } from '../../account/batch-files/files-of-batch.ts';
import type { LedgerAccess } from '../../call/connections.ts';
import type { CallContext } from '../../call/context.ts';
import { asFailure } from '../../call/stop-cause.ts';
import { version } from '../../call/version.ts';
import { openRunLog, type RunLog, type RunLogPort } from '../../disk/log/run-log.ts';
import type { BatchRecord, LeasedBatch } from '../../domain/batches/batch.ts';
import type { LoggedClaim } from '../../domain/batches/run-log.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { RowConclusion } from '../../domain/rows/ledger-row.ts';
import type { ResultRow } from '../../domain/rows/result-row.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { eventsOf, otherLedgerSends } from '../../recover/batch-logs.ts';
import { completeLog, completingEvents } from '../../recover/complete-log.ts';
import { whileLeased } from '../lease.ts';
import { holdChangedPayees } from './changed-payees.ts';

/** The ledger's verbs that keep rows, their corrections and their other readings apart. */
interface FamilyPort {
  readonly listRelatives: (batchId: string) => Promise<readonly string[]>;
  readonly supersedeCorrected: (
    batchId: string,
    afterRow: number,
  ) => Promise<{ readonly rows: readonly number[]; readonly lastRow: number | null }>;
  readonly releaseCorrections: (batchId: string) => Promise<number>;
}

/**
 * Brings a batch and those that its rows' families stand in up to date with each other: rows that stand corrected are taken
 * out of what is to be sent, and corrections go on that waited for a doubt which is over. Comes before any row of the batch
 * is prepared or put back. Each step is under the lock of one batch, and finds what earlier ones, or a program that died
 * between them, have left to do.
 * @param onSuperseded told of rows that were moved, by their batch
 * @returns the batches of which corrections go on
 */
async function settleFamilies(
  ledger: FamilyPort,
  batchId: string,
  onSuperseded: (batchId: string, rows: readonly number[]) => Promise<void>,
): Promise<readonly string[]> {
  const relatives = await ledger.listRelatives(batchId);
  if (relatives.length === 0) return [];
  const family = [...relatives, batchId];
  for (const id of family) await supersedeRowsOf(ledger, id, onSuperseded);
  const released: string[] = [];
  for (const id of family) if ((await ledger.releaseCorrections(id)) > 0) released.push(id);
  return released;
}

/** Takes those rows of a batch out of what is to be sent that stand corrected in another one. */
async function supersedeRowsOf(
  ledger: Pick<FamilyPort, 'supersedeCorrected'>,
  batchId: string,
  onSuperseded: (batchId: string, rows: readonly number[]) => Promise<void>,
): Promise<void> {
  let afterRow: number | null = 0;
  while (afterRow !== null) {
    const { rows, lastRow }: Awaited<ReturnType<FamilyPort['supersedeCorrected']>> =
      await ledger.supersedeCorrected(batchId, afterRow);
    if (rows.length > 0) await onSuperseded(batchId, rows);
    afterRow = lastRow;
  }
}

/** Opens the log of a run, whose place the ledger notes first: whoever works on the batch next looks there. */
export async function openLogOfRun(
  app: CallContext,
  verbs: LedgerVerbs,
  { batch, run, logComparedUntil }: Pick<LeasedBatch, 'batch' | 'run' | 'logComparedUntil'>,
): Promise<RunLog> {
  const path = runLogPath(app, batch);
  await verbs.noteRunLog(run.id, path);
  const claimsFrom = logComparedUntil === undefined ? {} : { claimsFrom: logComparedUntil };
  return openRunLog(path, { batch: batch.id, now: app.clock.now, ...claimsFrom });
}

/** Works with a log that is closed by the work, and lets go of its file where the work fails before. */
export async function withLog<Result>(
  runLog: Pick<RunLog, 'close'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await runLog.close().catch(() => {});
    throw error;
  }
}

/** The log of a run as those see it who are to end without it. */
export interface StoppingLog extends Pick<RunLog, 'append' | 'flush'> {
  /** As `flush`, with the head; stops as well when another ledger has written into the log. */
  readonly seal: () => Promise<void>;
  /** @returns whether all of it is on disk */
  readonly closeWhole: () => Promise<boolean>;
}

/**
 * Without its log a run sends nothing more: the log is what a lost ledger is recovered from. What is in flight is
 * recorded and the files are written anyway.
 * @param requireKnown throws when the ledger does not know claims that others have written into the log
 * @param stop is told why the log cannot be written, or that another ledger writes to it
 */
export function stoppingLog(
  runLog: RunLog,
  requireKnown: (claims: readonly LoggedClaim[]) => Promise<void>,
  stop: (failure: PaybatchError) => void,
): StoppingLog {
  const orStop = async (write: () => Promise<void>): Promise<boolean> => {
    try {
      await write();
      return true;
    } catch (error) {
      const failure = asFailure(error);
      if (!(failure instanceof PaybatchError)) throw error;
      stop(failure);
      return false;
    }
  };
  const seal = async (): Promise<void> => requireKnown(await runLog.seal());
  return {
    append: (events, at) => runLog.append(events, at),
    flush: async () => {
      await orStop(() => runLog.flush());
    },
    seal: async () => {
      await orStop(seal);
    },
    closeWhole: async () => {
      const isKnown = await orStop(seal);
      return (await orStop(() => runLog.close())) && isKnown;
    },
  };
}

/**
 * Whether the ledger knows what others have written into the log of one of its runs.
 * @throws PaybatchError (`ledger_behind`) when it does not: another ledger sends rows of the batch
 */
export async function requireOwnLedger(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  claims: readonly LoggedClaim[],
): Promise<void> {
  if (claims.length === 0 || (await verbs.countUnknownClaims(batch.id, claims)) === 0) return;
  throw await otherLedgerSends(verbs, batch, runLogPath(app, batch));
}

/** A log that has all that the ledger knows of earlier runs. */
export interface CompletedLog {
  readonly runLog: RunLog;
  /** Runs whose log lacked, or may have lacked, something. */
  readonly completed: readonly { readonly id: string; readonly startedAt: string }[];
  /**
   * Whether it had lost lines, or had changed ones. Once everything is written that they may have told of, the event
   * `log.completed` says so.
   */
  readonly wasDamaged: boolean;
}

/**
 * Opens the log of a run that works on a batch, and writes into it what the ledger knows and no log has: the answers
 * that a killed run had in memory, and everything where the log itself is gone, was cut or is damaged. A ledger that is
 * lost after that is recovered to the same states.
 * @throws OutputError
 */
export async function openCompletedLog(
  app: CallContext,
  verbs: LedgerVerbs,
  own: Pick<LeasedBatch, 'batch' | 'run' | 'isLogDamaged' | 'logComparedUntil'>,
): Promise<CompletedLog> {
  const { batch, run } = own;
  const path = runLogPath(app, batch);
  const isThere = existsSync(path);
  const runLog = await openLogOfRun(app, verbs, own);
  return withLog(runLog, async () => {
    const wasDamaged = own.isLogDamaged === true || !runLog.isWhole;
    const isLost = !isThere || wasDamaged;
    const unlogged = await verbs.listUnloggedRuns(batch.id, isLost ? path : null);
    const completed = unlogged.filter(({ id }) => id !== run.id);
    const sending = completed.filter(({ hasClaims }) => hasClaims);
    if (sending.length === 0) return { runLog, completed, wasDamaged };
    const answers = verbs.readLoggableAnswers(batch.id, isLost ? null : sending.map(({ id }) => id));
    const rows = await completeLog(runLog, batch.id, eventsOf(path, completingEvents), answers);
    if (rows > 0) {
      app.report({ kind: 'note', note: { code: 'log_completed', file: batch.fileName, rows } });
    }
    return { runLog, completed, wasDamaged };
  });
}

type StartedEvent = Extract<Parameters<RunLog['append']>[0][number], { event: 'run.started' }>;

/**
 * How a run of a batch begins in its log.
 * @param credential fingerprint of the API key in use; null for a run that sends nothing
 */
export async function startedEvent(
  verbs: LedgerVerbs,
  { batch, run }: LeasedBatch,
  credential: string | null,
): Promise<StartedEvent> {
  return {
    event: 'run.started',
    run: run.id,
    version,
    mode: batch.mode,
    origin: batch.origin,
    kind: batch.kind,
    sheet: batch.sheet,
    content_hash: batch.contentHash,
    reading_hash: batch.readingHash,
    credential,
    ...run.owner,
    rows: batch.rowCount ?? 0,
    counts: await verbs.countStatuses(batch.id),
  };
}

/**
 * Rows that end without a request are noted while the files are written: those that
 * changed in this run, or all of them when no earlier run has ended. Resolves when they are on disk:
 * kept until the end, the lines of a batch of which nothing is sent would fill the memory.
 */
export async function noteUnsentRows(
  runLog: Pick<RunLog, 'append' | 'flush'>,
  rows: readonly ResultRow[],
  changedSince: string,
): Promise<void> {
  const unsent = rows.filter(
    ({ attempts, status, code, changedAt }) =>
      (attempts === 0 || code === 'key_expired') &&
      status !== 'not_sent' &&
      status !== 'unknown' &&
      changedAt >= changedSince,
  );
  if (unsent.length === 0) return;
  runLog.append(
    unsent.map((row) => ({
      event: 'row.final',
      row: row.row,
      key: row.idempotencyKey,
      attempt: row.attempts,
      status: row.status,
      id: row.objectId,
      code: row.code,
    })),
  );
  await runLog.flush();
}

/** How many rows ended how, as progress tells it. */
export function outcomesOf(conclusions: readonly RowConclusion[]): {
  created: number;
  refused: number;
  waiting: number;
  inDoubt: number;
} {
  const count = (...states: readonly RowConclusion['conclusion']['state'][]): number =>
    conclusions.filter(({ conclusion }) => states.includes(conclusion.state)).length;
  return {
    created: count('created'),
    refused: count('rejected'),
    waiting: count('waiting'),
    inDoubt: count('unknown', 'held'),
  };
}

/** A run log that reports every answer besides, without anything personal. */
export function tellingAnswers(
  { report }: CallContext,
  batch: LeasedBatch['batch'],
  runLog: RunLog,
): RunLogPort {
  return {
    flush: () => runLog.flush(),
    seal: () => runLog.seal(),
    append: (events, at) => {
      runLog.append(events, at);
      for (const event of events) {
        if (event.event !== 'row.answered') continue;
        const { row, attempt, status, outcome, reason, duration_ms } = event;
        const fields = {
          batch: batch.id,
          row,
          attempt,
          status,
          outcome,
          code: reason,
          latency_ms: duration_ms,
        };
        report({ kind: 'detail', text: 'answered', fields });
      }
    },
  };
}

/**
 * Keeps the rows of leased batches apart from their corrections and other readings, and holds those whose payees differ
 * where a person wants that, before any of them is judged or sent.
 */
export function settleLeased(
  app: CallContext,
  access: LedgerAccess,
  held: readonly LeasedBatch[],
): Promise<void> {
  return whileLeased({ ledger: access.verbs, clock: app.clock }, held, async () => {
    for (const { batch } of held) {
      await settleBatch(app, access.verbs, batch.id);
      if (app.settings.controls.changes === 'hold') await holdChangedPayees(access.verbs, batch.id);
    }
  });
}

/**
 * The same for one batch. What is superseded stands in the log of its own batch before its correction is sent: a ledger that
 * is lost after that, and recovered from this log alone, does not send it either.
 * @returns the batches of its family of which corrections go on that waited for a doubt
 */
export function settleBatch(
  app: CallContext,
  verbs: LedgerVerbs,
  batchId: string,
): Promise<readonly string[]> {
  return settleFamilies(verbs, batchId, (id, rows) => logSuperseded(app, verbs, id, rows));
}

/**
 * The same for the rows of one batch alone: what they correct in other batches stays as it is. For a batch that is about
 * to be closed: its rows stand for nothing any more, and those that are corrected elsewhere say so.
 */
export function supersedeOwnRows(app: CallContext, verbs: LedgerVerbs, batchId: string): Promise<void> {
  return supersedeRowsOf(verbs, batchId, (id, rows) => logSuperseded(app, verbs, id, rows));
}

async function logSuperseded(
  app: CallContext,
  verbs: LedgerVerbs,
  batchId: string,
  rows: readonly number[],
): Promise<void> {
  const batch = await verbs.findBatch(batchId);
  if (batch === undefined) throw new Error('a batch of a family is not there');
  const logged = await verbs.findRowsToLog(batchId, rows);
  const paths = new Set([runLogPath(app, batch), ...(await verbs.listRunLogs(batchId))]);
  for (const path of [...paths].filter((each) => existsSync(each))) {
    const runLog = await openRunLog(path, { batch: batchId, now: app.clock.now });
    try {
      runLog.append(logged.map((row) => ({ event: 'row.final', ...row, id: null, code: 'superseded' })));
      await runLog.flush();
    } finally {
      await runLog.close();
    }
  }
}
