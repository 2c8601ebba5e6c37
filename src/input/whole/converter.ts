// Runs as a program of its own: a workbook's bytes on standard input, its rows to files in the folder given.
// The library that reads these formats needs a file as a whole and has no limits of its own, so it gets a
// memory that it may use up, and a life that can be ended.
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { read, type WorkBook } from '@e965/xlsx';
import { encryptedFile } from '../archive.ts';
import type { DateSystem } from '../cell-value.ts';
import { damagedFile, InputError, limitExceeded } from '../input-error.ts';
import { describeBytes, type InputLimits } from '../limits.ts';
import { type ConvertedSheet, type ConverterAnswer, rowLine } from './conversion.ts';
import { rowsOfSheet } from './rows-of-sheet.ts';

function readWorkbook(bytes: Buffer): WorkBook {
  try {
    return read(bytes, {
      type: 'buffer',
      dense: true,
      cellNF: true,
      cellText: false,
      cellHTML: false,
      cellStyles: true,
      UTC: true,
    });
  } catch (error) {
    const isEncrypted = error instanceof Error && /password|encrypt/i.test(error.message);
    throw isEncrypted ? encryptedFile() : damagedFile('it cannot be read as a workbook', { cause: error });
  }
}

function convertSheet(
  workbook: WorkBook,
  index: number,
  folder: string,
  limits: InputLimits,
): ConvertedSheet {
  const name = workbook.SheetNames[index] ?? '';
  const sheet = workbook.Sheets[name];
  const system: DateSystem = workbook.Workbook?.WBProps?.date1904 === true ? 1904 : 1900;
  const notes: string[] = [];
  if ((workbook.Workbook?.Sheets?.[index]?.Hidden ?? 0) > 0) notes.push('the sheet is hidden');
  if (sheet?.['!cols']?.some((column) => column?.hidden === true))
    notes.push('hidden columns are read like the others');
  if ((sheet?.['!merges']?.length ?? 0) > 0) {
    notes.push('there are merged cells; their value counts for the first cell only, the others are empty');
  }
  const file = join(folder, `${index}.ndjson`);
  const descriptor = openSync(file, 'wx', 0o600);
  let bytes = 0;
  for (const row of sheet === undefined ? [] : rowsOfSheet(sheet, system, limits)) {
    bytes += writeSync(descriptor, rowLine(row));
    if (bytes > limits.wholeFileInflatedBytes) {
      const advice = 'Save it as .xlsx or as CSV UTF-8.';
      throw limitExceeded(
        `its content is larger than ${describeBytes(limits.wholeFileInflatedBytes)}`,
        advice,
      );
    }
  }
  closeSync(descriptor);
  return { name, notes, file };
}

async function convert(): Promise<ConverterAnswer> {
  const [folder = '', limitsAsJson = '{}'] = process.argv.slice(2);
  const limits: InputLimits = JSON.parse(limitsAsJson);
  try {
    const workbook = readWorkbook(await buffer(process.stdin));
    const sheets = workbook.SheetNames.map((_, index) => convertSheet(workbook, index, folder, limits));
    return { sheets };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { code, message, advice, row } = error;
    return { refused: { code, message, advice, ...(row === undefined ? {} : { row }) } };
  }
}

process.stdout.write(JSON.stringify(await convert()));
