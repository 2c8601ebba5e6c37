import { join } from 'node:path';
import { exitCodes } from '../../domain/exit-code.ts';
import { Failure } from '../../domain/failure.ts';
import { type Kind, kinds } from '../../domain/kind.ts';
import { shellWord } from '../../output/next-steps.ts';
import { templateCsv } from '../../output/template/template-csv.ts';
import { writeTemplateFile } from '../../output/template/template-file.ts';
import { templateWorkbook } from '../../output/template/template-workbook.ts';
import { printable } from '../../output/terminal-text.ts';
import { definitionFor, definitionsOf } from '../../resources/registry.ts';
import { templateOf } from '../../resources/template.ts';
import type { App } from '../app.ts';
import { type Arguments, type Command, textOf } from '../command.ts';
import { requireOutFolder } from '../out-folder.ts';
import type { CommandEnd } from '../outcome.ts';

const payeeTypes = kinds.flatMap((kind) =>
  definitionsOf(kind).flatMap(({ payeeType }) => (payeeType === null ? [] : [payeeType])),
);

export const templateCommand: Command = {
  build: (program) =>
    program
      .positional('kind', { demandOption: true })
      .option('payee-type', { choices: payeeTypes, description: 'Only the columns of this payee type' })
      .option('format', {
        choices: ['csv', 'xlsx'] as const,
        defaultDescription: 'csv',
        description: 'A workbook has drop-down lists and notes, and keeps leading zeros',
      })
      .option('force', { type: 'boolean', description: 'Overwrite a file of that name' }),
  work: writeTemplate,
};

async function writeTemplate(app: App, parsed: Arguments): Promise<CommandEnd> {
  const kind = kindNamed(textOf(parsed, 'kind'));
  const payeeType = textOf(parsed, 'payee-type') ?? null;
  if (payeeType !== null && definitionFor(kind, payeeType) === undefined) {
    throw usage(`${kind} have no payee types.`, 'leave --payee-type out');
  }
  const template = templateOf(kind, payeeType);
  const isWorkbook = textOf(parsed, 'format') === 'xlsx';
  const bytes = isWorkbook ? templateWorkbook(template) : templateCsv(template);
  const folder = folderFor(parsed);
  if (folder === '-') process.stdout.write(bytes);
  else await writeInto(app, folder, `${template.name}.${isWorkbook ? 'xlsx' : 'csv'}`, bytes, parsed);
  return { exitCode: exitCodes.done, batches: [], failure: null };
}

function kindNamed(text: string | undefined): Kind {
  const kind = kinds.find((candidate) => candidate === text);
  if (kind !== undefined) return kind;
  throw usage(`There is no kind "${text ?? ''}".`, `choose one of ${kinds.join(', ')}`);
}

/** A file to fill in belongs where the person is, not among the results, unless they say so. */
function folderFor(parsed: Arguments): string {
  return textOf(parsed, 'out') ?? '.';
}

async function writeInto(
  app: App,
  folder: string,
  name: string,
  bytes: Buffer,
  parsed: Arguments,
): Promise<void> {
  requireOutFolder({ ...app.settings, out: folder });
  const path = join(folder, name);
  if (!(await writeTemplateFile(path, bytes, parsed['force'] === true))) {
    throw new Failure(
      exitCodes.usage,
      'file_exists',
      `${path} is there already, and may have been filled in.`,
      'move it away, choose another folder with --out, or overwrite it with --force',
    );
  }
  const command = ['paybatch', 'validate', path, ...apiOptions(app)].map(shellWord).join(' ');
  app.terminal.print(
    `${printable(path)} is written. Its example rows are to be overwritten or deleted; then:\n  ${command}`,
  );
}

/** Rows that name an institution need an API to be checked: the built-in one, for who has named none yet. */
function apiOptions({ settings }: App): string[] {
  const { mode, 'base-url': baseUrl, 'local-sandbox': isLocal } = settings;
  if (isLocal || baseUrl === undefined) return ['--local-sandbox'];
  return [...(mode === 'sandbox' ? [] : ['--mode', mode]), '--base-url', baseUrl];
}

function usage(message: string, next: string): Failure {
  return new Failure(exitCodes.usage, 'usage', message, next);
}
