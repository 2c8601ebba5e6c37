/* Files that were handed over: written once, and set aside before they would change. */

import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { type FileSystem, realFileSystem, writeError } from '../../disk/file-system.ts';
import type { CreatedObject, FactColumn } from '../../domain/rows/result-row.ts';
import { OptionalCsvFile } from '../files/replacement-file.ts';
import { InstructionSheets, type SheetsHeading } from './instruction-sheets.ts';

interface HandedOverOptions extends SheetsHeading {
  readonly directory: string;
  /** The beginning of the files' names, from `resultStem`. */
  readonly stem: string;
  readonly columns: readonly FactColumn[];
  /** The titles of the columns by which people know a row, besides its reference. */
  readonly own: readonly string[];
}

/** Paths of the files that hand over created objects; null for those that would be empty. */
export interface HandedOverFiles {
  readonly objects: string | null;
  readonly instructions: string | null;
  /** Number of objects whose facts this ledger lacks. */
  readonly missingResponses: number;
}

/** The files that hand over created objects, written while the rows are written into the other files. */
export class HandedOver {
  readonly #objects: ObjectsFile;
  readonly #sheets: InstructionSheets;
  #missingResponses = 0;

  constructor({ directory, stem, columns, own, ...heading }: HandedOverOptions) {
    this.#objects = new ObjectsFile(join(directory, `${stem}.objects.csv`), { own, columns });
    this.#sheets = new InstructionSheets(join(directory, `${stem}.instructions.html`), heading);
  }

  /**
   * Writes the objects of a group of rows. After an unexpected end, `discard` removes what is left.
   * @throws OutputError
   */
  async write(objects: readonly CreatedObject[]): Promise<void> {
    this.#missingResponses += objects.filter(({ facts }) => facts === null).length;
    await this.#objects.write(objects);
    await this.#sheets.write(objects);
  }

  /** @throws OutputError */
  async publish(): Promise<HandedOverFiles> {
    const objects = await this.#objects.publish();
    return { objects, instructions: await this.#sheets.publish(), missingResponses: this.#missingResponses };
  }

  async discard(): Promise<void> {
    await this.#objects.discard();
    await this.#sheets.discard();
  }
}

/** The columns before and after the object's own fields. */
const columnsBefore = ['result_row', 'result_status', 'result_reference'];
const columnsBehind = ['result_notes'];

/**
 * `STEM.objects.csv`: the API's answers about all existing objects, field by field. It is written while the rows are
 * read, and there is none for a batch without objects.
 */
class ObjectsFile {
  readonly #columns: readonly FactColumn[];
  readonly #file: OptionalCsvFile;

  /**
   * @param own columns by which people know a row, directly after its reference
   * @param columns the fields that the specification shows for the batch's kind
   */
  constructor(
    path: string,
    { own, columns }: { readonly own: readonly string[]; readonly columns: readonly FactColumn[] },
  ) {
    this.#columns = columns;
    const names = columns.map(({ name }) => name);
    this.#file = new OptionalCsvFile(path, [
      ...columnsBefore,
      ...own,
      'result_id',
      ...names,
      ...columnsBehind,
    ]);
  }

  /** @throws OutputError */
  async write(objects: readonly CreatedObject[]): Promise<void> {
    if (objects.length === 0) return;
    const textOfMarkup = await this.#textOfMarkup();
    await this.#file.write(objects.map((object) => this.#record(object, textOfMarkup)));
  }

  /**
   * Gives the file its name, or removes an older one where nothing was written.
   * @throws OutputError
   */
  publish(): Promise<string | null> {
    return this.#file.publish();
  }

  discard(): Promise<void> {
    return this.#file.discard();
  }

  /** The markup parser is large: it is loaded only where a field has markup. */
  async #textOfMarkup(): Promise<(markup: string) => string> {
    if (!this.#columns.some(({ isMarkup }) => isMarkup)) return (markup) => markup;
    return (await import('./instruction.ts')).instructionText;
  }

  #record({ row, reference, own, facts }: CreatedObject, textOfMarkup: (markup: string) => string): string[] {
    const cells = this.#columns.map(({ name, isMarkup }) => {
      const value = facts?.values[name] ?? '';
      return isMarkup ? textOfMarkup(value) : value;
    });
    return [
      ...[String(row.row), row.status, reference, ...own],
      ...[row.objectId ?? '', ...cells, row.notes.join('; ')],
    ];
  }
}

/**
 * Renames files that were handed over, so that the next files do not replace them: after the loss of a ledger they are
 * the only record of the answers.
 * @param paths missing files are skipped
 * @returns the new paths: `X.objects.csv` becomes `X.objects.before-recover.csv`, or the first free number after it
 * @throws OutputError
 */
export async function setAside(
  paths: readonly string[],
  files: Pick<FileSystem, 'rename'> = realFileSystem,
): Promise<string[]> {
  const kept: string[] = [];
  for (const path of paths.filter((each) => existsSync(each))) {
    const to = freeName(path);
    try {
      await files.rename(path, to);
    } catch (error) {
      throw writeError(to, error);
    }
    kept.push(to);
  }
  return kept;
}

function freeName(path: string): string {
  const ending = extname(path);
  const beginning = `${path.slice(0, -ending.length)}.before-recover`;
  for (let number = 1; ; number += 1) {
    const name = `${beginning}${number === 1 ? '' : `-${number}`}${ending}`;
    if (!existsSync(name)) return name;
  }
}
