/*
 * The log of a run: opened, completed with entries of earlier runs, watched for other ledgers. Also the log entries that
 * every run writes.
 */

import { existsSync } from 'node:fs';
import { runLogPath } from '../account/batch-files/files-of-batch.ts';
import type { CallContext } from '../call/context.ts';
import { version } from '../call/settings.ts';
import { asFailure } from '../call/start.ts';
import type { RunEvent } from '../disk/log/run-event.ts';
import { openRunLog, type RunLog, type RunLogPort } from '../disk/log/run-log.ts';
import type { BatchRecord, LeasedBatch } from '../domain/batches/batch.ts';
import type { AuditHead } from '../domain/batches/batch-facts.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { ResultRow } from '../domain/rows/result-row.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { otherLedgerSends } from '../recover/batch-logs.ts';
import { eventsOf } from '../recover/compare-log.ts';
import { completeLog, completingEvents } from '../recover/complete-log.ts';

/** The open log of a run. */
export interface LogOfRun {
  /** The log for the work of the run. */
  readonly runLog: RunLog;
  readonly append: RunLog['append'];
  readonly flush: () => Promise<void>;
  /** As `flush`; also writes the head. */
  readonly seal: () => Promise<void>;
  /**
   * Closes the log. If all of it is on disk, the ledger records that the log is complete for this run and the runs before.
   */
  readonly close: () => Promise<void>;
  /** Closes the log after a failure, whatever is on disk. */
  readonly giveUp: () => Promise<void>;
  /** ISO 8601. The log may lack rows that ended without a request after this time; empty where it may lack any row. */
  readonly unloggedSince: string;
  /**
   * Whether lines of the log were lost or changed. After everything that those lines may have contained is written again,
   * the event `log.completed` is written.
   */
  readonly wasDamaged: boolean;
}

/**
 * Opens the log of a run. The ledger records its path first: the next run of the batch looks there.
 * @param begins with `completed`, the log first gets the entries of earlier runs that only the ledger has; see `complete`
 * @param stop for a run that sends. Such a run stops when its log fails, or when another ledger writes to the log, since a
 *   lost ledger is recovered from the log. Rows in flight are recorded and the files are written anyway. When absent, a
 *   failure of the log is thrown
 * @throws OutputError
 */
export async function openLogOfRun(
  app: CallContext,
  verbs: LedgerVerbs,
  own: LeasedBatch,
  begins: 'completed' | 'as_it_is',
  stop?: (failure: PaybatchError) => void,
): Promise<LogOfRun> {
  const { batch, run } = own;
  const isThere = existsSync(runLogPath(app, batch));
  const runLog = await openBatchLog(app, verbs, own);
  const giveUp = (): Promise<void> => runLog.close().catch(() => {});
  try {
    const { completed, wasDamaged } =
      begins === 'completed'
        ? await complete(app, verbs, own, runLog, isThere)
        : { completed: [], wasDamaged: false };
    const writing = writingInto(app, verbs, batch, runLog, stop);
    const close = async (): Promise<void> => {
      if (!(await writing.closeWhole())) return;
      const head = stop === undefined ? null : runLog.head();
      await verbs.noteLogged(
        [run.id, ...completed.map(({ id }) => id)],
        head === null ? null : { run: run.id, head },
      );
    };
    const unloggedSince = wasDamaged ? '' : (completed[0]?.startedAt ?? run.startedAt);
    return { runLog, ...writing, close, giveUp, unloggedSince, wasDamaged };
  } catch (error) {
    await giveUp();
    throw error;
  }
}

/** Opens the log of a batch for a run. */
export async function openBatchLog(
  app: CallContext,
  verbs: LedgerVerbs,
  { batch, run, logComparedUntil }: Pick<LeasedBatch, 'batch' | 'run' | 'logComparedUntil'>,
): Promise<RunLog> {
  const path = runLogPath(app, batch);
  await verbs.noteRunLog(run.id, path);
  const claimsFrom = logComparedUntil === undefined ? {} : { claimsFrom: logComparedUntil };
  return openRunLog(path, { batch: batch.id, now: app.clock.now, ...claimsFrom });
}

/**
 * The functions that write to a log.
 * @param stop called with a failure instead of throwing it. Also called when the log has claims of others that the ledger
 *   does not know, since another ledger sends rows of the batch then. When absent, a failure is thrown
 */
function writingInto(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  runLog: RunLog,
  stop?: (failure: PaybatchError) => void,
) {
  const orStop = async (write: () => Promise<void>): Promise<boolean> => {
    try {
      await write();
      return true;
    } catch (error) {
      const failure = asFailure(error);
      if (stop === undefined || !(failure instanceof PaybatchError)) throw error;
      stop(failure);
      return false;
    }
  };
  const seal = async (): Promise<void> => {
    const claims = await runLog.seal();
    if (stop === undefined || claims.length === 0) return;
    if ((await verbs.countUnknownClaims(batch.id, claims)) > 0)
      throw await otherLedgerSends(verbs, batch, runLogPath(app, batch));
  };
  return {
    append: runLog.append.bind(runLog),
    flush: async (): Promise<void> => {
      await orStop(() => runLog.flush());
    },
    seal: async (): Promise<void> => {
      await orStop(seal);
    },
    /** @returns whether all of it is on disk */
    closeWhole: async (): Promise<boolean> => {
      const isKnown = stop === undefined || (await orStop(seal));
      return (await orStop(() => runLog.close())) && isKnown;
    },
  };
}

/** Earlier runs whose log is incomplete or may be incomplete. */
type CompletedRuns = readonly { readonly id: string; readonly startedAt: string }[];

/**
 * Adds the entries that only the ledger has: answers that a killed run had in memory, or everything if the log is missing,
 * truncated or damaged. If the ledger is lost later, it is recovered to the same states.
 * @param wasThere whether the log existed before this run
 */
async function complete(
  app: CallContext,
  verbs: LedgerVerbs,
  { batch, run, isLogDamaged }: LeasedBatch,
  runLog: RunLog,
  wasThere: boolean,
): Promise<{ readonly completed: CompletedRuns; readonly wasDamaged: boolean }> {
  const path = runLogPath(app, batch);
  const wasDamaged = isLogDamaged === true || !runLog.isWhole;
  const isLost = !wasThere || wasDamaged;
  const unlogged = await verbs.listUnloggedRuns(batch.id, isLost ? path : null);
  const completed = unlogged.filter(({ id }) => id !== run.id);
  const sending = completed.filter(({ hasClaims }) => hasClaims);
  if (sending.length === 0) return { completed, wasDamaged };
  const answers = verbs.readLoggableAnswers(batch.id, isLost ? null : sending.map(({ id }) => id));
  const rows = await completeLog(runLog, batch.id, eventsOf(path, completingEvents), answers);
  if (rows > 0) app.report({ kind: 'note', note: { code: 'log_completed', file: batch.fileName, rows } });
  return { completed, wasDamaged };
}

type StartedEvent = Extract<Parameters<RunLog['append']>[0][number], { event: 'run.started' }>;

/**
 * The log event for the start of a run.
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

/** Whether a row ended at or after this time (ISO 8601) without a request, or because its key was too old. */
export function endedUnsent({ attempts, status, code, changedAt }: ResultRow, changedSince: string): boolean {
  return (
    (attempts === 0 || code === 'key_expired') &&
    status !== 'not_sent' &&
    status !== 'unknown' &&
    changedAt >= changedSince
  );
}

/**
 * Writes the final states of rows to the log while the files are written. Resolves when they are on disk. If they were kept
 * until the end, those of a large batch with nothing to send would fill the memory.
 */
export async function noteRows(
  runLog: Pick<RunLog, 'append' | 'flush'>,
  rows: readonly ResultRow[],
): Promise<void> {
  if (rows.length === 0) return;
  runLog.append(
    rows.map((row) => ({
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

/**
 * The head of a batch's chain in the audit trail, and the log events that record it. Without a chain, the head is null and
 * there are no events.
 */
export async function headOfBatch(
  verbs: LedgerVerbs,
  { batch, run }: LeasedBatch,
): Promise<{ readonly head: AuditHead | null; readonly events: readonly RunEvent[] }> {
  const { own, controls } = await verbs.readHeadsOfBatch(batch.id);
  if (own === null) return { head: null, events: [] };
  const event = {
    event: 'audit.head',
    run: run.id,
    ledger: await verbs.readLedgerId(batch.environmentId),
    ...own,
    controls_number: controls?.number ?? null,
    controls_hash: controls?.hash ?? null,
  } as const;
  return { head: own, events: [event] };
}

/**
 * Writes the head of a batch's chain to its run log after the run has ended. A missing log is not created, since the next
 * run would assume that it contains all keys.
 * @returns the head; null where there is no chain
 * @throws OutputError when the log cannot be written
 */
export async function logHead(
  app: CallContext,
  verbs: LedgerVerbs,
  own: LeasedBatch,
): Promise<AuditHead | null> {
  const { head, events } = await headOfBatch(verbs, own);
  const path = runLogPath(app, own.batch);
  if (events.length === 0 || !existsSync(path)) return head;
  const runLog = await openRunLog(path, { batch: own.batch.id, now: app.clock.now });
  runLog.append(events);
  await runLog.close();
  return head;
}

/** A run log that also reports every answer, without personal data. */
export function reportingAnswers({ report }: CallContext, batch: BatchRecord, runLog: RunLog): RunLogPort {
  return {
    flush: () => runLog.flush(),
    seal: () => runLog.seal(),
    append: (events, at) => {
      runLog.append(events, at);
      for (const event of events) {
        if (event.event !== 'row.answered') continue;
        const { row, attempt, status, outcome, reason: code, duration_ms: latency_ms } = event;
        const fields = { batch: batch.id, row, attempt, status, outcome, code, latency_ms };
        report({ kind: 'detail', text: 'answered', fields });
      }
    },
  };
}
