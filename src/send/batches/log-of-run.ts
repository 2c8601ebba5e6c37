/* The log of a run: opened, completed from earlier runs, and watched for other ledgers. */

import { existsSync } from 'node:fs';
import { runLogPath } from '../../account/batch-files/files-of-batch.ts';
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

/** Opens the log of a run. The ledger records its path first: the next run of the batch looks there. */
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

/** Works with a log that the work closes, and closes its file if the work fails before that. */
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

/** The log of a run, for code that has to stop the run when the log fails. */
export interface StoppingLog extends Pick<RunLog, 'append' | 'flush'> {
  /** As `flush`, with the head; also stops the run when another ledger has written into the log. */
  readonly seal: () => Promise<void>;
  /** @returns whether all of it is on disk */
  readonly closeWhole: () => Promise<boolean>;
}

/**
 * A run sends nothing more once its log fails: a lost ledger is recovered from the log. Rows in flight are recorded and
 * the files are written anyway.
 * @param requireKnown throws when the log has claims of others that the ledger does not know
 * @param stop called with the reason: the log cannot be written, or another ledger writes to it
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
 * Checks that the ledger knows what others have written into the log of one of its runs.
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
   * Whether it had lost or changed lines. Once everything is written that those may have held, the event `log.completed`
   * is written.
   */
  readonly wasDamaged: boolean;
}

/**
 * Opens the log of a run that works on a batch, and adds what the ledger knows and no log has: answers that a killed run
 * had in memory, or everything where the log is missing, cut or damaged. A ledger that is lost after that is recovered to
 * the same states.
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
 * The event with which a run of a batch begins in its log.
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
 * Writes rows that end without a request to the log while the files are written: those that changed in this run, or all
 * of them when no earlier run has ended. Resolves when they are on disk: if the lines were kept until the end, those of a
 * batch with nothing to send would fill the memory.
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

/** Number of rows by outcome, for progress reports. */
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

/** A run log that also reports every answer, without personal data. */
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
