import { printable } from '../../output/terminal-text.ts';
import { openDirectoryOf } from '../api-access.ts';
import type { App } from '../app.ts';
import { type Command, textOf, textsOf } from '../command.ts';
import { takeInFiles } from '../file-batches.ts';
import { firstRoundsOf } from '../first-rounds.ts';
import { openInputs } from '../inputs.ts';
import { readRules } from '../judging.ts';
import { requireOutFolder } from '../out-folder.ts';
import type { CommandEnd } from '../outcome.ts';
import { planHashOf, planHashOption } from '../plan-hash-option.ts';
import { sendHeld, withApiAndLedger } from '../sending.ts';

export const importCommand: Command = {
  build: (program) =>
    program
      .positional('file', { type: 'string', array: true, description: 'Paths; - is standard input' })
      .option('plan-hash', planHashOption),
  work: (app, parsed) => importFiles(app, textsOf(parsed, 'file'), planHashOf(textOf(parsed, 'plan-hash'))),
};

/** Reads, maps, validates and stages every file, then submits, and writes the results. */
async function importFiles(
  app: App,
  paths: readonly string[],
  planHash: string | undefined,
): Promise<CommandEnd> {
  requireOutFolder(app.settings);
  const rules = readRules(app.settings.rules);
  const inputs = await openInputs(paths, app.settings, rules, firstRoundsOf(app));
  for (const note of inputs.notes) app.terminal.say(printable(note));
  try {
    return await withApiAndLedger(app, async (target, access) => {
      const directory = openDirectoryOf(target, access.verbs, app);
      try {
        const { environment } = target;
        const files = {
          command: 'import',
          inputs,
          environment,
          openDirectory: directory.open,
        } as const;
        const held = await takeInFiles(app, access, files);
        return await sendHeld(app, access, target, held, { planHash });
      } finally {
        await directory.close();
      }
    });
  } finally {
    await inputs.close();
  }
}
