/* Opens a file of any format as its options and their mapping say, and asks for its encoding where it is uncertain. */

import { basename } from 'node:path';
import type { CallContext } from '../../call/context.ts';
import { PaybatchError, type Remedy } from '../../domain/failures/paybatch-error.ts';
import type { ReadingProfile } from '../../domain/settings/definitions.ts';
import { type Table, tableLike, unprotectCell } from '../../domain/tables/table.ts';
import { shorten } from '../../kinds/fields/value-text.ts';
import { openCsv } from '../csv/csv-file.ts';
import { EncodingUncertain } from '../csv/encoding.ts';
import { defaultLimits, InputError, type InputLimits } from '../file/input-error.ts';
import { signatureOf } from '../file/signature.ts';
import { type ByteSource, openFile, spool } from '../file/source.ts';
import type { MappingFile } from '../mapping/mapping-schema.ts';
import { originColumnsOf } from '../rows/corrections.ts';
import type {
  ChooseEncoding,
  InputFile,
  InputOptions,
  OpenedTable,
  TableDialect,
} from '../rows/input-table.ts';
import type { OpenedContent } from '../workbook/workbook-file.ts';
import { headerKeyOf, type KnownMapping } from './remembered-mappings.ts';
import type { StatedReading } from './stated-reading.ts';

/**
 * Opens one file as its reading profile says.
 * @param chooseEncoding called where the encoding cannot be determined; without it, such a file is refused
 * @throws PaybatchError that names the file: `file_refused`, or `usage` where a setting is at fault
 */
export async function openInputFile(
  path: string,
  profile: Pick<ReadingProfile, 'delimiter' | 'encoding' | 'sheet'>,
  isHeader: (cells: readonly string[]) => boolean,
  chooseEncoding?: ChooseEncoding,
): Promise<InputFile> {
  const options = { isHeader, ...dialectOf(profile), sheet: profile.sheet, chooseEncoding };
  return namingFile(path, await naming(path, () => openInput(path, options)));
}

/**
 * Opens a file by the options, and by the mapping for what they do not state. A failed file is opened in paybatch's
 * own format, whatever applied to its original file.
 */
export async function openAsStated(
  path: string,
  { profile, mapping }: Pick<StatedReading, 'profile' | 'mapping'>,
  isHeader: (cells: readonly string[]) => boolean,
  choose: ChooseEncoding,
): Promise<InputFile> {
  const dialect = dialectIn(mapping, profile);
  if (dialect === null) return openInputFile(path, profile, isHeader, choose);
  // Standard input cannot be read twice.
  if (path === '-') return openInputFile(path, { ...profile, ...dialect }, isHeader, choose);
  let file: InputFile;
  try {
    file = await openInputFile(path, profile, isHeader);
  } catch (error) {
    if (!(error instanceof PaybatchError)) throw error;
    return openInputFile(path, { ...profile, ...dialect }, isHeader, choose);
  }
  if (file.tables.some(({ header }) => originColumnsOf(header) !== null)) return file;
  try {
    return await file.inDialect(dialect);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The delimiter and encoding of a CSV file by its mapping, where no option states them; null for none. */
export function dialectIn(mapping: MappingFile, profile: ReadingProfile): TableDialect | null {
  const encoding = profile.encoding ?? mapping.encoding;
  const delimiter = profile.delimiter ?? mapping.delimiter;
  if (encoding === profile.encoding && delimiter === profile.delimiter) return null;
  return { encoding, delimiter };
}

/** A tab is hard to type, so it may be written as `\t`. */
function dialectOf({ delimiter, encoding }: TableDialect): TableDialect {
  return { delimiter: delimiter === '\\t' ? '\t' : delimiter, encoding };
}

/** Wraps a file so that each refusal names it, also a refusal while its tables are read. */
function namingFile(path: string, file: InputFile): InputFile {
  return {
    ...file,
    tables: file.tables.map((table) => namingTable(path, table)),
    inDialect: async (dialect) =>
      namingFile(path, await naming(path, () => file.inDialect(dialectOf(dialect)))),
  };
}

function namingTable(path: string, table: OpenedTable): OpenedTable {
  return {
    ...table,
    // They may grow while the rows are read.
    get notes() {
      return table.notes;
    },
    rows: () => namingRows(path, () => table.rows()),
    top: () => naming(path, () => table.top()),
    below: async (headerRows) => namingTable(path, await naming(path, () => table.below(headerRows))),
  };
}

/** Does the work. Each refusal names the file. */
export async function naming<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof InputError ? named(path, error) : error;
  }
}

function named(path: string, error: InputError): PaybatchError {
  const { code, message, remedies } = error;
  const name = path === '-' ? 'standard input' : path;
  if (error instanceof EncodingUncertain) return uncertain(name, error);
  return new PaybatchError(code, `${name}: ${message}`, remedies);
}

/** To decide, a person has to see the file's own values in each encoding. */
function uncertain(name: string, { code, message, candidates }: EncodingUncertain): PaybatchError {
  const readings = candidates.map(
    ({ encoding, samples }) => ` In ${encoding} they are ${samples.map(shorten).join(', ')}.`,
  );
  const [first, ...others] = candidates.map(
    ({ encoding }) => ({ setting: 'encoding', value: encoding }) as const,
  );
  const remedy: Remedy = {
    action: 'set',
    purpose: 'state the encoding in which they are right',
    oneOf: first === undefined ? [{ setting: 'encoding' }] : [first, ...others],
  };
  return new PaybatchError(code, `${name}: ${message}${readings.join('')}`, remedy);
}

/** Passes on the groups of rows. Each refusal names the file. */
export async function* namingRows<Group>(
  path: string,
  rows: () => AsyncIterable<Group>,
): AsyncGenerator<Group> {
  try {
    yield* rows();
  } catch (error) {
    throw error instanceof InputError ? named(path, error) : error;
  }
}

/** As messages name it. */
export function nameOf(file: InputFile): string {
  return file.path === '-' ? 'stdin' : basename(file.path);
}

/** The table with its titles as a person has written them: without the mark that protects from formulas. */
export function withPlainTitles(table: Table): Table {
  return tableLike(table, { header: table.header.map(unprotectCell) });
}

/**
 * Chooses an encoding that cannot be determined: that of the remembered mapping for the header, else the one that a
 * person picks after seeing the file's values in each likely encoding.
 */
export function choosingEncoding(
  file: string,
  ask: CallContext['ask'],
  known: readonly KnownMapping[] = [],
): ChooseEncoding {
  return async (candidates, headerIn) => {
    for (const { mapping, header } of known) {
      const { encoding } = mapping;
      if (encoding === undefined) continue;
      if (headerKeyOf((await headerIn(encoding)).map(unprotectCell)) === headerKeyOf(header)) return encoding;
    }
    const answer = await ask({ kind: 'encoding', file, candidates });
    if (answer === 'stop') {
      throw new PaybatchError('interrupted', 'Stopped: nothing was sent.', 'run it again');
    }
    if (typeof answer === 'object') return answer.text;
    return answer === 'yes' ? (candidates[0]?.encoding ?? null) : null;
  };
}

/** Bytes of the largest file that is read. */
export const mostFileBytes: number = defaultLimits.fileBytes;

async function openContent(
  source: ByteSource,
  options: InputOptions,
  limits: InputLimits,
): Promise<OpenedContent> {
  const signature = signatureOf(source.start);
  switch (signature) {
    // Loaded only for workbooks, which need parsers that no other format needs.
    case 'zip':
      return (await import('../workbook/workbook-file.ts')).openZipped(source, options, limits);
    case 'compound':
      return (await import('../workbook/workbook-file.ts')).openCompound(source, options, limits);
    case 'html':
    case 'mht': {
      // Loaded only for web pages, which need a parser that no other format needs.
      const { openPages } = await import('../workbook/html/html-file.ts');
      return {
        format: signature,
        ...(await openPages(source, signature, options, limits)),
      };
    }
    case 'text': {
      const { table, ...found } = await openCsv(source, options, limits);
      return { format: 'csv', ...found, tables: [table] };
    }
  }
}

/**
 * Opens a file of rows, whatever its name: CSV in any dialect (compressed with gzip or not), a workbook, or a web page
 * with tables. This reads it to the end; each call of a table's `rows()` reads it again.
 *
 * @param path - a file's path, or `-` for standard input
 * @throws InputError when the file is refused as a whole
 */
export async function openInput(path: string, options: InputOptions = {}): Promise<InputFile> {
  const limits = { ...defaultLimits, ...options.limits };
  const source =
    path === '-' ? await spool(options.stdin ?? process.stdin, limits) : await openFile(path, limits);
  try {
    const { remove, ...content } = await openContent(source, options, limits);
    const file: InputFile = {
      path,
      name: source.name,
      bytes: source.bytes,
      ...content,
      inDialect: async (dialect) => {
        // Only a text may be in one encoding or another.
        if (!['csv', 'html', 'mht'].includes(content.format)) return file;
        const encoding = dialect.encoding ?? content.chosenEncoding ?? options.encoding;
        const delimiter = dialect.delimiter ?? options.delimiter;
        const own = { ...options, encoding, delimiter };
        const { tables, dialect: read } = await openContent(source, own, limits);
        return { ...file, tables, dialect: read ?? content.dialect };
      },
      close: async () => {
        await remove?.();
        await source.remove();
      },
    };
    return file;
  } catch (error) {
    await source.remove();
    throw error;
  }
}
