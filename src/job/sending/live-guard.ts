import { exitCodes } from '../../domain/exit-code.ts';
import { Failure } from '../../domain/failure.ts';
import type { JobContext } from '../running/context.ts';
import type { PlannedBatch } from './planning.ts';

/**
 * A live run shows what it is about to send and asks. Where nobody can answer, `--yes` or `--plan-hash` has to be
 * given.
 * @throws Failure (exit 2) when nobody agreed
 */
export async function confirmLive(app: JobContext, planned: readonly PlannedBatch[]): Promise<void> {
  if (app.settings.mode !== 'live' || app.settings.yes) return;
  const sending = planned.filter(({ plan }) => plan.totals.send.length > 0);
  if (sending.length === 0) return;
  const batches = sending.map(({ own, plan }) => ({ batch: own.batch, plan }));
  const answer = await app.ask({ kind: 'send_live', batches });
  if (answer === 'yes') return;
  throw answer === 'nobody'
    ? refused(
        'A live run without a terminal needs --yes or --plan-hash.',
        'look at it first: paybatch plan FILE --mode live',
      )
    : refused('Nothing was sent.', 'run it again when it is right');
}

function refused(message: string, next: string): Failure {
  return new Failure(exitCodes.usage, 'live_not_confirmed', message, next);
}
