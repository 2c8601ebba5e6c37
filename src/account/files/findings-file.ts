/* The findings file that `validate` writes, and its name. */

import { join } from 'node:path';
import { type FileSystem, realFileSystem } from '../../disk/file-system.ts';
import type { Finding, ShownChange } from '../../domain/rows/finding.ts';
import { byteOrderMark, csvText, OptionalCsvFile, ReplacementFile } from './replacement-file.ts';
import { findingsStem, type NamedInput } from './stem.ts';

/* The file with each payee that differs from the known one: before and after, side by side. */

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
        finding.message,
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
