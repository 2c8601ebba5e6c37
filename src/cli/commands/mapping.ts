import { exitCodes } from '../../domain/failures/exit-code.ts';
import { readingOptions, repeatedOptions } from '../../job/access/repeated-options.ts';
import { proposeExportMapping } from '../../job/export-mapping.ts';
import { agreeOnMapping, type FinishedMapping } from '../../job/mapping/session.ts';
import { type MappingResult, proposeMappingOf } from '../../job/mapping.ts';
import type { JobResult } from '../../job/running/result.ts';
import { readingTable } from '../../output/terminal/mapping-table.ts';
import { jsonText } from '../../output/terminal/terminal-text.ts';
import { command } from '../../output/words/next-steps.ts';
import { printable } from '../../output/words/wording.ts';
import type { App } from '../command/app.ts';
import { type Command, textOf } from '../command/command.ts';
import { askOnTerminal } from '../terminal/ask.ts';
import { leadOnTerminal } from '../terminal/mapping-dialogue.ts';
import { leadByLines } from '../terminal/mapping-lines.ts';

export const mappingCommand: Command = {
  work: async (app, parsed) => {
    const file = textOf(parsed, 'file') ?? '';
    const isInteractive = parsed['interactive'] === true || isDialogue(app, file);
    if (parsed['export'] === true) return proposeForExport(app, file, isInteractive);
    if (parsed['dialogue'] === true) return leadWithProgram(app, file);
    if (isInteractive) return leadWithPerson(app, file);
    const result = await proposeMappingOf(app, { file });
    if (result.proposal !== null) explain(app, file, result.proposal);
    // On standard output, to be written to a file.
    app.terminal.print(jsonText(result.document, 2));
    return result;
  },
};

async function leadWithProgram(app: App, file: string): Promise<JobResult> {
  const write = (line: string): void => app.terminal.printBytes(Buffer.from(`${line}\n`));
  const { mapping, path, forecast } = await agreeOnMapping(app, file, (session) =>
    leadByLines(session, process.stdin, write),
  );
  write(JSON.stringify({ mapping, file: path, forecast }));
  return { exitCode: exitCodes.done, batches: [], failure: null, document: mapping };
}

async function leadWithPerson(app: App, file: string): Promise<JobResult> {
  const finished = await agreeOnMapping(app, file, (session) =>
    leadOnTerminal(session, app.terminal, askOnTerminal()),
  );
  sayWritten(app, file, finished);
  return { exitCode: exitCodes.done, batches: [], failure: null, document: finished.mapping };
}

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

function sayWritten(app: App, file: string, { path, remembered }: FinishedMapping): void {
  const { terminal } = app;
  terminal.say(`\nWritten to ${printable(path)}.`);
  if (remembered !== null) {
    terminal.say(
      `Remembered as "${printable(remembered)}": files with this header are read with it, also without --mapping.`,
    );
  }
  terminal.say(`Then check it: ${command('validate', file, checkOptions(app, path))}`);
}

/** What the mapping is made of, beside it. */
function explain(app: App, path: string, { reading, result }: NonNullable<MappingResult['proposal']>): void {
  const { terminal } = app;
  terminal.say(`${path === '-' ? 'standard input' : printable(path)}: ${reading.assignment.kind}\n`);
  const columns = reading.assignment.uses.map(({ column, fields }) => ({
    column: column.title,
    field: fields.length === 0 ? null : fields,
    // What goes into a log holds no values.
    samples: [],
    repairs: reading.mapping.repair?.[column.title] ?? [],
  }));
  const open = reading.points
    .filter(({ isNeeded, subject }) => isNeeded && subject.proposal === null)
    .map(({ about, why }) => `${about}: ${why}`);
  terminal.say(`${readingTable({ columns, open, ...result }, terminal.useColour, terminal.columns)}\n`);
  terminal.say(`Then check it: ${command('validate', path, checkOptions(app, 'mapping.json'))}`);
}

/** What reads the file as it was looked at: the mapping says the rest. */
function checkOptions(app: App, mapping: string): string[] {
  const { kind: _, sheet: __, ...others } = app.settings;
  return [...readingOptions({ settings: { ...others, mapping } }), ...repeatedOptions(app)];
}
