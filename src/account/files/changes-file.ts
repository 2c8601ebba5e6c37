/* The file that shows each payee that differs from what is known: before and after, side by side. */

import { join } from 'node:path';
import type { FileSystem } from '../../disk/file-system.ts';
import type { ShownChange } from '../../domain/rows/payee-change.ts';
import { OptionalCsvFile } from './optional-csv-file.ts';

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

/** `STEM.changes.csv`, a line for each finding, values in full; none without findings. */
export class ChangesFile {
  readonly #file: OptionalCsvFile;

  constructor({
    directory,
    stem,
    files,
  }: {
    readonly directory: string;
    readonly stem: string;
    readonly files?: FileSystem;
  }) {
    this.#file = new OptionalCsvFile(join(directory, `${stem}.changes.csv`), header, files);
  }

  /** @param changes in the order of the rows @throws OutputError */
  write(changes: readonly ShownChange[]): Promise<void> {
    return this.#file.write(changes.map(recordOf));
  }

  /** @returns the file's path; null where there was nothing to write @throws OutputError */
  publish(): Promise<string | null> {
    return this.#file.publish();
  }

  discard(): Promise<void> {
    return this.#file.discard();
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
