/* The command `mapping`: agrees with a person or a program on how a file is read, or prints a proposal. */

import { createInterface } from 'node:readline';
import { noBatches } from '../../account/result.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { printable } from '../../domain/text/characters.ts';
import type { MappingResult } from '../../engine/mapping.ts';
import type { PutQuestion, TakeAnswer } from '../../propose/session/encoding-question.ts';
import { forProgram } from '../../propose/session/program-question.ts';
import { reasonText } from '../../propose/session/question-reason.ts';
import type {
  AskedAgain,
  FinishedMapping,
  LedDialogue,
  MappingSession,
} from '../../propose/session/session.ts';
import type { ExportMappingSession } from '../../reconcile/export-session.ts';
import { type App, type Arguments, type Command, textOf } from '../command/command.ts';
import type { CommandEnd } from '../json/document.ts';
import { commandLine, readingOptions, repeatedOptions } from '../remedies/remedy-text.ts';
import { leadOnTerminal } from '../terminal/mapping-dialogue.ts';
import { askOnTerminal } from '../terminal/questions.ts';
import { readingTable, rememberedTable } from '../views/mapping-table.ts';
import { jsonText } from '../views/terminal-text.ts';

export const mappingCommand: Command = async (app, parsed) => {
  if (parsed['show'] === true || parsed['forget'] === true) return aboutRemembered(app, parsed);
  const file = textOf(parsed, 'file');
  if (file === undefined) {
    const help = { action: 'help', of: 'mapping', effect: 'tells more' } as const;
    throw new PaybatchError('usage', 'A file is needed: its path, or - for standard input.', help);
  }
  const again = { edit: parsed['edit'] === true, about: textOf(parsed, 'about') };
  const isInteractive = parsed['interactive'] === true || again.edit || isDialogue(app, file);
  const isExport = parsed['export'] === true;
  if (parsed['dialogue'] === true) return leadWithProgram(app, file, again, isExport);
  if (isExport) return isInteractive ? agreeOnExport(app, file, again.edit) : proposeForExport(app, file);
  if (isInteractive) return leadWithPerson(app, file, again);
  const result = await app.engine.mapping({ file }, app.call).result;
  if (result.proposal !== null) explain(app, file, result.proposal);
  const document = result.proposal?.reading.mapping;
  // Printed on standard output, so that it can be redirected to a file.
  app.terminal.print(jsonText(document, 2));
  return { ...result, document };
};

/** Shows the remembered mappings, or forgets one mapping after it was printed. */
async function aboutRemembered(app: App, parsed: Arguments): Promise<CommandEnd> {
  const { terminal, speech } = app;
  const named = textOf(parsed, 'file');
  const isForgotten = parsed['forget'] === true;
  if (isForgotten && named === undefined) {
    throw new PaybatchError(
      'usage',
      'paybatch mapping --forget needs the name of a mapping, or a file that is read with it.',
      { action: 'remembered_mappings', effect: 'lists them' },
    );
  }
  const result = await app.engine.rememberedMappings({ isForgotten, named }, app.call).result;
  const mappings = result.mappings.map(({ id: _, rememberedAt, ...others }) => ({
    ...others,
    remembered_at: rememberedAt,
  }));
  const end = { ...result, document: { mappings, forgotten: result.areForgotten } };
  if (speech.json) return end;
  if (named === undefined) {
    terminal.print(rememberedTable(result.mappings, terminal.useColour, terminal.columns));
    return end;
  }
  for (const { mapping, name } of result.mappings) {
    terminal.print(jsonText(mapping, 2));
    if (result.areForgotten) terminal.say(`Forgotten: "${printable(name)}".`);
  }
  return end;
}

/** Agrees on a mapping with the program on standard input and output, and sends it the result in a last line. */
async function leadWithProgram(
  { engine, call, terminal }: App,
  file: string,
  again: AskedAgain,
  isExport: boolean,
): Promise<CommandEnd> {
  const write = (line: string): void => terminal.printBytes(Buffer.from(`${line}\n`));
  const program = openProgram(process.stdin, write);
  const { put } = program;
  const lead = ({ dialogue }: Pick<MappingSession, 'dialogue'>): Promise<undefined> =>
    leadByLines(dialogue, put);
  try {
    const { mapping, path, forecast } = isExport
      ? await engine.agreeOnExportMapping({ file, lead, again: again.edit === true, put }, call).result
      : await engine.agreeOnMapping({ file, lead, again, put }, call).result;
    write(JSON.stringify({ mapping, file: path, forecast }));
    return { ...noBatches, document: mapping };
  } finally {
    program.close();
  }
}

async function leadWithPerson(app: App, file: string, again: AskedAgain): Promise<CommandEnd> {
  const lead = (session: MappingSession): Promise<string> =>
    leadOnTerminal(session, app.terminal, askOnTerminal());
  const finished = await app.engine.agreeOnMapping({ file, lead, again }, app.call).result;
  sayWritten(app, file, finished);
  return { ...noBatches, document: finished.mapping };
}

async function proposeForExport(app: App, file: string): Promise<CommandEnd> {
  const { terminal } = app;
  const result = await app.engine.exportMapping({ file }, app.call).result;
  const lines = result.columns.map(({ title, role }) => `  ${printable(title)}  →  ${role ?? 'passed over'}`);
  terminal.say(`${lines.join('\n')}\n`);
  terminal.print(jsonText(result.mapping, 2));
  sayThenReconcile(app, file, 'export.json');
  return { ...result, document: result.mapping };
}

/** Agrees with the person at the terminal on how an export is read. */
async function agreeOnExport(app: App, file: string, again: boolean): Promise<CommandEnd> {
  const { terminal } = app;
  const lead = (session: ExportMappingSession): Promise<string> =>
    leadOnTerminal(session, terminal, askOnTerminal());
  const finished = await app.engine.agreeOnExportMapping({ file, lead, again }, app.call).result;
  const { path, remembered, mapping } = finished;
  const name = printable(remembered ?? '');
  if (path === null) terminal.say(`Exports of this header are read with the remembered mapping "${name}".`);
  else terminal.say(`\nWritten to ${printable(path)}.`);
  if (path !== null && remembered !== null)
    terminal.say(
      `Remembered as "${name}": exports with this header are read with it, also without --mapping.`,
    );
  sayThenReconcile(app, file, remembered === null ? path : null);
  return { ...noBatches, document: mapping };
}

/**
 * Prints the reconciliation command that uses the mapping.
 * @param mapping the file of the mapping; null if it is remembered
 */
function sayThenReconcile(app: App, file: string, mapping: string | null): void {
  const read = mapping === null ? [] : ['--mapping', mapping];
  // The batch of the export is not known, so a placeholder is printed.
  const words = ['reconcile', 'BATCH', '--against', file, ...read, ...repeatedOptions(app)];
  app.terminal.say(`Then: ${commandLine(words)}`);
}

/** Whether a person uses the terminal: no stream is redirected, and the file is not standard input. */
function isDialogue({ speech }: App, file: string): boolean {
  return !speech.json && !speech.quiet && file !== '-' && askOnTerminal() !== null && process.stdout.isTTY;
}

function sayWritten(app: App, file: string, { path, remembered }: FinishedMapping): void {
  const { terminal } = app;
  if (path === null) {
    const name = printable(remembered ?? '');
    terminal.say(`Nothing in this file is new: it is read with the remembered mapping "${name}".`);
    const { sheet } = app.settings.reading;
    const edit = sheet === undefined ? [] : ['--sheet', sheet];
    terminal.say(`Ask again: ${commandLine(['mapping', file, '--edit', ...edit, ...repeatedOptions(app)])}`);
    const settings = { ...app.settings, reading: { ...app.settings.reading, mapping: undefined } };
    terminal.say(
      `Check it:  ${commandLine(['validate', file, ...checkOptions({ ...app, settings }, null)])}`,
    );
    return;
  }
  terminal.say(`\nWritten to ${printable(path)}.`);
  if (remembered !== null) {
    terminal.say(
      `Remembered as "${printable(remembered)}": files with this header are read with it, also without --mapping.`,
    );
  }
  terminal.say(`Then check it: ${commandLine(['validate', file, ...checkOptions(app, path)])}`);
}

/** Prints the evidence for the mapping. */
function explain(app: App, path: string, { reading, result }: NonNullable<MappingResult['proposal']>): void {
  const { terminal } = app;
  terminal.say(`${path === '-' ? 'standard input' : printable(path)}: ${reading.assignment.kind}\n`);
  const columns = reading.assignment.uses.map(({ column, fields }) => ({
    column: column.title,
    field: fields.length === 0 ? null : fields,
    // Values must not get into logs, so there are no samples here.
    samples: [],
    repairs: reading.mapping.repair?.[column.title] ?? [],
  }));
  const open = (reading.mapping.open ?? []).map(({ about, why }) => `${about}: ${why}`);
  terminal.say(
    `${readingTable({ about: reading.assignment.kind, columns, open, ...result }, terminal.useColour, terminal.columns)}\n`,
  );
  terminal.say(`Then check it: ${commandLine(['validate', path, ...checkOptions(app, 'mapping.json')])}`);
}

/** The options with which the file was examined, as far as they are not in the mapping. */
function checkOptions(app: App, mapping: string | null): string[] {
  const { reading } = app.settings;
  const settings = {
    ...app.settings,
    reading: { ...reading, kind: undefined, sheet: undefined, mapping: mapping ?? reading.mapping },
  };
  return [...readingOptions({ settings }), ...repeatedOptions(app)];
}

/*
 * The mapping dialogue with a program: one JSON object per line, with questions on standard output and answers on standard
 * input.
 */

/**
 * A program that answers: one JSON object per line, questions on standard output, answers on standard input
 * (docs/mapping.md).
 */
interface AnsweringProgram {
  /** @throws PaybatchError (`usage`) when the answers end before one was accepted; nothing is stored */
  readonly put: PutQuestion;
  readonly close: () => void;
}

function openProgram(input: NodeJS.ReadableStream, write: (line: string) => void): AnsweringProgram {
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const answers = lines[Symbol.asyncIterator]();
  return {
    put: async (question, take) => {
      // A program gets a sentence as the reason, where the engine has a code and facts.
      const asked = forProgram(question);
      const { finding, ...shown } = { finding: undefined, ...asked.question };
      const reason = finding === undefined ? {} : { reason: finding };
      write(JSON.stringify({ ...shown, why: reasonText(question.why), ...reason }));
      const takeOwn: TakeAnswer = (number, said) => take(number, asked.answerOf(said));
      for (;;) {
        const { value, done } = await answers.next();
        if (done === true)
          throw new PaybatchError(
            'dialogue_ended',
            'Standard input ended before the last question was answered: no mapping was kept.',
            'answer each question with one line',
          );
        if (value.trim() === '') continue;
        const problem = await answerIn(value, takeOwn);
        if (problem === undefined) return;
        write(JSON.stringify({ question: question.question, error: problem }));
      }
    },
    close: () => lines.close(),
  };
}

async function leadByLines(dialogue: LedDialogue, put: PutQuestion): Promise<undefined> {
  for (let question = await dialogue.next(); question !== null; question = await dialogue.next())
    await put(question, (number, answer) => dialogue.answer(number, answer));
}

/** @returns a sentence with the line's error */
async function answerIn(line: string, take: TakeAnswer): Promise<string | undefined> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return 'the line is not JSON';
  }
  if (typeof parsed !== 'object' || parsed === null || !('question' in parsed) || !('answer' in parsed))
    return 'an answer is {"question": N, "answer": ...}';
  return typeof parsed.question === 'number'
    ? take(parsed.question, parsed.answer)
    : 'the question is named by its number';
}
