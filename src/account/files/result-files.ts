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
import { type ResultLayout, resultLayout } from './failed-layout.ts';
import { FailedWorkbook, type FailedWorkbookOptions } from './failed-workbook.ts';
import { byteOrderMark, csvText, OptionalCsvFile, ReplacementFile, removeFile } from './replacement-file.ts';

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
  /** What else the workbook of failed rows needs; the choices are read at the first of these rows. */
  readonly workbook: Pick<FailedWorkbookOptions, 'sheet' | 'mostRows'> & {
    readonly choices: () => Promise<FailedWorkbookOptions['choices']>;
  };
}

export interface WrittenResultFiles {
  /** Path of the file with every row. */
  readonly results: string;
  /** Path of the file with the rows that are neither created nor existing; null when there are none. */
  readonly failed: string | null;
  /** Path of the same rows as a workbook; null when there are none, or their cells are too large for a workbook. */
  readonly failedWorkbook: string | null;
  /** Number of these rows that are not in the workbook. */
  readonly failedWorkbookLeftOut: number;
  /** Number of failed rows that need a person. */
  readonly failedRows: FailedRows;
}

const done: ReadonlySet<ResultStatus> = new Set<ResultStatus>(['created', 'existing']);

/** The temporary files of one writing: all of them are published, or none. */
class TemporaryResultFiles {
  readonly #results: ReplacementFile;
  readonly #failedPath: string;
  readonly #layout: ResultLayout;
  readonly #files: FileSystem;
  readonly #workbookPath: string;
  readonly #openWorkbook: () => Promise<FailedWorkbook>;
  /** The failed rows; null before the first of them. */
  #failed: { readonly file: ReplacementFile; readonly workbook: FailedWorkbook } | null = null;
  readonly #rows = { forPerson: 0, others: 0 };

  constructor(
    results: ReplacementFile,
    failedPath: string,
    layout: ResultLayout,
    { choices, ...workbook }: Omit<FailedWorkbookOptions, 'choices'> & ResultFilesOptions['workbook'],
  ) {
    this.#results = results;
    this.#workbookPath = workbook.path;
    this.#openWorkbook = async () => new FailedWorkbook({ ...workbook, choices: await choices() });
    this.#failedPath = failedPath;
    this.#layout = layout;
    this.#files = workbook.files;
  }

  async writeHeader(file: ReplacementFile): Promise<void> {
    await file.write(byteOrderMark + csvText([this.#layout.header]));
  }

  async write(rows: readonly ResultRow[]): Promise<void> {
    const text = csvText(rows.map(this.#layout.record));
    await this.#results.write(text);
    const failed = rows.filter((row) => !done.has(row.status));
    if (failed.length === 0) return;
    for (const row of failed) this.#rows[isForPerson(row) ? 'forPerson' : 'others'] += 1;
    if (this.#failed === null) {
      const workbook = await this.#openWorkbook();
      this.#failed = { workbook, file: await ReplacementFile.create(this.#failedPath, this.#files) };
      await this.writeHeader(this.#failed.file);
    }
    // As in all groups of a plan.
    const areAllFailed = failed.length === rows.length;
    await this.#failed.file.write(areAllFailed ? text : csvText(failed.map(this.#layout.record)));
    await this.#failed.workbook.write(failed);
  }

  /** All files are complete and on disk before the first of them gets its name. */
  async publish(): Promise<Omit<WrittenResultFiles, 'results'>> {
    await this.#results.complete();
    await this.#failed?.file.complete();
    const hasWorkbook = (await this.#failed?.workbook.complete()) ?? false;
    if (this.#failed === null) await removeFile(this.#failedPath, this.#files);
    else await this.#failed.file.publish();
    if (hasWorkbook) await this.#failed?.workbook.publish();
    else await removeFile(this.#workbookPath, this.#files);
    await this.#results.publish();
    return {
      failed: this.#failed === null ? null : this.#failedPath,
      failedWorkbook: hasWorkbook ? this.#workbookPath : null,
      failedWorkbookLeftOut: this.#failed?.workbook.leftOut ?? 0,
      failedRows: this.#rows,
    };
  }

  async discard(): Promise<void> {
    await this.#results.discard();
    await this.#failed?.file.discard();
    await this.#failed?.workbook.discard();
  }
}

/**
 * Writes `STEM.results.csv` with every row and, if any row is neither created nor existing, `STEM.failed.csv` and
 * `STEM.failed.xlsx` with those; older failed files are removed when there are none any more. Files of an earlier run
 * stay complete until the new ones are. Holds one group of rows in memory.
 *
 * @throws OutputError when a file cannot be written; errors of `rows` are thrown unchanged
 */
export async function writeResultFiles(options: ResultFilesOptions): Promise<WrittenResultFiles> {
  const { directory, stem, header, batch, rows, workbook, files = realFileSystem } = options;
  const resultsPath = join(directory, `${stem}.results.csv`);
  const results = await ReplacementFile.create(resultsPath, files);
  const temporary = new TemporaryResultFiles(
    results,
    join(directory, `${stem}.failed.csv`),
    resultLayout(header, batch),
    {
      path: join(directory, `${stem}.failed.xlsx`),
      header,
      batch,
      files,
      allRows: `All are in ${stem}.failed.csv, which can be corrected and imported as it is.`,
      ...workbook,
    },
  );
  try {
    await temporary.writeHeader(results);
    for await (const group of rows) await temporary.write(group);
    return { results: resultsPath, ...(await temporary.publish()) };
  } catch (error) {
    await temporary.discard();
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

/** `STEM.changes.csv`, a line for each finding, values in full; none without findings. */
export function changesFile(place: { readonly directory: string; readonly stem: string }): OptionalCsvFile {
  return new OptionalCsvFile(join(place.directory, `${place.stem}.changes.csv`), changesHeader);
}

/** A finding as a line of this file. */
export function changeRecord({
  row,
  code,
  before,
  after,
  amount,
  currency,
  earlier,
  isStillUsed,
}: ShownChange): string[] {
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
 * Writes `STEM.findings.csv`, a line for each finding; without findings, the file has only its header, so that an older
 * one is not mistaken for the newest.
 *
 * @throws OutputError when the file cannot be written; errors of `findings` are thrown unchanged
 */
export async function writeFindingsFile(
  options: FindingsFileOptions,
): Promise<{ path: string; count: number }> {
  const { directory, stem, findings, files = realFileSystem } = options;
  const path = join(directory, `${stem}.findings.csv`);
  const file = await ReplacementFile.create(path, files);
  let count = 0;
  try {
    await file.write(byteOrderMark + csvText([['row', 'column', 'code', 'message']]));
    for await (const group of findings) {
      count += group.length;
      const records = group.map(({ row, finding }) => [
        String(row),
        finding.column,
        finding.code,
        plainText(finding.message),
      ]);
      await file.write(csvText(records));
    }
    await file.complete();
    await file.publish();
    return { path, count };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/**
 * The beginnings of the names of several inputs' findings files, each unique: of two inputs with the same name the second
 * gets `NAME.2`. Some file systems do not distinguish capital from small letters.
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
/** File systems limit a name to 255 bytes; this leaves room for endings and the temporary name. */
const STEM_BYTES = 200;

interface NamedInput {
  /** The file's stated path or name, with its ending; `-` for standard input. */
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

/** Letters of every script count, with the marks that are part of them. */
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
 * The beginning of the names of a batch's files: `NAME.BATCH8`, or `NAME.SHEET.BATCH8` for a sheet. At most 100
 * characters, never hidden; inputs with equal names differ in their batch.
 */
export function resultStem(input: NamedInput & { readonly batchId: string }): string {
  return inputName(input, `.${shortBatchId(input.batchId)}`);
}

/** The beginning of a findings file's name: `NAME`, or `NAME.SHEET`; there is no batch yet. */
export function findingsStem(input: NamedInput): string {
  return inputName(input, '');
}
