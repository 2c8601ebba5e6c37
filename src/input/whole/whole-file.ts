import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { emptyFile, findHeader, type RawRow, type RawRows, rowsBelow } from '../header.ts';
import { damagedFile, InputError, limitExceeded } from '../input-error.ts';
import { describeBytes, type InputLimits } from '../limits.ts';
import { chooseSheets } from '../sheet-choice.ts';
import type { ByteSource } from '../source.ts';
import type { InputOptions, InputTable } from '../table.ts';
import { type ConvertedSheet, type ConverterAnswer, parseRowLine } from './conversion.ts';

/** A workbook that was read as a whole and put aside, row by row, in a private folder. */
export interface ConvertedWorkbook {
  readonly tables: readonly InputTable[];
  readonly contentHash: string;
  remove(): Promise<void>;
}

const SAVE_AS_XLSX = 'Open it in a spreadsheet program and save it as .xlsx or as CSV UTF-8.';
const ROWS_IN_A_GROUP = 1000;

/** Only what a program needs to start; no credentials. */
function converterEnvironment(): NodeJS.ProcessEnv {
  const names = ['PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** Started from its source, the converter needs the loader that this program itself was started with. */
function converterArguments(folder: string, limits: InputLimits): { args: string[]; cwd: string } {
  const isSource = import.meta.url.endsWith('.ts');
  const script = fileURLToPath(new URL(isSource ? 'converter.ts' : 'converter.js', import.meta.url));
  const args = [
    `--max-old-space-size=${limits.wholeFileMemoryInMib}`,
    ...(isSource ? ['--import', 'tsx'] : []),
    script,
    folder,
    JSON.stringify(limits),
  ];
  return { args, cwd: dirname(script) };
}

async function runConverter(bytes: Buffer, folder: string, limits: InputLimits): Promise<ConverterAnswer> {
  const { args, cwd } = converterArguments(folder, limits);
  const child = spawn(process.execPath, args, {
    cwd,
    env: converterEnvironment(),
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: limits.wholeFileTimeInMs,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  // A converter that dies early closes the pipe; how it ended says more than the broken pipe does.
  child.stdin.on('error', () => {});
  child.stdin.end(bytes);
  const [answer, { code, signal }] = await Promise.all([text(child.stdout), ended]);
  if (code === 0) return JSON.parse(answer);
  if (signal === 'SIGKILL') {
    throw limitExceeded(
      `reading it took more than ${Math.round(limits.wholeFileTimeInMs / 1000)} seconds`,
      SAVE_AS_XLSX,
    );
  }
  if (signal === 'SIGABRT' || code === 134) {
    throw limitExceeded(
      `reading it took more than ${limits.wholeFileMemoryInMib} MiB of memory`,
      SAVE_AS_XLSX,
    );
  }
  throw damagedFile('it cannot be read as a workbook');
}

async function* linesOf(file: string): RawRows & AsyncGenerator<RawRow[]> {
  let rows: RawRow[] = [];
  for await (const line of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    rows.push(parseRowLine(line));
    if (rows.length === ROWS_IN_A_GROUP) {
      yield rows;
      rows = [];
    }
  }
  if (rows.length > 0) yield rows;
}

async function openSheet(
  sheet: ConvertedSheet,
  isHeader: InputOptions['isHeader'],
  limits: InputLimits,
): Promise<InputTable | null> {
  const header = await findHeader(linesOf(sheet.file), isHeader, limits);
  if (header === null) return null;
  return {
    sheet: sheet.name,
    header: header.cells,
    headerRow: header.row,
    notes: [...sheet.notes, ...header.notes],
    rows: () => rowsBelow(linesOf(sheet.file), header),
  };
}

async function openSheets(
  converted: readonly ConvertedSheet[],
  workbookNotes: readonly string[],
  options: InputOptions,
  limits: InputLimits,
): Promise<InputTable[]> {
  const tables: InputTable[] = [];
  const skipped: string[] = [];
  for (const sheet of chooseSheets(converted, options.sheet)) {
    const table = await openSheet(sheet, options.isHeader, limits);
    if (table === null) skipped.push(`sheet "${sheet.name}" is not read: it is empty`);
    else tables.push(table);
  }
  const [first, ...others] = tables;
  if (first === undefined) throw emptyFile();
  return [{ ...first, notes: [...workbookNotes, ...skipped, ...first.notes] }, ...others];
}

/**
 * Opens a workbook that cannot be streamed (`.xls`, `.ods`, `.xlsb`): a separate program, with a limit on its
 * memory and its time, reads it once and puts its rows aside.
 *
 * @param notes - what is known already about the workbook as a whole
 * @throws InputError when it is damaged, beyond a limit, or has nothing in it
 */
export async function openWholeFile(
  source: ByteSource,
  notes: readonly string[],
  options: InputOptions,
  limits: InputLimits,
): Promise<ConvertedWorkbook> {
  if (source.bytes > limits.wholeFileBytes) {
    throw limitExceeded(
      `in this format no more than ${describeBytes(limits.wholeFileBytes)} can be read`,
      SAVE_AS_XLSX,
    );
  }
  const bytes = await readFile(source.file);
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const answer = await runConverter(bytes, folder, limits);
    if ('refused' in answer) {
      const { code, message, advice, ...details } = answer.refused;
      throw new InputError(code, message, advice, details);
    }
    const tables = await openSheets(answer.sheets, notes, options, limits);
    return { tables, contentHash: createHash('sha256').update(bytes).digest('hex'), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
