import { join } from 'node:path';
import type { ResultRow } from '../../domain/result-row.ts';
import type { ResultStatus, StatusCounts } from '../../domain/row-state.ts';
import { byteOrderMark, csvText } from './csv-text.ts';
import { type FileSystem, realFileSystem } from './file-system.ts';
import { ReplacementFile, removeFile } from './replacement-file.ts';
import { type ResultLayout, resultLayout } from './result-columns.ts';

export interface ResultFilesOptions {
  /** Made (0700) if it is not there. */
  readonly directory: string;
  /** What the files' names begin with, from `resultStem`. */
  readonly stem: string;
  /** The input's header cells, as they are meant (`unprotectCell`). */
  readonly header: readonly string[];
  /** The batch's whole id. */
  readonly batch: string;
  /**
   * Every row once, in input order, in groups of moderate size. The cells are as they are meant, that is,
   * after `unprotectCell`; writing protects them again.
   */
  readonly rows: AsyncIterable<readonly ResultRow[]>;
  readonly files?: FileSystem;
}

export interface WrittenResultFiles {
  /** Path of the file with every row. */
  readonly results: string;
  /** Path of the file with the rows that are neither created nor existing; null when there are none. */
  readonly failed: string | null;
  readonly counts: StatusCounts;
}

const done: ReadonlySet<ResultStatus> = new Set<ResultStatus>(['created', 'existing']);

/** The temporary files of one writing, so that all of them are published or none. */
class ResultFilePair {
  readonly #results: ReplacementFile;
  readonly #failedPath: string;
  readonly #layout: ResultLayout;
  readonly #files: FileSystem;
  #failed: ReplacementFile | null = null;

  constructor(results: ReplacementFile, failedPath: string, layout: ResultLayout, files: FileSystem) {
    this.#results = results;
    this.#failedPath = failedPath;
    this.#layout = layout;
    this.#files = files;
  }

  async writeHeader(file: ReplacementFile): Promise<void> {
    await file.write(byteOrderMark + csvText([this.#layout.header]));
  }

  async write(rows: readonly ResultRow[]): Promise<void> {
    await this.#results.write(csvText(rows.map(this.#layout.record)));
    const failed = rows.filter((row) => !done.has(row.status));
    if (failed.length === 0) return;
    if (this.#failed === null) {
      this.#failed = await ReplacementFile.create(this.#failedPath, this.#files);
      await this.writeHeader(this.#failed);
    }
    await this.#failed.write(csvText(failed.map(this.#layout.record)));
  }

  /** Both files are complete and on disk before the first of them gets its name. */
  async publish(): Promise<string | null> {
    await this.#results.complete();
    await this.#failed?.complete();
    if (this.#failed === null) await removeFile(this.#failedPath, this.#files);
    else await this.#failed.publish();
    await this.#results.publish();
    return this.#failed === null ? null : this.#failedPath;
  }

  async discard(): Promise<void> {
    await this.#results.discard();
    await this.#failed?.discard();
  }
}

/**
 * Writes `STEM.results.csv` with every row and, if any row is neither created nor existing,
 * `STEM.failed.csv` with those; an older failed file is removed when there are none any more. Files of an
 * earlier run stay complete until the new ones are. Holds one group of rows in memory.
 *
 * @throws OutputError when a file cannot be written; what `rows` throws comes through unchanged
 */
export async function writeResultFiles(options: ResultFilesOptions): Promise<WrittenResultFiles> {
  const { directory, stem, header, batch, rows, files = realFileSystem } = options;
  const resultsPath = join(directory, `${stem}.results.csv`);
  const results = await ReplacementFile.create(resultsPath, files);
  const pair = new ResultFilePair(
    results,
    join(directory, `${stem}.failed.csv`),
    resultLayout(header, batch),
    files,
  );
  const counts: Partial<Record<ResultStatus, number>> = {};
  try {
    await pair.writeHeader(results);
    for await (const group of rows) {
      for (const { status } of group) counts[status] = (counts[status] ?? 0) + 1;
      await pair.write(group);
    }
    return { results: resultsPath, failed: await pair.publish(), counts };
  } catch (error) {
    await pair.discard();
    throw error;
  }
}
