import type { SendResult } from '../../engine/sending/sending.ts';
import type { App } from '../command/app.ts';
import { printBatches, sayFailure } from './result.ts';

/** Tells a person what became of batches that were to be sent. */
export function printSent(app: App, result: SendResult): SendResult {
  const { terminal } = app;
  if (result.sending === 'idle') {
    terminal.print('Nothing to resume: no batch of this environment is unfinished.');
  } else if (result.sending === 'none') {
    terminal.print('Nothing to import.');
  } else if (result.sending === 'refused') {
    if (result.failure !== null) sayFailure(app, result.failure);
  } else {
    printBatches(app, result);
    sayWhenNothingWasSent(app, result);
  }
  return result;
}

/** Running the same again is no mistake, but somebody may wonder why nothing happened. */
function sayWhenNothingWasSent({ terminal }: App, { sentRows, failure, outcome }: SendResult): void {
  if (sentRows > 0 || failure !== null) return;
  if (outcome === 'stopped') terminal.print('Nothing was sent: the run was stopped before.');
  else if (outcome === 'done') terminal.print('Nothing was sent: every row was created earlier.');
  else terminal.print('Nothing was sent: no row can move by itself.');
}
