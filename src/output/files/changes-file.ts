/* The file that shows each payee that differs from what is known: before and after, side by side. */

import { join } from 'node:path';
import type { ShownChange } from '../../domain/rows/payee-change.ts';
import { byteOrderMark, csvText } from './csv-text.ts';
import { type FileSystem, realFileSystem } from './file-system.ts';
import { ReplacementFile, removeFile } from './replacement-file.ts';

const header = [
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

/**
 * `STEM.changes.csv`, a line for each finding, values in full. Without findings there is no file, and an older one is
 * removed. Every method but `discard` throws `OutputError`.
 */
export class ChangesFile {
  readonly #path: string;
  readonly #files: FileSystem;
  #file: ReplacementFile | null = null;

  constructor({
    directory,
    stem,
    files = realFileSystem,
  }: {
    readonly directory: string;
    readonly stem: string;
    readonly files?: FileSystem;
  }) {
    this.#path = join(directory, `${stem}.changes.csv`);
    this.#files = files;
  }

  /** @param changes in the order of the rows */
  async write(changes: readonly ShownChange[]): Promise<void> {
    if (changes.length === 0) return;
    if (this.#file === null) {
      this.#file = await ReplacementFile.create(this.#path, this.#files);
      await this.#file.write(byteOrderMark + csvText([header]));
    }
    await this.#file.write(csvText(changes.map(recordOf)));
  }

  /** @returns the file's path; null where there was nothing to write */
  async publish(): Promise<string | null> {
    if (this.#file === null) {
      await removeFile(this.#path, this.#files);
      return null;
    }
    await this.#file.complete();
    await this.#file.publish();
    return this.#path;
  }

  async discard(): Promise<void> {
    await this.#file?.discard();
  }
}

function recordOf({
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
