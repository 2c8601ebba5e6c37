import { exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import { sendLines } from '../output/plan-table.ts';
import { colourIf, printable } from '../output/terminal-text.ts';
import { countOf } from '../output/wording.ts';
import type { App } from './app.ts';
import { type Ask, askOnTerminal, isYes } from './ask.ts';
import type { PlannedBatch } from './planning.ts';

/**
 * A live run shows what it is about to send and asks. Without a terminal nobody can answer, so `--yes` or
 * `--plan-hash` has to be given.
 * @throws Failure (exit 2) when nobody agreed
 */
export async function confirmLive(
  app: App,
  planned: readonly PlannedBatch[],
  ask: Ask = askOnTerminal(),
): Promise<void> {
  if (app.settings.mode !== 'live' || app.settings.yes) return;
  const sending = planned.filter(({ plan }) => plan.totals.send.length > 0);
  if (sending.length === 0) return;
  if (ask === null) {
    throw refused(
      'A live run without a terminal needs --yes or --plan-hash.',
      'look at it first: paybatch plan FILE --mode live',
    );
  }
  app.terminal.complain(sending.map((batch) => announcement(app, batch)).join('\n\n'));
  const answer = await ask('\nType "yes" to send this LIVE: ');
  if (!isYes(answer)) throw refused('Nothing was sent.', 'run it again when it is right');
}

/** The very totals of the plan. */
function announcement({ terminal }: App, { own: { batch }, plan }: PlannedBatch): string {
  const colour = colourIf(terminal.useColour);
  const rows = plan.totals.send.reduce((sum, group) => sum + group.rows, 0);
  const title = `${colour('red', 'LIVE')}: about to send ${countOf(rows, 'row')} of ${printable(batch.fileName)} to ${batch.origin}`;
  return [title, '', ...sendLines(plan.totals, colour), '', `  plan hash  ${plan.planHash}`].join('\n');
}

function refused(message: string, next: string): Failure {
  return new Failure(exitCodes.usage, 'live_not_confirmed', message, next);
}
