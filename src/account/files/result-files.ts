/* The result files and the findings file of a batch, and their names. */

import { basename, join } from 'node:path';
import { type FileSystem, realFileSystem } from '../../disk/file-system.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import type { FailedRows } from '../../domain/batches/batch-facts.ts';
import { isForPerson } from '../../domain/batches/open-rows.ts';
import type { Finding, ShownChange } from '../../domain/rows/finding.ts';
import type { ResultRow } from '../../domain/rows/result-row.ts';
import type { ResultStatus } from '../../domain/rows/row-state.ts';
import { plainText } from '../../domain/settings/message.ts';
import { resultLayout } from './failed-layout.ts';
import type { FailedWorkbook, FailedWorkbookOptions } from './failed-workbook.ts';
import {
  byteOrderMark,
  csvText,
  OptionalCsvFile,
  ReplacementFile,
  removeFile,
  replaceFile,
} from './replacement-file.ts';

export interface ResultFilesOptions {
  /** Created (0700) if it is missing. */
  readonly directory: string;
  /** The beginning of the files' names, from `resultStem`. */
  readonly stem: string;
  /** The input's header cells, without their protection (`unprotectCell`). */
  readonly header: readonly string[];
  /** The batch's whole id. */
  readonly batch: string;
  /**
   * Every row once, in input order, in groups of moderate size. The cells are without protection, that is, after
   * `unprotectCell`; writing protects them again.
   */
  readonly rows: AsyncIterable<readonly ResultRow[]>;
  readonly files?: FileSystem;
  /** Further data for the workbook of failed rows. The choices are read when the first failed row comes. */
  readonly workbook: Pick<FailedWorkbookOptions, 'sheet' | 'mostRows'> & {
    readonly choices: () => Promise<FailedWorkbookOptions['choices']>;
  };
}

export interface WrittenResultFiles {
  /** Path of the file with every row. */
  readonly results: string;
  /** Path of the file with the rows that are neither created nor existing; null if there are no such rows. */
  readonly failed: string | null;
  /**
   * Path of a workbook with the same rows; null if there are no such rows, or if their cells are too large for a
   * workbook.
   */
  readonly failedWorkbook: string | null;
  /** Number of these rows that are not in the workbook. */
  readonly failedWorkbookLeftOut: number;
  /** Number of failed rows that need a person. */
  readonly failedRows: FailedRows;
}

const done: ReadonlySet<ResultStatus> = new Set<ResultStatus>(['created', 'existing']);

/**
 * Writes `STEM.results.csv` with every row. If any row is neither created nor existing, it also writes
 * `STEM.failed.csv` and `STEM.failed.xlsx` with such rows; otherwise it removes older failed files. All files are
 * published, or none: files of an earlier run stay complete until the new ones are. It holds one group of rows in
 * memory.
 *
 * @throws OutputError when a file cannot be written; errors of `rows` are thrown unchanged
 */
export async function writeResultFiles(options: ResultFilesOptions): Promise<WrittenResultFiles> {
  const { directory, stem, header, batch, files = realFileSystem } = options;
  const { choices, ...ofWorkbook } = options.workbook;
  const pathOf = (ending: string): string => join(directory, `${stem}.${ending}`);
  const [resultsPath, failedPath] = [pathOf('results.csv'), pathOf('failed.csv')];
  const workbook = { path: pathOf('failed.xlsx'), header, batch, files, ...ofWorkbook };
  const allRows = `All are in ${stem}.failed.csv, which can be corrected and imported as it is.`;
  const layout = resultLayout(header, batch);
  const head = byteOrderMark + csvText([layout.header]);
  const failedRows = { forPerson: 0, others: 0 };
  const results = await ReplacementFile.create(resultsPath, files);
  /** The files of the failed rows; null before the first failed row. */
  let failed: { readonly file: ReplacementFile; readonly workbook: FailedWorkbook } | null = null;
  try {
    await results.write(head);
    for await (const rows of options.rows) {
      const text = csvText(rows.map(layout.record));
      await results.write(text);
      const undone = rows.filter((row) => !done.has(row.status));
      if (undone.length === 0) continue;
      for (const row of undone) failedRows[isForPerson(row) ? 'forPerson' : 'others'] += 1;
      if (failed === null) {
        // Most runs have no failed row, and do without the writer of workbooks.
        const { FailedWorkbook } = await import('./failed-workbook.ts');
        const opened = new FailedWorkbook({ ...workbook, allRows, choices: await choices() });
        failed = { workbook: opened, file: await ReplacementFile.create(failedPath, files) };
        await failed.file.write(head);
      }
      // This is true for all groups of a plan.
      const areAllFailed = undone.length === rows.length;
      await failed.file.write(areAllFailed ? text : csvText(undone.map(layout.record)));
      await failed.workbook.write(undone);
    }
    // All files are complete and on disk before the first file gets its name.
    await results.complete();
    await failed?.file.complete();
    const hasWorkbook = (await failed?.workbook.complete()) ?? false;
    if (failed === null) await removeFile(failedPath, files);
    else await failed.file.publish();
    if (hasWorkbook) await failed?.workbook.publish();
    else await removeFile(workbook.path, files);
    await results.publish();
    return {
      results: resultsPath,
      failed: failed === null ? null : failedPath,
      failedWorkbook: hasWorkbook ? workbook.path : null,
      failedWorkbookLeftOut: failed?.workbook.leftOut ?? 0,
      failedRows,
    };
  } catch (error) {
    await results.discard();
    await failed?.file.discard();
    await failed?.workbook.discard();
    throw error;
  }
}

/* The file with each payee that differs from the known one: before and after, side by side. */

const changesHeader = [
  ...['row', 'code', 'name before', 'name', 'account before', 'account', 'institution before', 'institution'],
  ...['customer before', 'customer', 'amount', 'currency'],
  ...[
    'earlier file',
    'earlier batch',
    'earlier row',
    'earlier created at',
    'earlier still used in this file',
  ],
];

/** `STEM.changes.csv`, which has a line for each finding, with full values. Without findings there is no file. */
export function changesFile(place: { readonly directory: string; readonly stem: string }): OptionalCsvFile {
  return new OptionalCsvFile(join(place.directory, `${place.stem}.changes.csv`), changesHeader);
}

/** A finding as a line of this file. */
export function changeRecord(change: ShownChange): string[] {
  const { row, code, before, after, amount, currency, earlier, isStillUsed } = change;
  return [
    ...[String(row), code, before.name, after.name, before.account, after.account],
    ...[before.institution, after.institution, before.customer, after.customer, amount ?? '', currency ?? ''],
    ...[earlier.file, earlier.batch ?? '', String(earlier.row), earlier.createdAt ?? ''],
    isStillUsed === null ? '' : isStillUsed ? 'yes' : 'no',
  ];
}

/* The findings file that `validate` writes, and its name. */

/** A finding and the number of its row, as a spreadsheet program shows it. */
export interface RowFinding {
  readonly row: number;
  readonly finding: Pick<Finding, 'column' | 'code' | 'message'>;
}

interface FindingsFileOptions {
  /** Created (0700) if it is missing. */
  readonly directory: string;
  /** From `findingsStem`. */
  readonly stem: string;
  /** In the order of writing, in groups of moderate size. */
  readonly findings: AsyncIterable<readonly RowFinding[]>;
  readonly files?: FileSystem;
}

/**
 * Writes `STEM.findings.csv` with a line for each finding. Without findings the file has only its header, so that an
 * older file is not mistaken for the newest one.
 *
 * @throws OutputError when the file cannot be written; errors of `findings` are thrown unchanged
 */
export async function writeFindingsFile(
  options: FindingsFileOptions,
): Promise<{ path: string; count: number }> {
  const { directory, stem, findings, files = realFileSystem } = options;
  const path = join(directory, `${stem}.findings.csv`);
  return replaceFile(
    path,
    async (file) => {
      let count = 0;
      await file.write(byteOrderMark + csvText([['row', 'column', 'code', 'message']]));
      for await (const group of findings) {
        count += group.length;
        const records = group.map(({ row, finding: { column, code, message } }) => [
          ...[String(row), column, code, plainText(message)],
        ]);
        await file.write(csvText(records));
      }
      return { path, count };
    },
    files,
  );
}

/**
 * The beginnings of the names of several inputs' findings files, each unique. If two inputs have the same name, the
 * second one gets `NAME.2`. Some file systems do not distinguish capital from small letters.
 */
export function findingsStems(inputs: readonly NamedInput[]): string[] {
  const taken = new Set<string>();
  return inputs.map((input) => {
    const stem = findingsStem(input);
    let own = stem;
    for (let number = 2; taken.has(own.toLowerCase()); number += 1) own = `${stem}.${number}`;
    taken.add(own.toLowerCase());
    return own;
  });
}

/* The beginnings of the names of result files. */

const STEM_CHARACTERS = 100;
/** File systems limit a name to 255 bytes. This limit leaves room for endings and for the temporary name. */
const STEM_BYTES = 200;

interface NamedInput {
  /** The file's path or name as the caller gave it, with its ending; `-` for standard input. */
  readonly fileName: string;
  /** The workbook's sheet, or null. */
  readonly sheet: string | null;
}

function withoutEnding(fileName: string): string {
  if (fileName === '-') return 'stdin';
  const name = basename(fileName);
  const unpacked = name.replace(/\.(?:csv|tsv|txt)\.gz$/i, '');
  return unpacked === name ? name.replace(/(.)\.[^.]*$/, '$1') : unpacked;
}

/** Keeps letters of every script, with the marks that are part of them. Other characters become underscores. */
function plainName(text: string): string {
  return text.normalize('NFC').replace(/[^\p{L}\p{M}\p{Nd}._-]/gu, '_');
}

function cut(text: string, characters: number, bytes: number): string {
  let kept = '';
  let room = bytes;
  for (const character of Array.from(text).slice(0, characters)) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    kept += character;
  }
  return kept;
}

function inputName(input: NamedInput, ending: string): string {
  const parts = [withoutEnding(input.fileName), ...(input.sheet === null ? [] : [input.sheet])];
  const name = parts.map(plainName).join('.').replace(/^\.+/, '_');
  return cut(name === '' ? '_' : name, STEM_CHARACTERS - ending.length, STEM_BYTES - ending.length) + ending;
}

/**
 * The beginning of the names of a batch's files: `NAME.BATCH8`, or `NAME.SHEET.BATCH8` for a sheet. It has at most 100
 * characters and never makes a hidden file. Inputs with equal names differ in their batch.
 */
export function resultStem(input: NamedInput & { readonly batchId: string }): string {
  return inputName(input, `.${shortBatchId(input.batchId)}`);
}

/**
 * The beginning of a findings file's name: `NAME`, or `NAME.SHEET`. It names no batch, because there is no batch yet.
 */
export function findingsStem(input: NamedInput): string {
  return inputName(input, '');
}
