import { shortBatchId } from '../../domain/batches/batch.ts';
import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
import type { NextCommand } from '../../domain/failures/next-command.ts';
import type { JobContext } from '../running/context.ts';
import type { PlannedBatch } from './planning.ts';

/**
 * A live run shows what it is about to send and asks. Where nobody can answer, `--yes` or `--plan-hash` has to be
 * given.
 * @param files paths of the files that this call has read; absent where it read none
 * @throws Failure (exit 2) when nobody agreed
 */
export async function confirmLive(
  app: JobContext,
  planned: readonly PlannedBatch[],
  files?: readonly string[],
): Promise<void> {
  if (app.settings.mode !== 'live' || app.settings.yes) return;
  const sending = planned.filter(({ plan }) => plan.totals.send.length > 0);
  if (sending.length === 0) return;
  const batches = sending.map(({ own, plan }) => ({ batch: own.batch, plan }));
  const answer = await app.ask({ kind: 'send_live', batches });
  if (answer === 'yes') return;
  throw answer === 'nobody'
    ? refused('A live run without a terminal needs --yes or --plan-hash.', lookingAt(sending, files))
    : refused('Nothing was sent.', 'run it again when it is right');
}

/** What would be sent of files is their plan; of a batch that is in the ledger, its status tells. */
function lookingAt(sending: readonly PlannedBatch[], files: readonly string[] | undefined): NextCommand {
  const before = 'look at it first: ';
  if (files !== undefined) return { before, words: ['plan', ...files], needs: 'place_and_reading' };
  const [batch] = sending.map(({ own }) => own.batch);
  const words = ['status', ...(batch === undefined ? [] : [shortBatchId(batch.id)])];
  return { before, words, needs: 'place', ...(batch === undefined ? {} : { environment: batch }) };
}

function refused(message: string, next: string | NextCommand): Failure {
  return new Failure(exitCodes.usage, 'live_not_confirmed', message, next);
}
