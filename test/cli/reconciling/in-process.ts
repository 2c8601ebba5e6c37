import { onTestFinished } from 'vitest';
import { asFailure } from '../../../src/call/start.ts';
import { appOn, sayError } from '../../../src/cli/command/command.ts';
import { documentOf } from '../../../src/cli/json/document.ts';
import { callOptionsOf, machineSettingsIn } from '../../../src/cli/options/given-options.ts';
import { parseCommandLine } from '../../../src/cli/program.ts';
import { commandLineWords } from '../../../src/cli/remedies/remedy-text.ts';
import { openTerminal } from '../../../src/cli/terminal/terminal.ts';
import { exitCodes } from '../../../src/disk/log/exit-codes.ts';
import { PaybatchError } from '../../../src/domain/failures/paybatch-error.ts';
import type { Settings } from '../../../src/domain/settings/definitions.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { type Desk, type DeskOptions, openDesk } from '../../support/cli-desk.ts';
import { collectText } from '../../support/in-process.ts';
import { expectDocumented } from '../../support/json-objects.ts';

/** How a command line ended that ran in the test's own process. */
export interface InProcessEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What `--json` would print of a command that came to its end. */
  readonly document: unknown;
}

/** A desk whose command lines run in the test's own process: the start of a program takes most of a second. */
export interface InProcessDesk extends Desk {
  call(words: readonly string[], env?: Readonly<Record<string, string>>): Promise<InProcessEnd>;
}

export async function openInProcessDesk(options: DeskOptions = {}): Promise<InProcessDesk> {
  const before = process.cwd();
  const desk = await openDesk(options);
  process.chdir(desk.folder);
  onTestFinished(() => process.chdir(before));
  return { ...desk, call: (words, env = {}) => callIn({ ...desk.env, ...env }, words) };
}

async function callIn(
  environment: Readonly<Record<string, string>>,
  words: readonly string[],
): Promise<InProcessEnd> {
  const streams = { stdout: collectText(), stderr: collectText() };
  const ended = (exitCode: number, document: unknown): InProcessEnd => ({
    exitCode,
    document,
    stdout: streams.stdout.text(),
    stderr: streams.stderr.text(),
  });
  let settings: Settings | null = null;
  let engine: Engine | null = null;
  try {
    const call = await parseCommandLine(words, 100);
    if ('text' in call) return ended(0, null);
    const interrupted = new AbortController().signal;
    const options = callOptionsOf(call.options, environment);
    const { speech } = options;
    settings = options.settings;
    const terminal = openTerminal(speech, environment, streams);
    const activity = { requests: 0 };
    engine = Engine.withSettings(options.values, machineSettingsIn(environment));
    const end = await call.work(appOn(terminal, { engine, speech, interrupted, activity }));
    expectDocumented(words, JSON.parse(JSON.stringify(documentOf(end, commandLineWords(engine)))));
    return ended(exitCodes[end.outcome], end.document ?? end);
  } catch (error) {
    const failure = asFailure(error);
    if (!(failure instanceof PaybatchError)) throw error;
    return ended(sayError(failure, false, streams, settings), {
      error: { code: failure.code },
    });
  } finally {
    await engine?.close();
  }
}
