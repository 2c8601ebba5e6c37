import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import { unprotectCell } from '../domain/formula-cell.ts';
import { InputError } from '../input/input-error.ts';
import { openInput } from '../input/open.ts';
import type { InputFile, InputRow, InputTable } from '../input/table.ts';
import { type MappingFile, parseMappingFile } from '../pipeline/mapping-file.ts';
import { refuseMissingTitles, refuseUnusedMapping } from '../pipeline/mapping-use.ts';
import { distinctIntakes } from '../pipeline/same-content.ts';
import { detectKind, looksLikeHeader, mapTable } from '../pipeline/table-mapping.ts';
import type { Intake } from '../pipeline/take-in.ts';
import type { RuleChanges } from '../resources/rule-changes.ts';
import type { Settings } from './settings.ts';

/** The opened inputs of a call, and how to let go of them. */
export interface OpenInputs {
  readonly intakes: readonly Intake[];
  readonly mapping: MappingFile;
  /** Sheets that were left out, for the person to know. */
  readonly notes: readonly string[];
  readonly close: () => Promise<void>;
}

/**
 * Opens every file and finds out what its tables are.
 * @param rules they may change which columns are required
 * @throws InputError or Failure (exit 3) for a file that is refused as a whole
 */
export async function openInputs(
  paths: readonly string[],
  settings: Settings,
  rules: RuleChanges,
): Promise<OpenInputs> {
  const mapping = readMapping(settings.mapping);
  const opened: InputFile[] = [];
  const close = async (): Promise<void> => {
    for (const file of opened) await file.close();
  };
  try {
    for (const path of paths) {
      opened.push(
        await openFile(path, settings, (cells) => looksLikeHeader(cells, settings.kind ?? null, mapping)),
      );
    }
    refuseMissingTitles(
      mapping,
      opened.flatMap(({ tables }) => tables.map((table) => withMeantHeader(table).header)),
    );
    const notes: string[] = [];
    const given = opened.flatMap((file) => intakesOf(file, settings, { mapping, rules }, notes));
    const { intakes, notes: repeats } = distinctIntakes(given);
    notes.push(...repeats);
    refuseUnusedMapping(
      mapping,
      intakes.map((intake) => ({ kind: intake.mapping.kind, header: intake.table.header })),
    );
    return { intakes, mapping, notes, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Opens one file as the options say.
 * @throws Failure that names the file: exit 3, or 2 where an option is at fault
 */
export async function openFile(
  path: string,
  { delimiter, encoding, sheet }: Settings,
  isHeader: (cells: readonly string[]) => boolean,
): Promise<InputFile> {
  try {
    return await openInput(path, {
      isHeader,
      ...(delimiter === undefined ? {} : { delimiter: delimiter === '\\t' ? '\t' : delimiter }),
      ...(encoding === undefined ? {} : { encoding }),
      ...(sheet === undefined ? {} : { sheet }),
    });
  } catch (error) {
    throw error instanceof InputError ? named(path, error) : error;
  }
}

/** What is wrong with an option is no fault of the file. */
const optionErrors: ReadonlySet<string> = new Set(['unknown_encoding', 'invalid_delimiter']);

function named(path: string, { code, message, advice }: InputError): Failure {
  const name = path === '-' ? 'standard input' : path;
  const exitCode = optionErrors.has(code) ? exitCodes.usage : exitCodes.fileRefused;
  return new Failure(exitCode, code, `${name}: ${message}`, advice);
}

async function* namingRows(path: string, table: InputTable): AsyncGenerator<readonly InputRow[]> {
  try {
    yield* table.rows();
  } catch (error) {
    throw error instanceof InputError ? named(path, error) : error;
  }
}

/** What a call's files have in common. */
interface Reading {
  readonly mapping: MappingFile;
  readonly rules: RuleChanges;
}

function intakesOf(file: InputFile, settings: Settings, reading: Reading, notes: string[]): Intake[] {
  const fileName = file.path === '-' ? 'stdin' : basename(file.path);
  return tablesToRead(file, settings, reading, fileName, notes).map((table) => ({
    fileName: file.path === '-' ? '-' : fileName,
    contentHash: file.contentHash,
    readingHash: readingHashOf(settings, reading.mapping),
    table: readable(file.path, table),
    mapping: mapTable(withMeantHeader(table), { kind: settings.kind ?? null, ...reading, fileName }),
  }));
}

function readable(path: string, table: InputTable): Intake['table'] {
  return {
    ...withMeantHeader(table),
    headerRow: table.headerRow,
    // Asked for anew each time: a workbook tells of merged cells below its last row.
    get notes() {
      return table.notes;
    },
    rows: () => namingRows(path, table),
  };
}

function withMeantHeader({ sheet, header }: InputTable): Pick<InputTable, 'sheet' | 'header'> {
  return { sheet, header: header.map(unprotectCell) };
}

/** Of a workbook's several sheets, those of a known kind; a sheet of notes is no reason to refuse a workbook. */
function tablesToRead(
  file: InputFile,
  settings: Settings,
  { mapping, rules }: Reading,
  fileName: string,
  notes: string[],
): readonly InputTable[] {
  if (file.tables.length <= 1 || settings.sheet !== undefined || settings.kind !== undefined)
    return file.tables;
  const known = file.tables.filter(
    (table) => detectKind(withMeantHeader(table), mapping, rules) !== undefined,
  );
  if (known.length === 0) return file.tables;
  for (const { sheet } of file.tables.filter((table) => !known.includes(table))) {
    notes.push(`${fileName}: sheet "${sheet}" is left out, since its header is of no known kind.`);
  }
  return known;
}

function readMapping(path: string | undefined): MappingFile {
  if (path === undefined) return {};
  try {
    return parseMappingFile(readFileSync(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      exitCodes.usage,
      'mapping_invalid',
      `The mapping ${path} cannot be read.`,
      'paybatch mapping FILE proposes one',
    );
  }
}

/** Two readings of the same bytes that may give other rows are two batches. */
function readingHashOf({ delimiter, encoding }: Settings, mapping: MappingFile): string {
  const { $schema: _, ...meaning } = mapping;
  const reading = { delimiter: delimiter ?? null, encoding: encoding ?? null, mapping: sortKeys(meaning) };
  return createHash('sha256').update(JSON.stringify(reading)).digest('hex');
}

/** The order in which a JSON file lists its keys means nothing. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [key, sortKeys(inner)]);
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
}
