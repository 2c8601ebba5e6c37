/* The life cycle of a run of one batch, on one page: `withRun`, and the files that it writes at the end. */

import { keepTotals, type OutcomeOfRun, writeBatchFiles } from '../account/batch-files/files-of-batch.ts';
import { finalRowsFirst, type ReadAllRows, SendingProgress } from '../account/batch-files/rows-of-batch.ts';
import type { LedgerAccess } from '../call/connections.ts';
import type { CallContext } from '../call/context.ts';
import { finishedEvent, type RunEvent } from '../disk/log/run-event.ts';
import type { BatchAccount } from '../domain/batches/account.ts';
import type { BatchRecord, LeasedBatch } from '../domain/batches/batch.ts';
import type { AuditHead } from '../domain/batches/batch-facts.ts';
import type { RunRecord } from '../domain/batches/run.ts';
import type { CallOutcome, PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { ResultRow } from '../domain/rows/result-row.ts';
import type { StatusCounts } from '../domain/rows/row-state.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import type { Leases } from './lease.ts';
import {
  endedUnsent,
  headOfBatch,
  type LogOfRun,
  logHead,
  noteRows,
  openLogOfRun,
  startedEvent,
} from './run-log.ts';

/** The differences between the runs of the commands, besides their work. */
interface Life {
  /**
   * How the log of the run begins: `completed` adds all entries of earlier runs that only the ledger has, `as_it_is` adds
   * nothing. With `null`, only the head and the entries that the work itself writes are logged.
   */
  readonly log: 'completed' | 'as_it_is' | null;
  /** Which rows are written to the log while the files are written. */
  readonly loggedRows: 'unsent' | 'closed' | null;
  /**
   * When the head of the batch's chain is written to the log: before the line with which the run finishes, or after the
   * run's end.
   */
  readonly head: 'in_run' | 'after_end' | null;
}

const lives = {
  sends: { log: 'completed', loggedRows: 'unsent', head: 'in_run' },
  plans: { log: 'as_it_is', loggedRows: 'unsent', head: 'in_run' },
  closes: { log: 'completed', loggedRows: 'closed', head: 'after_end' },
  /** A person's verdicts, or a recovery. */
  decides: { log: null, loggedRows: null, head: 'after_end' },
  /** Something required was missing, so nothing was sent. */
  refuses: { log: null, loggedRows: null, head: null },
} as const satisfies Readonly<Record<string, Life>>;

/** A run, with its kind and the conditions of its end. */
export interface RunToLive {
  readonly kind: keyof typeof lives;
  /** Derives the outcome of the run from the account of its batch. */
  readonly outcomeOf: OutcomeOfRun;
  /** The heartbeats of the run; they stop when it ends. */
  readonly leases?: Pick<Leases, 'ended'>;
  /** Only for a run that sends. */
  readonly sending?: SendingRun | undefined;
}

/** Options of a run that sends. */
interface SendingRun {
  /** Fingerprint of the API key. */
  readonly credential: string;
  /** Whether rows that are final may be written into the files while others are sent. */
  readonly areFilesBegun: boolean;
  /** Called with the reason why nothing more may be sent: the log cannot be written, or another ledger writes to it. */
  readonly stop: (failure: PaybatchError) => void;
  /** The code of the failure that stopped the run; null for a person's interruption, undefined when it was not stopped. */
  readonly stopCode: () => string | null | undefined;
}

/** What the work of a run receives. */
export interface RunUnderWay {
  /** Undefined where the run itself writes no log. */
  readonly runLog: LogOfRun['runLog'] | undefined;
  /** Number of rows in each status when the run started; empty where the run itself writes no log. */
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
 * Executes a run of a held batch, from the opening of its log to its end. The differences between commands are in `lives`
 * and in `work`. Nothing is sent after `work` has returned. If a step fails, the run has not ended: the holder of the batch
 * ends it, or, if rows may be in flight, its lease expires.
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
    // Step 1: log the start.
    const started = log === null ? null : await startedEvent(verbs, own, sending?.credential ?? null);
    if (started !== null) log?.append([started]);

    // Step 2: do the work. Files are begun meanwhile.
    files = await beginFiles(app, verbs, own, { log, loggedRows: life.loggedRows, outcomeOf, sending });
    await work({ runLog: log?.runLog, counts: started?.counts ?? {}, onRecorded: files.advance });

    // Step 3: write the files. Other runs may work on a batch that is sent, so the run ends at the moment when its files
    // match the batch.
    const named = { id: run.id, batchId: own.batch.id };
    const end = sending === undefined ? await files.write(1) : await endWithFiles(verbs, named, files.write);
    if (sending !== undefined) leases?.ended(run.id);

    // Step 4: log the head of the audit trail and the end.
    const { head, events } = life.head === 'in_run' ? await headInRun(verbs, own, sending) : noHead;
    log?.append([
      // Rows that ended without a request were logged while the files were written.
      ...(sending !== undefined && log.wasDamaged ? [{ event: 'log.completed', run: run.id } as const] : []),
      ...stoppedEvents(run, sending?.stopCode()),
      ...events,
      finishedEvent(run.id, end.account.counts, end.outcome),
    ]);

    // Step 5: close the log. It is complete and on disk, and the ledger records that.
    await log?.close();

    // Step 6: end a run that held its batch alone. The audit head is known only after that end.
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
    // The requests are recorded. The log gets the end of the run even if the ledger cannot be reached any more.
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
  /** Ends the writing, and removes half-written files. */
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
  // If this fails for any reason, the files are written in full later.
  const begun = sending.areFilesBegun
    ? writeAll(note, (read) => finalRowsFirst(read, progress)).catch(() => null)
    : Promise.resolve(null);
  return {
    advance: (rows) => progress.advance(rows),
    write: async (writing) => {
      progress.end();
      // The files state how the run ends. So check first whether the log still exists, and whether another ledger has
      // written to it.
      await log?.seal();
      const isFirst = writing === 1;
      const early = isFirst ? await begun : null;
      // Only one thing may have changed for a final row meanwhile: another file corrects it.
      const revision = await verbs.readRevision(batch.id);
      const isOutdated = early !== null && (await verbs.readSupersessions(batch.id)) !== supersessions;
      const account =
        isOutdated || early === null ? await writeAll(isFirst && early === null ? note : undefined) : early;
      // These files were begun before the last rows were recorded.
      if (account === early) await keepTotals(verbs, account, revision);
      return endOf(account);
    },
    release: async () => {
      progress.giveUp();
      await begun;
    },
  };
}

/** The time since which the log may lack rows that ended without a request; the beginning if no earlier run has ended. */
async function unloggedSince(
  verbs: Pick<LedgerVerbs, 'listRuns'>,
  { id }: BatchRecord,
  log: LogOfRun | null,
): Promise<string> {
  const isFirstEnd = (await verbs.listRuns(id)).every(({ outcome }) => outcome === null);
  return isFirstEnd ? '' : (log?.unloggedSince ?? '');
}

/** Maximum of writings while other runs change the batch. After that, the other runs have to write the files. */
const mostWritings = 3;

/**
 * Writes a batch's files, and ends the run once the files match the batch. Between the reading of the rows and the end,
 * another run may record rows or write the same files. Every run writes the files at its end, since another run may be
 * killed before it writes them.
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
