import { expect, it } from 'vitest';
import { appOn } from '../../../src/cli/command/command.ts';
import { printSent } from '../../../src/cli/commands/sending.ts';
import { callOptionsOf } from '../../../src/cli/options/options.ts';
import { openTerminal } from '../../../src/cli/terminal/terminal.ts';
import type { BatchAccount } from '../../../src/domain/batches/account.ts';
import type { CallOutcome } from '../../../src/domain/failures/paybatch-error.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { sampleAccount } from '../../support/accounts.ts';
import { collectText } from '../../support/in-process.ts';

it.each<[CallOutcome, string]>([
  ['done', 'every row was created earlier'],
  ['rows_need_correction', 'no row can move by itself'],
  ['stopped', 'the run was stopped before'],
])('that nothing was sent is told with its reason, exit %i: %s', (outcome, reason) => {
  expect(saidOf(outcome, [sampleAccount({ counts: { existing: 2 } })])).toContain(
    `\nNothing was sent: ${reason}.\n`,
  );
});

it('of a file without rows it is not said that they were created earlier', () => {
  const said = saidOf('done', [batch]);
  expect(said).toContain('No rows: nothing to do');
  expect(said).not.toContain('Nothing was sent');
});

const batch = sampleAccount({}, {}, { kind: 'customers' });

/** What is printed of a call that has sent nothing. */
function saidOf(outcome: CallOutcome, batches: readonly BatchAccount[]): string {
  const streams = { stdout: collectText(), stderr: collectText() };
  const { speech } = callOptionsOf({}, {});
  const terminal = openTerminal(speech, {}, streams);
  const interrupted = new AbortController().signal;
  const activity = { requests: 0 };
  const engine = Engine.withSettings({}, {});
  const app = appOn(terminal, { engine, speech, interrupted, activity });
  printSent(app, {
    outcome,
    batches,
    failure: null,
    sending: 'done',
    sentRows: 0,
    environment: { mode: 'sandbox', origin: 'https://api.example.test' },
  });
  return streams.stdout.text();
}
