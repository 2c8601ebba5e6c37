import { basename } from 'node:path';
import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
import { unprotectCell } from '../../domain/tables/formula-cell.ts';
import { type Table, type TableRow, tableLike } from '../../domain/tables/table.ts';
import { InputError } from '../../input/file/input-error.ts';
import { openInput } from '../../input/open.ts';
import type { Dialect, InputFile } from '../../input/table/opened-table.ts';
import type { JobSettings } from '../running/settings.ts';

/**
 * Opens one file as the options say.
 * @throws Failure that names the file: exit 3, or 2 where an option is at fault
 */
export async function openFile(
  path: string,
  settings: Pick<JobSettings, 'delimiter' | 'encoding' | 'sheet'>,
  isHeader: (cells: readonly string[]) => boolean,
): Promise<InputFile> {
  const { sheet } = settings;
  const options = { isHeader, ...dialectOf(settings), ...(sheet === undefined ? {} : { sheet }) };
  const file = await naming(path, () => openInput(path, options));
  return { ...file, inDialect: (dialect) => naming(path, () => file.inDialect(dialectOf(dialect))) };
}

/** A tab can hardly be typed, so it may be written as people write it in a program. */
function dialectOf({ delimiter, encoding }: Pick<JobSettings, 'delimiter' | 'encoding'>): Dialect {
  return {
    ...(delimiter === undefined ? {} : { delimiter: delimiter === '\\t' ? '\t' : delimiter }),
    ...(encoding === undefined ? {} : { encoding }),
  };
}

/** Does something with a file, and names it where it is refused. */
export async function naming<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof InputError ? named(path, error) : error;
  }
}

/** What is wrong with an option, or with this machine, is no fault of the file. */
const optionErrors: ReadonlySet<string> = new Set([
  'unknown_encoding',
  'invalid_delimiter',
  'temporary_folder',
]);

function named(path: string, { code, message, advice }: InputError): Failure {
  const name = path === '-' ? 'standard input' : path;
  const exitCode = optionErrors.has(code) ? exitCodes.usage : exitCodes.fileRefused;
  return new Failure(exitCode, code, `${name}: ${message}`, advice);
}

async function* namingRows(path: string, table: Table): AsyncGenerator<readonly TableRow[]> {
  try {
    yield* table.rows();
  } catch (error) {
    throw error instanceof InputError ? named(path, error) : error;
  }
}

/** As messages name it. */
export function nameOf(file: InputFile): string {
  return file.path === '-' ? 'stdin' : basename(file.path);
}

/** The header's titles as they are meant, and errors that name the file. */
export function readable(path: string, table: Table): Table {
  return tableLike(table, {
    header: table.header.map(unprotectCell),
    rows: () => namingRows(path, table),
  });
}
