import type { BatchSummary } from '../../output/json-summary.ts';
import { shellWord } from '../../output/next-steps.ts';
import { printable } from '../../output/terminal-text.ts';
import type { App } from '../app.ts';
import { repeatedOptions } from '../batch-files.ts';
import { openCheckAccess } from '../check-access.ts';
import { checkAll } from '../check-files.ts';
import { type Command, textsOf } from '../command.ts';
import { firstRoundsOf } from '../first-rounds.ts';
import { type OpenInputs, openInputs } from '../inputs.ts';
import { readRules } from '../judging.ts';
import { requireOutFolder } from '../out-folder.ts';
import { type CommandEnd, sayFailure } from '../outcome.ts';

export const validateCommand: Command = {
  build: (program) =>
    program.positional('file', { type: 'string', array: true, description: 'Paths; - is standard input' }),
  work: (app, parsed) => validateFiles(app, textsOf(parsed, 'file')),
};

/** Reads, maps and validates every file; writes the findings, and stages and sends nothing. */
async function validateFiles(app: App, paths: readonly string[]): Promise<CommandEnd> {
  requireOutFolder(app.settings);
  const rules = readRules(app.settings.rules);
  const inputs = await openInputs(paths, app.settings, rules, firstRoundsOf(app));
  for (const note of inputs.notes) app.terminal.say(printable(note));
  try {
    const access = await openCheckAccess(app);
    try {
      const end = await checkAll(app, inputs, access);
      printNextStep(app, paths, end, isChoiceOpen(inputs));
      return end;
    } finally {
      await access.close();
    }
  } finally {
    await inputs.close();
  }
}

/** Options without which an import would read the files in another way than they were checked. */
function readingOptions({ settings }: App): string[] {
  const names = ['kind', 'sheet', 'hidden', 'delimiter', 'encoding', 'mapping', 'rules'] as const;
  return names.flatMap((name) => {
    const value = settings[name];
    return value === undefined ? [] : [`--${name}`, value];
  });
}

/** Whether an import would ask what is meant by hidden rows. */
function isChoiceOpen({ intakes }: OpenInputs): boolean {
  return intakes.some(({ hidden, hiddenChoice }) => hidden.count > 0 && hiddenChoice === null);
}

function printNextStep(
  app: App,
  paths: readonly string[],
  { batches, failure }: CommandEnd,
  isHiddenOpen: boolean,
): void {
  if (failure !== null) {
    sayFailure(app.terminal, failure);
    return;
  }
  const words = [...paths, ...readingOptions(app), ...repeatedOptions(app)].map(shellWord).join(' ');
  const command = `  paybatch import ${words}`;
  const choices = [`${command} --hidden include`, `${command} --hidden skip`];
  app.terminal.print([adviceFor(batches), ...(isHiddenOpen ? choices : [command])].join('\n'));
}

function adviceFor(batches: readonly BatchSummary[]): string {
  if (batches.some(({ counts }) => (counts.invalid ?? 0) > 0))
    return 'Correct the rows and check again, or import the others as they are:';
  if (batches.some(({ counts }) => (counts.held ?? 0) > 0))
    return 'An import would hold the rows that a person has to decide about, and send the others:';
  return 'Next:';
}
