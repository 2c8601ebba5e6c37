import { randomUUID } from 'node:crypto';
import { shortBatchId } from '../../domain/batch.ts';
import { exitCodes } from '../../domain/exit-code.ts';
import { Failure } from '../../domain/failure.ts';
import type { BatchRecord } from '../../domain/ledger-row.ts';
import { holdBatch } from '../../pipeline/intake/take-in.ts';
import { countFindings, judgeReplay, type ReplayFindings } from '../../reconcile/replay.ts';
import type { ApiTarget } from '../access/api-target.ts';
import { requireDurableLedger } from '../access/durability.ts';
import type { LedgerAccess } from '../access/ledger-access.ts';
import { requireSameEnvironment } from '../access/same-environment.ts';
import { repeatedOptions } from '../files/files-of-batch.ts';
import type { JobContext } from '../running/context.ts';
import { workOn } from '../sending/batch-work.ts';

/** So many answers tell the distance between the other side's clock and the ledger's. */
const timedAnswers = 200;

/**
 * Sends a batch's unknown rows again, once somebody has agreed.
 * @returns what became of their objects; null when no row is unknown
 * @throws Failure when nobody agreed, when the batch belongs elsewhere, or when the sending stopped
 */
export async function replay(
  app: JobContext,
  access: LedgerAccess,
  target: ApiTarget,
  batch: BatchRecord,
): Promise<ReplayFindings | null> {
  requireSameEnvironment(batch, target);
  const { unknown = 0 } = await access.verbs.countStatuses(batch.id);
  if (unknown === 0) return null;
  if (app.settings.mode === 'live') await requireDurableLedger(access);
  await confirmReplay(app, batch, unknown);
  return sendUnknownRows(app, access, target, batch);
}

/** A replay may create what did not exist before, so somebody has to want it. */
async function confirmReplay(app: JobContext, batch: BatchRecord, unknown: number): Promise<void> {
  if (app.settings.yes) return;
  const again = [
    'paybatch reconcile',
    shortBatchId(batch.id),
    '--replay',
    ...repeatedOptions(app, batch),
  ].join(' ');
  const answer = await app.ask({ kind: 'replay', batch, rows: unknown });
  if (answer === 'yes') return;
  throw answer === 'nobody'
    ? notConfirmed('A replay may create objects: without a terminal it needs --yes.', `${again} --yes`)
    : notConfirmed('Nothing was sent: the answer was not "yes".', `${again}, when it is right`);
}

function notConfirmed(message: string, next: string): Failure {
  return new Failure(exitCodes.usage, 'replay_not_confirmed', message, next);
}

async function sendUnknownRows(
  app: JobContext,
  access: LedgerAccess,
  target: ApiTarget,
  batch: BatchRecord,
): Promise<ReplayFindings> {
  const { verbs } = access;
  const run = await holdBatch(batch, { ledger: verbs, command: 'reconcile', newRunId: randomUUID });
  const end = await workOn(app, access, target, [{ batch, run, isNew: false }], { rows: 'in_doubt' });
  if (end.failure !== null) throw end.failure;
  if (app.interrupted.aborted) throw interrupted(app, batch);
  const timed = await verbs.findTimedAnswers(batch.environmentId, run.startedAt, timedAnswers);
  const began = new Date(run.startedAt);
  return countFindings(
    (async function* () {
      for await (const rows of verbs.readReplayedRows(batch.id, run.id))
        yield judgeReplay(rows, began, timed);
    })(),
  );
}

/** What was answered before is recorded; whether all of it was sent, nobody can say without another look. */
function interrupted(app: JobContext, batch: BatchRecord): Failure {
  const words = ['paybatch reconcile', shortBatchId(batch.id), '--replay', ...repeatedOptions(app, batch)];
  return new Failure(
    exitCodes.stopped,
    'interrupted',
    'The replay was interrupted. What had been answered is recorded.',
    words.join(' '),
  );
}
