import { randomUUID } from 'node:crypto';
import { shortBatchId } from '../../domain/batch.ts';
import type { BatchRecord } from '../../domain/ledger-row.ts';
import { holdBatch } from '../../pipeline/take-in.ts';
import { judgeReplay, onlyUnknownRows, type ReplayFinding } from '../../reconcile/replay.ts';
import type { ApiTarget } from '../api-target.ts';
import type { App } from '../app.ts';
import { askOnTerminal, isYes } from '../ask.ts';
import { workOn } from '../batch-work.ts';
import { requireDurableLedger } from '../durability.ts';
import type { LedgerAccess } from '../ledger-access.ts';
import { usage } from './usage.ts';

/** So many answers tell the distance between the other side's clock and the ledger's. */
const timedAnswers = 200;

/**
 * Sends a batch's unknown rows again, once somebody has agreed, and says what became of their objects.
 * @throws Failure when nobody agreed, when the batch belongs elsewhere, or when the sending stopped
 */
export async function replay(
  app: App,
  access: LedgerAccess,
  target: ApiTarget,
  batch: BatchRecord,
): Promise<ReplayFinding[]> {
  if (batch.mode !== target.environment.mode || batch.origin !== target.environment.origin) {
    throw usage(`Batch ${shortBatchId(batch.id)} belongs to ${batch.mode} at ${batch.origin}.`);
  }
  const { unknown = 0 } = await access.verbs.countStatuses(batch.id);
  if (unknown === 0) {
    app.terminal.print('Nothing to replay: no row is unknown.');
    return [];
  }
  if (app.settings.mode === 'live') await requireDurableLedger(access);
  await confirmReplay(app, batch, unknown);
  return sendUnknownRows(app, access, target, batch);
}

/** A replay may create what did not exist before, so somebody has to want it. */
async function confirmReplay({ settings }: App, batch: BatchRecord, unknown: number): Promise<void> {
  if (settings.yes) return;
  const ask = askOnTerminal();
  if (ask === null) throw usage('A replay may create objects: without a terminal it needs --yes.');
  const answer = await ask(
    `${batch.mode === 'live' ? 'LIVE: ' : ''}${unknown} unknown row(s) go again to ${batch.origin} under their own keys; ` +
      'what was never created is created now.\nType "yes" to send: ',
  );
  if (!isYes(answer)) throw usage('Nothing was sent.');
}

async function sendUnknownRows(
  app: App,
  access: LedgerAccess,
  target: ApiTarget,
  batch: BatchRecord,
): Promise<ReplayFinding[]> {
  const { verbs } = access;
  const run = await holdBatch(batch, { ledger: verbs, command: 'reconcile', newRunId: randomUUID });
  const narrowed = { ...access, verbs: onlyUnknownRows(verbs) };
  const end = await workOn(app, narrowed, target, [{ batch, run, isNew: false }]);
  if (end.failure !== null) throw end.failure;
  const timed = await verbs.findTimedAnswers(batch.environmentId, run.startedAt, timedAnswers);
  const rows = await verbs.findReplayedRows(batch.id, run.id);
  return judgeReplay(rows, new Date(run.startedAt), timed);
}
