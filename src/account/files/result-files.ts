import { join } from 'node:path';
import { type FileSystem, realFileSystem } from '../../disk/file-system.ts';
import { type FailedRows, isForPerson } from '../../domain/batches/batch-facts.ts';
import type { ResultRow } from '../../domain/rows/result-row.ts';
import type { ResultStatus, StatusCounts } from '../../domain/rows/row-state.ts';
import { type ResultLayout, resultLayout } from './failed-layout.ts';
import { FailedWorkbook, type FailedWorkbookOptions } from './failed-workbook.ts';
import { byteOrderMark, csvText, ReplacementFile, removeFile } from './replacement-file.ts';

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
  /** What else the workbook of failed rows needs. */
  readonly workbook: Pick<FailedWorkbookOptions, 'sheet' | 'choices' | 'mostRows'>;
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
  readonly counts: StatusCounts;
}

const done: ReadonlySet<ResultStatus> = new Set<ResultStatus>(['created', 'existing']);

/** The temporary files of one writing: all of them are published, or none. */
class TemporaryResultFiles {
  readonly #results: ReplacementFile;
  readonly #failedPath: string;
  readonly #layout: ResultLayout;
  readonly #files: FileSystem;
  readonly #workbook: FailedWorkbook;
  readonly #workbookPath: string;
  #failed: ReplacementFile | null = null;
  readonly #rows = { forPerson: 0, others: 0 };

  constructor(
    results: ReplacementFile,
    failedPath: string,
    layout: ResultLayout,
    workbook: FailedWorkbookOptions,
  ) {
    this.#results = results;
    this.#workbook = new FailedWorkbook(workbook);
    this.#workbookPath = workbook.path;
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
      this.#failed = await ReplacementFile.create(this.#failedPath, this.#files);
      await this.writeHeader(this.#failed);
    }
    // As in all groups of a plan.
    const areAllFailed = failed.length === rows.length;
    await this.#failed.write(areAllFailed ? text : csvText(failed.map(this.#layout.record)));
    await this.#workbook.write(failed);
  }

  /** All files are complete and on disk before the first of them gets its name. */
  async publish(): Promise<Omit<WrittenResultFiles, 'results' | 'counts'>> {
    await this.#results.complete();
    await this.#failed?.complete();
    const hasWorkbook = await this.#workbook.complete();
    if (this.#failed === null) await removeFile(this.#failedPath, this.#files);
    else await this.#failed.publish();
    if (hasWorkbook) await this.#workbook.publish();
    else await removeFile(this.#workbookPath, this.#files);
    await this.#results.publish();
    return {
      failed: this.#failed === null ? null : this.#failedPath,
      failedWorkbook: hasWorkbook ? this.#workbookPath : null,
      failedWorkbookLeftOut: this.#workbook.leftOut,
      failedRows: this.#rows,
    };
  }

  async discard(): Promise<void> {
    await this.#results.discard();
    await this.#failed?.discard();
    await this.#workbook.discard();
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
  const counts: Partial<Record<ResultStatus, number>> = {};
  try {
    await temporary.writeHeader(results);
    for await (const group of rows) {
      for (const { status } of group) counts[status] = (counts[status] ?? 0) + 1;
      await temporary.write(group);
    }
    return { results: resultsPath, ...(await temporary.publish()), counts };
  } catch (error) {
    await temporary.discard();
    throw error;
  }
}
