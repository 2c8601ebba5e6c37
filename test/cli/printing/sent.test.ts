import { expect, it } from 'vitest';
import { appOn } from '../../../src/cli/command/app.ts';
import { callOptionsOf } from '../../../src/cli/options/settings.ts';
import { printSent } from '../../../src/cli/printing/sent.ts';
import { openTerminal } from '../../../src/cli/terminal/terminal.ts';
import { type ExitCode, exitCodes } from '../../../src/domain/failures/exit-code.ts';
import { systemClock } from '../../../src/engine/running/context.ts';
import { collectText } from '../../support/in-process.ts';

it.each<[ExitCode, string]>([
  [exitCodes.done, 'every row was created earlier'],
  [exitCodes.rowsNeedCorrection, 'no row can move by itself'],
  [exitCodes.stopped, 'the run was stopped before'],
])('that nothing was sent is told with its reason, exit %i: %s', (exitCode, reason) => {
  const streams = { stdout: collectText(), stderr: collectText() };
  const { settings, speech } = callOptionsOf({}, {});
  const terminal = openTerminal(speech, {}, streams);
  const interrupted = new AbortController().signal;
  const activity = { requests: 0 };
  const app = appOn(terminal, {
    settings,
    speech,
    environment: {},
    clock: systemClock,
    interrupted,
    activity,
  });
  printSent(app, {
    ...{ exitCode, batches: [], failure: null, sending: 'done', sentRows: 0 },
    environment: { mode: 'sandbox', origin: 'https://api.example.test' },
  });
  expect(streams.stdout.text()).toBe(`Nothing was sent: ${reason}.\n`);
});
