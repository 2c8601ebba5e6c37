/* The life of a run of one batch, on one page: `withRun`. And what begins and ends with it: the hold on a batch, its files. */

import { randomUUID } from 'node:crypto';
import { keepTotals, type OutcomeOfRun, writeBatchFiles } from '../account/batch-files/files-of-batch.ts';
import { finalRowsFirst, type ReadAllRows, SendingProgress } from '../account/batch-files/rows-of-batch.ts';
import type { LedgerAccess } from '../call/connections.ts';
import type { Actor, CallContext } from '../call/context.ts';
import { findNamedBatch, requireDurableLedger } from '../call/ledger-access.ts';
import { asFailure } from '../call/start.ts';
import { finishedEvent, type RunEvent } from '../disk/log/run-event.ts';
import type { BatchAccount } from '../domain/batches/account.ts';
import type { BatchRecord, LeasedBatch, RunRecord } from '../domain/batches/batch.ts';
import type { AuditHead } from '../domain/batches/batch-facts.ts';
import { type CallOutcome, PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { ResultRow } from '../domain/rows/result-row.ts';
import type { StatusCounts } from '../domain/rows/row-state.ts';
import { compareKinds } from '../kinds/registry.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { requireLedgerOfLogs } from '../recover/batch-logs.ts';
import { keepLeases, type Leases, leaseInMs } from './lease.ts';
import {
  endedUnsent,
  headOfBatch,
  type LogOfRun,
  logHead,
  noteRows,
  openLogOfRun,
  startedEvent,
} from './run-log.ts';

/** What the runs of commands differ in, besides their work. */
interface Life {
  /**
   * How the log of the run begins: with all that the ledger knows of earlier runs and no log has, or as it is. `null` where
   * nothing of the run is logged but the head, and what its work writes by itself.
   */
  readonly log: 'completed' | 'as_it_is' | null;
  /** Which rows the log gets while the files are written. */
  readonly loggedRows: 'unsent' | 'closed' | null;
  /** When the log gets the head of the batch's chain: before the line with which the run finishes, or after its end. */
  readonly head: 'in_run' | 'after_end' | null;
}

const lives = {
  sends: { log: 'completed', loggedRows: 'unsent', head: 'in_run' },
  plans: { log: 'as_it_is', loggedRows: 'unsent', head: 'in_run' },
  closes: { log: 'completed', loggedRows: 'closed', head: 'after_end' },
  /** A person's verdicts, or a recovery. */
  decides: { log: null, loggedRows: null, head: 'after_end' },
  /** Something was missing, so that nothing was sent. */
  refuses: { log: null, loggedRows: null, head: null },
} as const satisfies Readonly<Record<string, Life>>;

/** A run that is to be lived through. */
export interface RunToLive {
  readonly kind: keyof typeof lives;
  /** How the run ends, from the account of its batch. */
  readonly outcomeOf: OutcomeOfRun;
  /** What keeps the run alive; stops when it ends. */
  readonly leases?: Pick<Leases, 'ended'>;
  /** Only for a run that sends. */
  readonly sending?: SendingRun | undefined;
}

/** What only a run that sends has. */
interface SendingRun {
  /** Fingerprint of the API key. */
  readonly credential: string;
  /** Whether rows that are final may be written into the files while others are sent. */
  readonly areFilesBegun: boolean;
  /** Called with the reason why nothing more may be sent: the log cannot be written, or another ledger writes to it. */
  readonly stop: (failure: PaybatchError) => void;
  /** The code of what stopped it, null for a person's interruption; undefined when it was not stopped. */
  readonly stopCode: () => string | null | undefined;
}

/** What the work of a run gets. */
export interface RunUnderWay {
  /** Undefined where nothing of the run is logged. */
  readonly runLog: LogOfRun['runLog'] | undefined;
  /** Number of rows in each status when the run started; none where nothing of it is logged. */
  readonly counts: StatusCounts;
  /** Called with the number of rows that were recorded since the last call. */
  readonly onRecorded: (rows: number) => void;
}

/** One batch's end. */
export interface BatchEnd {
  readonly outcome: CallOutcome;
  readonly account: BatchAccount;
}

/**
 * Lives through a run of a held batch, from the opening of its log to its end. Whatever differs between commands is in
 * `lives`, and in the work, after which nothing is sent any more. If a step fails, the run has not ended: that is left to
 * the holder of the batch, or, if rows may be in flight, to the end of its lease.
 */
export async function withRun(
  app: CallContext,
  { verbs }: LedgerAccess,
  own: LeasedBatch,
  { kind, outcomeOf, leases, sending }: RunToLive,
  work: (run: RunUnderWay) => Promise<void>,
): Promise<BatchEnd> {
  const { run } = own;
  const life: Life = lives[kind];
  const log = life.log === null ? null : await openLogOfRun(app, verbs, own, life.log, sending?.stop);
  let files: FilesUnderWay | undefined;
  try {
    // Started.
    const started = log === null ? null : await startedEvent(verbs, own, sending?.credential ?? null);
    if (started !== null) log?.append([started]);

    // The work, while the files begin.
    files = await beginFiles(app, verbs, own, { log, loggedRows: life.loggedRows, outcomeOf, sending });
    await work({ runLog: log?.runLog, counts: started?.counts ?? {}, onRecorded: files.advance });

    // The files. Others may work on a batch that is sent: the run ends in the moment in which its files match the batch.
    const named = { id: run.id, batchId: own.batch.id };
    const end = sending === undefined ? await files.write(1) : await endWithFiles(verbs, named, files.write);
    if (sending !== undefined) leases?.ended(run.id);

    // The audit head, and finished.
    const { head, events } = life.head === 'in_run' ? await headInRun(verbs, own, sending) : noHead;
    log?.append([
      // Rows that ended without a request were noted while the files were written.
      ...(sending !== undefined && log.wasDamaged ? [{ event: 'log.completed', run: run.id } as const] : []),
      ...stoppedEvents(run, sending?.stopCode()),
      ...events,
      finishedEvent(run.id, end.account.counts, end.outcome),
    ]);

    // Closed: the log is whole, on disk, and the ledger knows that.
    await log?.close();

    // The end of a run that held its batch alone, and what is known only after it.
    if (sending !== undefined) return { ...end, account: { ...end.account, auditHead: head } };
    leases?.ended(run.id);
    await verbs.endRun(run.id, end.outcome);
    return { ...end, account: { ...end.account, auditHead: await headAfterEnd(app, verbs, own, life) } };
  } catch (error) {
    await files?.release();
    await log?.giveUp();
    throw error;
  }
}

const noHead: Awaited<ReturnType<typeof headOfBatch>> = { head: null, events: [] };

async function headInRun(
  verbs: LedgerVerbs,
  own: LeasedBatch,
  sending: SendingRun | undefined,
): Promise<typeof noHead> {
  try {
    return await headOfBatch(verbs, own);
  } catch (error) {
    // What was sent is recorded: its log records the end even if the ledger cannot be reached any more.
    if (sending === undefined) throw error;
    return noHead;
  }
}

function stoppedEvents({ id }: RunRecord, code: string | null | undefined): RunEvent[] {
  if (code === undefined) return [];
  return [{ event: 'run.stopped', run: id, reason: code === null ? 'interrupted' : 'failure', code }];
}

async function headAfterEnd(
  app: CallContext,
  verbs: LedgerVerbs,
  own: LeasedBatch,
  { head }: Life,
): Promise<AuditHead | null> {
  if (head === 'after_end') return logHead(app, verbs, own);
  return head === null ? null : (await verbs.readHeadsOfBatch(own.batch.id)).own;
}

/* The files of a batch, written at the end of a run. */

/** The files of a batch, a part of which may be written while its rows are sent. */
interface FilesUnderWay {
  /** Called with the number of rows that were recorded since the last call. */
  readonly advance: (rows: number) => void;
  /**
   * Writes the files from the current state, once nothing is sent any more.
   * @param writing 1 for the first time
   */
  readonly write: (writing: number) => Promise<BatchEnd>;
  /** Ends the writing, and leaves no half-written file. */
  readonly release: () => Promise<void>;
}

interface FilesToWrite extends Pick<RunToLive, 'outcomeOf' | 'sending'> {
  readonly log: LogOfRun | null;
  readonly loggedRows: Life['loggedRows'];
}

/** Begins the files of a batch. */
async function beginFiles(
  app: CallContext,
  verbs: LedgerVerbs,
  { batch, run }: LeasedBatch,
  { log, loggedRows, outcomeOf, sending }: FilesToWrite,
): Promise<FilesUnderWay> {
  const changedSince = loggedRows === 'unsent' ? await unloggedSince(verbs, batch, log) : '';
  const isNoted = (row: ResultRow): boolean =>
    loggedRows === 'unsent' ? endedUnsent(row, changedSince) : row.code === 'closed';
  const note = async (rows: readonly ResultRow[]): Promise<void> => {
    if (log !== null && loggedRows !== null) await noteRows(log, rows.filter(isNoted));
  };
  const writeAll = (onRows?: typeof note, readAll?: ReadAllRows): Promise<BatchAccount> =>
    writeBatchFiles(app, verbs, batch, { runId: run.id, outcome: outcomeOf }, onRows, readAll);
  const endOf = (account: BatchAccount): BatchEnd => ({ outcome: outcomeOf(account), account });
  if (sending === undefined) {
    const write = async (): Promise<BatchEnd> => endOf(await writeAll(note));
    return { advance: () => {}, write, release: async () => {} };
  }
  const progress = new SendingProgress();
  const supersessions = await verbs.readSupersessions(batch.id);
  // If this fails for any reason, the files are written as a whole later.
  const begun = sending.areFilesBegun
    ? writeAll(note, (read) => finalRowsFirst(read, progress)).catch(() => null)
    : Promise.resolve(null);
  return {
    advance: (rows) => progress.advance(rows),
    write: async (writing) => {
      progress.end();
      // The files say how the run ends. So check first whether its log still exists, and whether another ledger has
      // written to it.
      await log?.seal();
      const isFirst = writing === 1;
      const early = isFirst ? await begun : null;
      // Only one thing may have changed for a final row since: that another file corrects it.
      const revision = await verbs.readRevision(batch.id);
      const isOutdated = early !== null && (await verbs.readSupersessions(batch.id)) !== supersessions;
      const account =
        isOutdated || early === null ? await writeAll(isFirst && early === null ? note : undefined) : early;
      // The early files were begun before the last rows were recorded.
      if (account === early) await keepTotals(verbs, account, revision);
      return endOf(account);
    },
    release: async () => {
      progress.giveUp();
      await begun;
    },
  };
}

/** From when on the log may lack rows that ended without a request: from the beginning when no earlier run has ended. */
async function unloggedSince(
  verbs: Pick<LedgerVerbs, 'listRuns'>,
  { id }: BatchRecord,
  log: LogOfRun | null,
): Promise<string> {
  const isFirstEnd = (await verbs.listRuns(id)).every(({ outcome }) => outcome === null);
  return isFirstEnd ? '' : (log?.unloggedSince ?? '');
}

/**
 * How often the files are rewritten while other runs change the batch. After that the other runs have to write them.
 */
const mostWritings = 3;

/**
 * Writes a batch's files and ends the run, once the files match the batch: another run may record rows, or write the same
 * files, between the reading of the rows and the end. Every run that ends writes, since another run may not live to do
 * so.
 * @param write reads the batch's rows, writes its files, and returns how the run is to end
 * @returns the result of the last writing
 */
export async function endWithFiles<Written extends { readonly outcome: CallOutcome }>(
  ledger: Pick<LedgerVerbs, 'readRevision' | 'endRunWithFiles'>,
  run: { readonly id: string; readonly batchId: string },
  write: (writing: number) => Promise<Written>,
): Promise<Written> {
  for (let writing = 1; ; writing += 1) {
    const revision = await ledger.readRevision(run.batchId);
    const written = await write(writing);
    const end = { id: run.id, batchId: run.batchId, outcome: written.outcome, revision };
    if (await ledger.endRunWithFiles(end, writing >= mostWritings)) return written;
  }
}

/* Who holds a batch: a run that was begun, and is kept alive. */

/** How a batch is held. */
export interface Holding {
  readonly command: string;
  /** Who starts the run: the maker of staged batches. */
  readonly actor: Pick<Actor, 'name' | 'door'>;
  /** Whether other runs may hold the batch as well. False when absent. */
  readonly join?: boolean;
  /** Whether the batch may be one that a person has closed: nothing is sent then. False when absent. */
  readonly ofClosed?: boolean;
  /** Random when absent. */
  readonly newRunId?: () => string;
}

/**
 * Begins a run of a batch, unless another run holds it and this one does not want to join.
 * @throws PaybatchError (`busy`) that names the other run; (`batch_closed`) when a person has closed the batch
 */
export function holdBatch(
  verbs: Pick<LedgerVerbs, 'beginRun'>,
  { id: batchId }: BatchRecord,
  { command, actor, join = false, ofClosed = false, newRunId = randomUUID }: Holding,
): Promise<RunRecord> {
  return verbs.beginRun({ id: newRunId(), batchId, command, leaseInMs, join, actor, ofClosed });
}

/**
 * Begins a run of each of these batches, or of none of them.
 * @throws PaybatchError as `holdBatch` does
 */
export async function holdAll(
  { verbs }: LedgerAccess,
  batches: readonly BatchRecord[],
  holding: Holding,
): Promise<LeasedBatch[]> {
  const held: LeasedBatch[] = [];
  try {
    for (const batch of [...batches].sort((left, right) => compareKinds(left.kind, right.kind)))
      held.push({ batch, run: await holdBatch(verbs, batch, holding), isNew: false });
    return held;
  } catch (error) {
    // Another run holds one of them. The batches that this call holds already must not look as if they were in use.
    for (const { run } of held) await verbs.endRun(run.id, 'busy');
    throw error;
  }
}

/**
 * Works with held batches, whose runs are kept alive, and ends the runs if the work fails: otherwise the batches would look
 * as if they were in use.
 */
export async function whileHeld<Result>(
  app: CallContext,
  { verbs }: LedgerAccess,
  held: readonly LeasedBatch[],
  work: (leases: Leases) => Promise<Result>,
): Promise<Result> {
  const leases = keepLeases({ ledger: verbs, clock: app.clock });
  for (const own of held) leases.keep(own);
  try {
    return await work(leases);
  } catch (error) {
    const failure = asFailure(error);
    const outcome = failure instanceof PaybatchError ? failure.kind : 'internal';
    // If the database is out of reach too, the leases expire; the person needs the original error.
    for (const { run } of held) await verbs.endRun(run.id, outcome).catch(() => {});
    throw error;
  } finally {
    leases.stop();
  }
}

/**
 * Compares the run logs of continued batches with the ledger, before anything else is done to them.
 * @returns the batches, with what was found out about their logs
 * @throws PaybatchError that `requireLedgerOfLogs` throws, and (`lease_lost`); the runs have ended then
 */
export function requireKnownLogs(
  app: CallContext,
  access: LedgerAccess,
  held: readonly LeasedBatch[],
): Promise<LeasedBatch[]> {
  return whileHeld(app, access, held, async (leases) => {
    const checked = await requireLedgerOfLogs(app, access.verbs, held);
    leases.requireHeld();
    return checked;
  });
}

/**
 * Holds a batch, closed or not, while a person's decision about it is recorded.
 * @param named a batch id, or 4 or more of its first characters
 * @throws PaybatchError (`busy`) while another run holds it; that `findNamedBatch`, `requireDurableLedger` and
 *   `requireLedgerOfLogs` throw
 */
export async function withDecidedBatch<Result>(
  app: CallContext,
  access: LedgerAccess,
  { command, named }: { readonly command: string; readonly named: string },
  work: (own: LeasedBatch, leases: Leases) => Promise<Result>,
): Promise<Result> {
  const batch = await findNamedBatch(access.verbs, named);
  // It is a person's decision about real money: a power cut must not lose it.
  if (batch.mode === 'live') await requireDurableLedger(access);
  const run = await holdBatch(access.verbs, batch, { command, actor: app.actor, ofClosed: true });
  const own = { batch, run, isNew: false };
  return whileHeld(app, access, [own], async (leases) => {
    await requireLedgerOfLogs(app, access.verbs, [own]);
    return work(own, leases);
  });
}
