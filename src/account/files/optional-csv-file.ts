/* A CSV file that is there only if it has rows. */

import { type FileSystem, realFileSystem } from '../../disk/file-system.ts';
import { byteOrderMark, csvText } from './csv-text.ts';
import { ReplacementFile, removeFile } from './replacement-file.ts';

/**
 * Written group by group, in place of an older one. Without rows there is no file, and an older one is removed. Every
 * method but `discard` throws `OutputError`.
 */
export class OptionalCsvFile {
  readonly #path: string;
  readonly #header: readonly string[];
  readonly #files: FileSystem;
  #file: ReplacementFile | null = null;

  constructor(path: string, header: readonly string[], files: FileSystem = realFileSystem) {
    this.#path = path;
    this.#header = header;
    this.#files = files;
  }

  async write(records: readonly (readonly string[])[]): Promise<void> {
    if (records.length === 0) return;
    if (this.#file === null) {
      this.#file = await ReplacementFile.create(this.#path, this.#files);
      await this.#file.write(byteOrderMark + csvText([this.#header]));
    }
    await this.#file.write(csvText(records));
  }

  /** Gives the file its name. @returns its path; null where there was nothing to write */
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
