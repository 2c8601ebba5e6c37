import { randomUUID } from 'node:crypto';
import { shortBatchId } from '../../domain/batch.ts';
import { exitCodes } from '../../domain/exit-code.ts';
import { Failure } from '../../domain/failure.ts';
import type { BatchRecord } from '../../domain/ledger-row.ts';
import { colourIf } from '../../output/terminal-text.ts';
import { countOf } from '../../output/wording.ts';
import { holdBatch } from '../../pipeline/take-in.ts';
import { judgeReplay, type ReplayFinding } from '../../reconcile/replay.ts';
import type { ApiTarget } from '../api-target.ts';
import type { App } from '../app.ts';
import { askOnTerminal, isYes } from '../ask.ts';
import { repeatedOptions } from '../batch-files.ts';
import { workOn } from '../batch-work.ts';
import { requireDurableLedger } from '../durability.ts';
import type { LedgerAccess } from '../ledger-access.ts';
import { requireSameEnvironment } from '../same-environment.ts';

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
  requireSameEnvironment(batch, target);
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
async function confirmReplay(app: App, batch: BatchRecord, unknown: number): Promise<void> {
  if (app.settings.yes) return;
  const again = [
    'paybatch reconcile',
    shortBatchId(batch.id),
    '--replay',
    ...repeatedOptions(app, batch),
  ].join(' ');
  const ask = askOnTerminal();
  if (ask === null) {
    throw notConfirmed('A replay may create objects: without a terminal it needs --yes.', `${again} --yes`);
  }
  const colour = colourIf(app.terminal.useColour);
  const live = batch.mode === 'live' ? `${colour('red', 'LIVE')}: ` : '';
  const [goes, their] = unknown === 1 ? ['goes', 'its own key'] : ['go', 'their own keys'];
  const answer = await ask(
    `${live}${countOf(unknown, 'unknown row')} ${goes} again to ${batch.origin} under ${their}.\n` +
      'What was created already is not created twice; what was never created is created now.\n' +
      'Type "yes" to send: ',
  );
  if (isYes(answer)) return;
  // After Ctrl-C the cursor stands behind the question.
  if (answer === '') app.terminal.complain('');
  throw notConfirmed('Nothing was sent: the answer was not "yes".', `${again}, when it is right`);
}

function notConfirmed(message: string, next: string): Failure {
  return new Failure(exitCodes.usage, 'replay_not_confirmed', message, next);
}

async function sendUnknownRows(
  app: App,
  access: LedgerAccess,
  target: ApiTarget,
  batch: BatchRecord,
): Promise<ReplayFinding[]> {
  const { verbs } = access;
  const run = await holdBatch(batch, { ledger: verbs, command: 'reconcile', newRunId: randomUUID });
  const end = await workOn(app, access, target, [{ batch, run, isNew: false }], { rows: 'in_doubt' });
  if (end.failure !== null) throw end.failure;
  if (app.interrupted.aborted) throw interrupted(app, batch);
  const timed = await verbs.findTimedAnswers(batch.environmentId, run.startedAt, timedAnswers);
  const findings: ReplayFinding[] = [];
  for await (const rows of verbs.readReplayedRows(batch.id, run.id)) {
    findings.push(...judgeReplay(rows, new Date(run.startedAt), timed));
  }
  return findings;
}

/** What was answered before is recorded; whether all of it was sent, nobody can say without another look. */
function interrupted(app: App, batch: BatchRecord): Failure {
  const words = ['paybatch reconcile', shortBatchId(batch.id), '--replay', ...repeatedOptions(app, batch)];
  return new Failure(
    exitCodes.stopped,
    'interrupted',
    'The replay was interrupted. What had been answered is recorded.',
    words.join(' '),
  );
}
