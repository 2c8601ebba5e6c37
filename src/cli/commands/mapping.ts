import { proposeExportMapping } from '../../job/export-mapping.ts';
import { type MappingResult, proposeMappingOf } from '../../job/mapping.ts';
import type { JobResult } from '../../job/running/result.ts';
import { mappingTable } from '../../output/terminal/mapping-table.ts';
import { jsonText } from '../../output/terminal/terminal-text.ts';
import { shellWord } from '../../output/words/next-steps.ts';
import { printable } from '../../output/words/printable.ts';
import type { App } from '../command/app.ts';
import { type Command, textOf } from '../command/command.ts';
import { askOnTerminal } from '../terminal/ask.ts';

export const mappingCommand: Command = {
  work: async (app, parsed) => {
    const file = textOf(parsed, 'file') ?? '';
    const isInteractive = parsed['interactive'] === true || isDialogue(app, file);
    if (parsed['export'] === true) return proposeForExport(app, file, isInteractive);
    const result = await proposeMappingOf(app, { file, isInteractive });
    if (result.agreed !== null) {
      sayWritten(app, file, result);
      return result;
    }
    explain(app, file, result.proposal);
    // On standard output, to be written to a file.
    app.terminal.print(jsonText(result.proposal.mapping, 2));
    return result;
  },
};

async function proposeForExport(app: App, file: string, isInteractive: boolean): Promise<JobResult> {
  const { terminal } = app;
  const result = await proposeExportMapping(app, { file, isInteractive });
  const { columns, mapping, path } = result;
  if (path === null) {
    const lines = columns.map(({ title, role }) => `  ${printable(title)}  →  ${role ?? 'passed over'}`);
    terminal.say(`${lines.join('\n')}\n`);
    terminal.print(jsonText(mapping, 2));
  } else terminal.say(`\nWritten to ${printable(path)}.`);
  const written = path === null ? 'export.json' : shellWord(path);
  terminal.say(`Then: paybatch reconcile BATCH --against ${shellWord(file)} --mapping ${written}`);
  return result;
}

/** Whether a person sits before it: nothing is redirected, and the file does not come from the keyboard. */
function isDialogue({ settings }: App, file: string): boolean {
  return (
    !settings.json && !settings.quiet && file !== '-' && askOnTerminal() !== null && process.stdout.isTTY
  );
}

function sayWritten({ terminal }: App, file: string, { proposal, agreed, remembered }: MappingResult): void {
  terminal.say(`\nWritten to ${printable(agreed?.path ?? '')}.`);
  const mapping = shellWord(agreed?.path ?? '');
  if (remembered !== null) {
    terminal.say(
      `Remembered as "${printable(remembered)}": files with this header are read with it, also without --mapping.`,
    );
  }
  terminal.say(
    `Then check it: paybatch validate ${shellWord(file)} --kind ${proposal.kind} --mapping ${mapping}`,
  );
}

/** What the mapping is made of, beside it. */
function explain({ terminal }: App, path: string, proposal: MappingResult['proposal']): void {
  const { kind, columns, open } = proposal;
  const readings = proposal.readings.map(({ text }) => text);
  const undecided = columns.filter(({ certainty }) => certainty === 'open').length;
  terminal.say(`${path === '-' ? 'standard input' : printable(path)}: ${kind}\n`);
  terminal.say(`${mappingTable({ columns, readings, open }, terminal.useColour)}\n`);
  if (undecided + open.length > 0) {
    terminal.say(
      'A person must decide the rest, which is not in the mapping: under "columns", "ignore" or "constants".',
    );
  }
  const file = path === '-' ? 'FILE' : shellWord(path);
  terminal.say(`Then check it: paybatch validate ${file} --kind ${kind} --mapping mapping.json`);
}
