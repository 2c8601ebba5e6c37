/* Opens workbooks that cannot be streamed (`.xls`, `.xlsb`) through a separate program. */

import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { linesOf as linesIn } from '../../../domain/text/characters.ts';
import {
  damagedFile,
  describeBytes,
  InputError,
  type InputLimits,
  limitExceeded,
} from '../../file/input-error.ts';
import { type ByteSource, ReadingShare, temporaryFolder } from '../../file/source.ts';
import { findHeader, type RawRow, type RawRows, tableBelow } from '../../rows/header.ts';
import type { InputOptions, OpenedTable } from '../../rows/input-table.ts';
import { openSheets, unreadRowsNotes } from '../sheet/sheets.ts';
import { type ConvertedSheet, type ConverterAnswer, parseRowLine } from './conversion.ts';

/** A workbook that was read as a whole and stored, row by row, in a private folder. */
interface ConvertedWorkbook {
  readonly tables: readonly OpenedTable[];
  remove(): Promise<void>;
}

const SAVE_AS_XLSX = 'open it in a spreadsheet program and save it as .xlsx or as CSV UTF-8';
/** How the runtime ends when it is out of memory: by a signal, or under a shell by its number plus 128. */
const OUT_OF_MEMORY: ReadonlySet<unknown> = new Set(['SIGABRT', 'SIGTRAP', 'SIGSEGV', 133, 134, 139]);
const ROWS_IN_A_GROUP = 1000;

/** Only the variables that a program needs to start; no credentials. */
function converterEnvironment(): NodeJS.ProcessEnv {
  const names = ['PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

const MIB = 1024 * 1024;

async function runConverter(
  bytes: Buffer,
  folder: string,
  unpackedBytes: number,
  limits: InputLimits,
): Promise<ConverterAnswer> {
  // Its limits depend on the amount to read, since a small file that needs much is suspicious. Processor time does not
  // depend on the machine's other load.
  const mib = unpackedBytes / MIB;
  const cpuInMs = Math.round(limits.wholeFileCpuInMs + mib * limits.wholeFileCpuPerMibInMs);
  const memoryInMib = Math.round(limits.wholeFileMemoryInMib + mib * limits.wholeFileMemoryPerMib);
  // When started from its source, it needs the loader that paybatch was started with.
  const isSource = import.meta.url.endsWith('.ts');
  const script = fileURLToPath(new URL(isSource ? 'converter.ts' : 'converter.js', import.meta.url));
  const loader = isSource ? ['--import', 'tsx'] : [];
  const options = [folder, JSON.stringify(limits), String(cpuInMs)];
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${memoryInMib}`, ...loader, script, ...options],
    {
      cwd: dirname(script),
      env: converterEnvironment(),
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: limits.wholeFileTimeInMs,
      killSignal: 'SIGKILL',
    },
  );
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  // A converter that dies early closes the pipe. Its exit status is more useful than the pipe's error.
  child.stdin.on('error', () => {});
  child.stdin.end(bytes);
  const [answer, { code, signal }] = await Promise.all([text(child.stdout), ended]);
  if (code === 0) return JSON.parse(answer);
  if (signal === 'SIGKILL') {
    throw limitExceeded('reading it took far longer than a list of its size takes', SAVE_AS_XLSX);
  }
  if (OUT_OF_MEMORY.has(signal ?? code)) {
    throw limitExceeded('reading it took far more memory than a list of its size takes', SAVE_AS_XLSX);
  }
  throw damagedFile('it cannot be read as a workbook');
}

async function* linesOf(file: string, share: ReadingShare): RawRows & AsyncGenerator<RawRow[]> {
  let rows: RawRow[] = [];
  share.begin((await stat(file)).size);
  for await (const line of linesIn(createReadStream(file, 'utf8'))) {
    rows.push(parseRowLine(line));
    share.pass(Buffer.byteLength(line) + 1);
    if (rows.length === ROWS_IN_A_GROUP) {
      yield rows;
      rows = [];
    }
  }
  if (rows.length > 0) yield rows;
}

function unreadNotes({ range, rows, startRows }: ConvertedSheet, headerRow: number): string[] {
  if (range === null) return [];
  const rowsAbove = startRows.filter((number) => number <= headerRow).length;
  const below = { first: Math.max(range.first, headerRow + 1), last: range.last };
  return unreadRowsNotes(below, rows - rowsAbove);
}

async function openSheet(
  sheet: ConvertedSheet,
  isHeader: InputOptions['isHeader'],
  limits: InputLimits,
): Promise<OpenedTable | 'it is empty'> {
  const share = new ReadingShare();
  const allRows = () => linesOf(sheet.file, share);
  const header = await findHeader(allRows(), isHeader, limits);
  if (header === null) return 'it is empty';
  const { name, isHidden, merged } = sheet;
  const notes = [...sheet.notes, ...unreadNotes(sheet, header.row)];
  const mergedRanges = async () => merged;
  return tableBelow(header, { sheet: name, isHidden, notes, allRows, mergedRanges, share, limits });
}

/** @throws InputError when the file exceeds the size limit of files that are read as a whole */
export function assertWholeFileSize(source: ByteSource, limits: InputLimits): void {
  if (source.bytes <= limits.wholeFileBytes) return;
  throw limitExceeded(
    `in this format no more than ${describeBytes(limits.wholeFileBytes)} can be read`,
    SAVE_AS_XLSX,
  );
}

/**
 * Opens a workbook that cannot be streamed (`.xls`, `.xlsb`): a separate program, with limits on its memory and time,
 * reads it once and stores its rows.
 *
 * @param bytes - the input of that program
 * @param unpackedBytes - the unpacked size, which decides how long it may take
 * @throws InputError when it is damaged, beyond a limit, or is empty
 */
export async function openWholeFile(
  bytes: Buffer,
  unpackedBytes: number,
  options: InputOptions,
  limits: InputLimits,
): Promise<ConvertedWorkbook> {
  const folder = await temporaryFolder();
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const answer = await runConverter(bytes, folder, unpackedBytes, limits);
    if ('refused' in answer) {
      const { code, message, remedies, ...details } = answer.refused;
      throw new InputError(code, message, remedies, details);
    }
    const open = (sheet: ConvertedSheet) => openSheet(sheet, options.isHeader, limits);
    return { tables: await openSheets(answer.sheets, options.sheet, open), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
