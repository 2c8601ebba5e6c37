/* Sends the rows of the batches that this call holds, one batch after the other, and ends their runs. */

import { randomUUID } from 'node:crypto';
import { runLogPath } from '../../account/batch-files/files-of-batch.ts';
import { openRows, outcomeOf } from '../../account/figures.ts';
import {
  keyLifetimeFor,
  noteAssumedLifetime,
  openClient,
  openSender,
  type SharedSender,
} from '../../call/api-access.ts';
import type { LedgerAccess } from '../../call/connections.ts';
import { type CallContext, outcomesOf } from '../../call/context.ts';
import { noteKeyAccepted } from '../../call/ledger-access.ts';
import type { OpenedApi } from '../../call/opened-api.ts';
import { asFailure } from '../../call/start.ts';
import { institutionNamesFor } from '../../check/judging-access.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import type { BatchRecord, LeasedBatch } from '../../domain/batches/batch.ts';
import { latestRunWasWhole } from '../../domain/batches/run.ts';
import { type CallOutcome, gravest, PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { RowsToClaim } from '../../domain/rows/ledger-row.ts';
import { BatchStop } from '../../domain/sending/stops.ts';
import { referencesIn } from '../../kinds/request.ts';
import { PayeeRecheck } from '../../watch/payee-recheck.ts';
import { contentCheck } from '../approvals.ts';
import { unlessHalted, watchHalts } from '../halt-watch.ts';
import { awaitOthers } from '../hold.ts';
import { type Heartbeat, keepLeases, type Leases, leaseInMs } from '../lease.ts';
import { type ProcessBatchContext, processBatch } from '../process-batch.ts';
import { gatherAnswers } from '../recorder.ts';
import { type BatchEnd, type RunUnderWay, withRun } from '../run.ts';
import { reportingAnswers } from '../run-log.ts';
import type { ApprovedBatch, Permissions } from './permissions.ts';
import {
  afterSending,
  approvalNeeded,
  failureOfRun,
  failureOfStop,
  haltOfBatch,
  stopIfSilent,
} from './stopped-batch.ts';

/** The results of the batches of one call. */
export interface WorkEnd {
  /** In the order of the batches. */
  readonly ends: readonly BatchEnd[];
  /** Why the run stopped before its end; null when it did not. */
  readonly failure: PaybatchError | null;
  /** Whether nothing more may be sent: after a failure that concerns more than one batch, or after an abort by a person. */
  readonly isHalted: boolean;
  /** Rows that were sent, or whose sending was attempted. */
  readonly sentRows: number;
}

/** How batches are processed. */
interface WorkOptions {
  /** Whether other runs may work on the same batches. */
  readonly join?: boolean;
  /** Which rows are sent; all of them when absent. */
  readonly rows?: RowsToClaim;
  /** What the policy lets the batches do. */
  readonly permissions: Permissions;
  /** Called in the same run after a batch was processed, unless the run is to stop. */
  readonly afterMoving?: (context: ProcessBatchContext) => Promise<void>;
}

/** State that the batches of one call share. */
interface Work {
  readonly app: CallContext;
  readonly access: LedgerAccess;
  readonly target: OpenedApi;
  readonly shared: SharedSender;
  /** Stops everything: aborted by a person, or by the first failure. */
  readonly halt: AbortController;
  readonly options: WorkOptions;
  /** Id of the last batch to be processed. */
  readonly lastBatch: string | undefined;
  failure: PaybatchError | null;
  /** Why single batches stopped, by batch id. The other batches of the call continue. */
  readonly stopped: Map<string, PaybatchError>;
  /** Rows whose result is recorded. */
  sentRows: number;
  /** Whether any row may have been sent. If so, a later failure must not say "nothing was sent". */
  hasSent: boolean;
}

/**
 * Processes leased batches one after the other, in the order of `held`, and always writes their files. Once the run is to
 * stop, the remaining batches' files are written from their current state.
 */
export async function workOn(
  app: CallContext,
  access: LedgerAccess,
  target: OpenedApi,
  held: readonly LeasedBatch[],
  options: WorkOptions,
): Promise<WorkEnd> {
  const halt = new AbortController();
  const interrupt = (): void => halt.abort();
  if (app.interrupted.aborted) interrupt();
  app.interrupted.addEventListener('abort', interrupt, { once: true });
  const client = await openClient(app);
  const isApiProven = await access.verbs.hasAnsweredBefore(target.environment);
  if (!isApiProven) noteAssumedLifetime(app, target.environment.mode);
  const shared = openSender({
    client,
    ...app,
    stopSignal: halt.signal,
    isApiProven,
    // Joined runs share the rate of their batch. A call that joins works on one batch.
    reserveRate:
      options.join === true
        ? (durationInMs) => access.verbs.reserveRate(held[0]?.batch.id ?? '', durationInMs)
        : undefined,
  });
  const work: Work = {
    app,
    access,
    target,
    shared,
    halt,
    options,
    lastBatch: held.at(-1)?.batch.id,
    failure: null,
    stopped: new Map(),
    sentRows: 0,
    hasSent: false,
  };
  // Heartbeats begin for all batches at once: batches that wait for their turn are leased as well.
  const leases = keepLeases({ ledger: access.verbs, clock: app.clock }, (failure) => stop(work, failure));
  const halts = watchHalts({
    ledger: access.verbs,
    clock: app.clock,
    isEmbedded: access.ledger.isEmbedded,
    onStop: (failure) => stop(work, failure),
  });
  const leased = held.map((own) => ({ own, holds: unlessHalted(leases.keep(own), halts) }));
  try {
    const ends: BatchEnd[] = [];
    for (const { own, holds } of leased) ends.push(await runBatch(work, own, leases, holds));
    const failure = work.failure ?? [...work.stopped.values()][0] ?? null;
    return { ends, failure, isHalted: halt.signal.aborted, sentRows: work.sentRows };
  } catch (error) {
    throw afterSending(work.hasSent, asFailure(error));
  } finally {
    halts.end();
    leases.stop();
    app.interrupted.removeEventListener('abort', interrupt);
    app.report({ kind: 'step.ended' });
  }
}

async function runBatch(
  work: Work,
  own: LeasedBatch,
  leases: Leases,
  holds: Heartbeat['holds'],
): Promise<BatchEnd> {
  const { app, access, options } = work;
  const { batch } = own;
  const end = await withRun(
    app,
    access,
    own,
    {
      kind: 'sends',
      outcomeOf: (account) => outcomeFor(work, account),
      leases,
      sending: {
        credential: work.target.credential,
        // `afterMoving` may change what the files say of final rows.
        areFilesBegun: options.afterMoving === undefined,
        stop: (failure) => stop(work, failure),
        stopCode: () => stopCode(work, batch),
      },
    },
    async (run) => {
      const permission = options.permissions.get(batch.id);
      if (permission?.approvalId === null) {
        work.stopped.set(batch.id, approvalNeeded(batch, permission.waiting));
      } else if (!work.halt.signal.aborted) await processBatchOrStop(work, own, run, holds, permission);
      const isKeyRefused = work.failure?.kind === 'credentials_refused';
      if (work.sentRows > 0 && !isKeyRefused) await noteKeyAccepted(access.verbs, work.target, batch.id);
      app.report({ kind: 'step.ended' });
    },
  );
  // If the log was lost while the files were written, the failure is noticed only now.
  return work.failure === null ? end : { ...end, outcome: gravest([end.outcome, work.failure.kind]) };
}

/** The code of the failure that stopped a batch; null for an interruption, undefined when nothing stopped it. */
function stopCode({ failure, stopped, halt }: Work, { id }: BatchRecord): string | null | undefined {
  const cause = failure ?? stopped.get(id) ?? null;
  return cause === null && !halt.signal.aborted ? undefined : (cause?.code ?? null);
}

function stop(work: Work, failure: PaybatchError): void {
  work.failure ??= afterSending(work.hasSent, failure);
  work.halt.abort();
}

/** Notes with the first request that rows are sent from now on. */
function markFirstSend(work: Work): ProcessBatchContext['sender'] {
  return {
    send: (...request) => {
      work.hasSent = true;
      return work.shared.sender.send(...request);
    },
    isApiInDoubt: work.shared.sender.isApiInDoubt,
  };
}

/** Processes a batch. A failure that stops the run is kept, so that the files of every batch are still written. */
async function processBatchOrStop(
  work: Work,
  own: LeasedBatch,
  { runLog, counts, onRecorded }: RunUnderWay,
  holdsBatch: Heartbeat['holds'],
  permission: ApprovedBatch | undefined,
): Promise<void> {
  const { app, target, shared, options } = work;
  const { verbs } = work.access;
  const { settings } = app;
  const { batch } = own;
  if (runLog === undefined) throw new Error('a run that sends has a log');
  const done = (batch.rowCount ?? 0) - openRows(counts);
  const halt = haltOfBatch(work.halt);
  app.report({ kind: 'step.started', step: 'sending', about: batch.kind, rows: batch.rowCount, done });
  try {
    const { approvalId, approved } = permission ?? {};
    // When the approvers approved these rows, the findings that are made now about their payees did not exist yet.
    const isHeld = settings.controls.changes === 'hold' || permission !== undefined;
    const readAnswer: ProcessBatchContext['readAnswer'] = (definition, json) =>
      definition.readAnswer(json, { customerIdPaths: settings.api.customerIdPath });
    const context: ProcessBatchContext = {
      ledger: verbs,
      references: referencesIn(verbs, batch.environmentId, []),
      sender: markFirstSend(work),
      runLog: app.wantsDetails === true ? reportingAnswers(app, batch, runLog) : runLog,
      clock: app.clock,
      batchId: batch.id,
      run: own.run,
      ledgerId: await verbs.readLedgerId(batch.environmentId),
      leaseInMs,
      credential: target.credential,
      keyLifetimeInMs: keyLifetimeFor(app, batch.mode).durationInMs,
      waitingCodes: settings.sending.waitingCodes,
      waitingDelayInMs: settings.sending.waitingDelay,
      refusedAlike: settings.sending.refusedAlike === 'off' ? null : settings.sending.refusedAlike,
      concurrency: settings.sending.concurrency,
      latestRunWasWhole: latestRunWasWhole(await verbs.listRuns(batch.id)),
      payees: batch.kind === 'recipients' ? new PayeeRecheck(verbs, batch, isHeld) : undefined,
      readAnswer,
      checkContent: contentCheck({ ledger: verbs, batch, readAnswer, log: runLogPath(app, batch), approved }),
      ...(await institutionNamesFor(verbs, batch)),
      newKey: randomUUID,
      gather: gatherAnswers,
      rows: options.rows ?? 'all',
      approvalId,
      holdsBatch,
      halt,
      onLimiter: shared.useLimiter,
      onNothingLeft: options.join === true ? () => awaitOthers(verbs, own, work.halt.signal) : undefined,
      onProgress: (conclusions) => {
        const { length: rows } = conclusions;
        work.sentRows += rows;
        onRecorded(rows);
        // A row that was put back to `ready` is not done.
        const done = conclusions.filter(({ conclusion }) => conclusion.state !== 'ready').length;
        if (done > 0) app.report({ kind: 'step.advanced', rows: done, outcomes: outcomesOf(conclusions) });
      },
    };
    await processBatch(context);
    if (batch.id === work.lastBatch) await stopIfSilent(shared.sender, verbs, batch.id, counts);
    if (!work.halt.signal.aborted) await options.afterMoving?.(context);
  } catch (error) {
    if (error instanceof BatchStop) {
      work.stopped.set(batch.id, await failureOfStop(app, verbs, batch, error));
      return;
    }
    const failure = await failureOfRun(app, verbs, batch, error);
    if (!(failure instanceof PaybatchError)) throw error;
    stop(work, failure);
  }
}

/** Rows that need a later run decide the outcome. An interrupted run with nothing left to do is complete. */
function outcomeFor(work: Work, account: BatchAccount): CallOutcome {
  // Rows that a person has stopped with `halt` wait for people, not for the next run.
  const isHalted = work.failure?.code === 'halted';
  const isInterrupted = work.halt.signal.aborted && !isHalted;
  // If a complete run of an approved batch leaves rows unsent, these rows are not in the approved plan.
  const hasUnapprovedRows = work.options.permissions.has(account.id) && !isInterrupted;
  const codes = [hasUnapprovedRows || isHalted ? outcomeOf(account, 'approval') : outcomeOf(account)];
  if (work.failure !== null) codes.push(work.failure.kind);
  if (isInterrupted && openRows(account.counts) > 0) codes.push('stopped');
  return gravest(codes);
}
