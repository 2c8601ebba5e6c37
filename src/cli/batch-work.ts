import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReserveStretch } from '../api/rate.ts';
import { type ExitCode, exitCodeOf, exitCodes, gravest } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import type { StatusCounts } from '../domain/row-state.ts';
import type { BatchSummary } from '../output/json-summary.ts';
import { openRunLog, type RunLog } from '../output/run-log.ts';
import { type Heartbeat, leaseInMs, startHeartbeat } from '../pipeline/heartbeat.ts';
import { moveOn } from '../pipeline/move-on.ts';
import { gatherInMs } from '../pipeline/recorder.ts';
import type { HeldBatch } from '../pipeline/take-in.ts';
import { definitionNamed } from '../resources/registry.ts';
import { openClient, openSender, type SharedSender } from './api-access.ts';
import type { ApiTarget } from './api-target.ts';
import type { App } from './app.ts';
import { runLogPath, writeBatchFiles } from './batch-files.ts';
import { boundHeapGrowth } from './heap-growth.ts';
import type { LedgerAccess } from './ledger-access.ts';
import { referencesIn } from './references-in.ts';
import { noteUnsentRows, startedEvent } from './run-events.ts';
import { asFailure } from './stop-cause.ts';

/** What became of the batches of one call. */
export interface WorkEnd {
  readonly exitCode: ExitCode;
  readonly batches: readonly BatchSummary[];
  /** Why the run stopped before its end; null when it did not. */
  readonly failure: Failure | null;
  /** Rows that were sent, or tried to be. */
  readonly sentRows: number;
}

/** What the batches of one call share. */
interface Work {
  readonly app: App;
  readonly access: LedgerAccess;
  readonly target: ApiTarget;
  readonly shared: SharedSender;
  /** Stops everything: aborted by a person, or by the first failure. */
  readonly halt: AbortController;
  /** Whether other runs may work on the same batches. */
  readonly join: boolean;
  failure: Failure | null;
  sentRows: number;
}

/**
 * Moves held batches on, one after the other in the order given, and writes their files, whatever
 * happens. Once the run is to stop, the remaining batches are only written out as they stand.
 * @param join whether other runs may work on the same batches: whoever ends last writes the files
 */
export async function workOn(
  app: App,
  access: LedgerAccess,
  target: ApiTarget,
  held: readonly HeldBatch[],
  join = false,
): Promise<WorkEnd> {
  const halt = new AbortController();
  const interrupt = (): void => halt.abort();
  if (app.interrupted.aborted) interrupt();
  app.interrupted.addEventListener('abort', interrupt, { once: true });
  const client = openClient(target, app.settings, app.activity);
  const isApiProven = await access.verbs.hasAnsweredBefore(target.environment);
  const shared = openSender({
    client,
    ...app,
    stopSignal: halt.signal,
    isApiProven,
    ...(join ? { reserveRate: reserveFor(access, held) } : {}),
  });
  const work: Work = { app, access, target, shared, halt, join, failure: null, sentRows: 0 };
  // All of them from the start: those whose turn has not come yet are held as well.
  const beating = held.map((own) => ({ own, heartbeat: beat(work, own) }));
  try {
    const ends: BatchEnd[] = [];
    for (const { own, heartbeat } of beating) ends.push(await workOnOne(work, own, heartbeat));
    const codes = ends.map(({ exitCode }) => exitCode);
    const batches = ends.flatMap(({ summary }) => (summary === null ? [] : [summary]));
    return { exitCode: gravest(codes), batches, failure: work.failure, sentRows: work.sentRows };
  } finally {
    for (const { heartbeat } of beating) heartbeat.stop();
    app.interrupted.removeEventListener('abort', interrupt);
    app.terminal.progress.stop();
    await client.close();
  }
}

/** The rate of joined runs is the batch's; a call that joins works on one batch. */
function reserveFor({ verbs }: LedgerAccess, held: readonly HeldBatch[]): ReserveStretch {
  return (durationInMs) => verbs.reserveRate(held[0]?.batch.id ?? '', durationInMs);
}

/** One batch's end; without a summary where another run still works on it and will write its files. */
interface BatchEnd {
  readonly exitCode: ExitCode;
  readonly summary: BatchSummary | null;
}

async function workOnOne(work: Work, own: HeldBatch, heartbeat: Heartbeat): Promise<BatchEnd> {
  const { app, access } = work;
  const { batch, run } = own;
  const runLog = await openRunLog(runLogPath(app, batch), { batch: batch.id, now: app.clock.now });
  runLog.append([await startedEvent(access.verbs, own, work.target.credential)]);
  if (!work.halt.signal.aborted) await moveOnOrStop(work, own, runLog, heartbeat);
  app.terminal.progress.stop();
  if (work.join && !(await isLastRun(work, own))) return leaveToOthers(work, own, runLog, heartbeat);
  const codeOf = (counts: StatusCounts): ExitCode => exitCodeFor(work, counts);
  const isFirstEnd = (await access.verbs.listRuns(batch.id)).every(({ exitCode }) => exitCode === null);
  const summary = await writeBatchFiles(
    app,
    access.verbs,
    batch,
    { runId: run.id, exitCode: codeOf },
    (rows) => noteUnsentRows(runLog, rows, isFirstEnd ? '' : run.startedAt),
  );
  const exitCode = codeOf(summary.counts);
  noteEnd(work, own, runLog, summary.counts, exitCode);
  await runLog.close();
  heartbeat.stop();
  await access.verbs.endRun(run.id, exitCode);
  return { exitCode, summary };
}

function isLastRun(work: Work, { batch, run }: HeldBatch): Promise<boolean> {
  const exitCode = work.failure?.exitCode ?? exitCodes.done;
  return work.access.verbs.endUnlessLast({ id: run.id, batchId: batch.id, exitCode });
}

async function leaveToOthers(
  work: Work,
  own: HeldBatch,
  runLog: RunLog,
  heartbeat: Heartbeat,
): Promise<BatchEnd> {
  const exitCode = work.failure?.exitCode ?? exitCodes.done;
  heartbeat.stop();
  noteEnd(work, own, runLog, await work.access.verbs.countStatuses(own.batch.id), exitCode);
  await runLog.close();
  work.app.terminal.say('Other runs still work on this batch; the last one writes the result files.');
  return { exitCode, summary: null };
}

function beat(work: Work, { batch, run }: HeldBatch): Heartbeat {
  return startHeartbeat({
    ledger: work.access.verbs,
    clock: work.app.clock,
    runId: run.id,
    batchId: batch.id,
    onLost: (failure) => stop(work, failure),
  });
}

function stop(work: Work, failure: Failure): void {
  work.failure ??= failure;
  work.halt.abort();
}

/** What stops the run is kept, so that the files of every batch are written all the same. */
async function moveOnOrStop(work: Work, own: HeldBatch, runLog: RunLog, heartbeat: Heartbeat): Promise<void> {
  const { app, access, target, shared } = work;
  const { settings, terminal } = app;
  const { batch } = own;
  terminal.progress.start(`sending ${batch.kind}`, batch.rowCount);
  boundHeapGrowth();
  try {
    await moveOn({
      ledger: access.verbs,
      references: referencesIn(access.verbs, batch.environmentId, []),
      sender: shared.sender,
      runLog,
      clock: app.clock,
      batchId: batch.id,
      run: own.run,
      leaseInMs,
      credential: target.credential,
      keyLifetimeInMs: settings['key-lifetime'],
      concurrency: settings.concurrency,
      definitionNamed,
      readId: (definition, json) =>
        definition.readAnswer(json, { customerIdPaths: settings['customer-id-path'] }).id,
      newKey: randomUUID,
      gather: () => sleep(gatherInMs),
      holdsBatch: heartbeat.holds,
      halt: work.halt,
      onLimiter: shared.useLimiter,
      ...(work.join ? { onNothingToClaim: () => awaitOthers(work, batch.id) } : {}),
      onProgress: (rows) => {
        work.sentRows += rows;
        terminal.progress.advance(rows);
      },
    });
  } catch (error) {
    const failure = asFailure(error);
    if (!(failure instanceof Failure)) throw error;
    stop(work, failure);
  }
}

/** While other runs hold rows, this one waits: should they be lost, it takes their rows over. */
async function awaitOthers({ access: { verbs }, halt }: Work, batchId: string): Promise<boolean> {
  if (!(await verbs.hasRowsUnderLease(batchId))) return false;
  await sleep(1_000, undefined, { signal: halt.signal }).catch(() => {});
  await verbs.takeOverExpired(batchId);
  return true;
}

/** Rows in need of a later run say so themselves; an interrupted run with nothing left undone is complete. */
function exitCodeFor(work: Work, counts: StatusCounts): ExitCode {
  const codes: ExitCode[] = [exitCodeOf(counts)];
  if (work.failure !== null) codes.push(work.failure.exitCode);
  const isUndone = (counts.not_sent ?? 0) + (counts.unknown ?? 0) + (counts.waiting ?? 0) > 0;
  if (work.halt.signal.aborted && isUndone) codes.push(exitCodes.stopped);
  return gravest(codes);
}

function noteEnd(
  work: Work,
  { run }: HeldBatch,
  runLog: RunLog,
  counts: StatusCounts,
  exitCode: ExitCode,
): void {
  if (work.halt.signal.aborted) {
    const code = work.failure?.code ?? null;
    runLog.append([
      { event: 'run.stopped', run: run.id, reason: code === null ? 'interrupted' : 'failure', code },
    ]);
  }
  runLog.append([{ event: 'run.finished', run: run.id, counts, exit_code: exitCode }]);
}
