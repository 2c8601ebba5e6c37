import { repeatedOptions } from '../../job/access/repeated-options.ts';
import { proposeExportMapping } from '../../job/export-mapping.ts';
import { type MappingResult, proposeMappingOf } from '../../job/mapping.ts';
import type { JobResult } from '../../job/running/result.ts';
import { mappingTable } from '../../output/terminal/mapping-table.ts';
import { jsonText } from '../../output/terminal/terminal-text.ts';
import { command } from '../../output/words/next-steps.ts';
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
  const words = ['--against', file, '--mapping', path ?? 'export.json', ...repeatedOptions(app)];
  // Which batch it is an export of, nobody has said.
  terminal.say(`Then: ${command('reconcile', 'BATCH', words)}`);
  return result;
}

/** Whether a person sits before it: nothing is redirected, and the file does not come from the keyboard. */
function isDialogue({ settings }: App, file: string): boolean {
  return (
    !settings.json && !settings.quiet && file !== '-' && askOnTerminal() !== null && process.stdout.isTTY
  );
}

function sayWritten(app: App, file: string, { agreed, remembered }: MappingResult): void {
  const { terminal } = app;
  terminal.say(`\nWritten to ${printable(agreed?.path ?? '')}.`);
  if (remembered !== null) {
    terminal.say(
      `Remembered as "${printable(remembered)}": files with this header are read with it, also without --mapping.`,
    );
  }
  terminal.say(`Then check it: ${command('validate', file, checkOptions(app, agreed?.path ?? ''))}`);
}

/** What the mapping is made of, beside it. */
function explain(app: App, path: string, proposal: MappingResult['proposal']): void {
  const { terminal } = app;
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
  terminal.say(`Then check it: ${command('validate', path, checkOptions(app, 'mapping.json'))}`);
}

/** The mapping says how the file is read; what else a command needs is where the ledger and the API are. */
function checkOptions(app: App, mapping: string): string[] {
  const { rules } = app.settings;
  return ['--mapping', mapping, ...(rules === undefined ? [] : ['--rules', rules]), ...repeatedOptions(app)];
}
