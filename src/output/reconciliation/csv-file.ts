import { byteOrderMark, csvText } from '../files/csv-text.ts';
import { type FileSystem, realFileSystem } from '../files/file-system.ts';
import { ReplacementFile, removeFile } from '../files/replacement-file.ts';

/** A CSV file that comes into being record by record, and takes its name only when it is complete. */
export class CsvFile {
  readonly #file: ReplacementFile;
  readonly #files: FileSystem;
  records = 0;

  private constructor(file: ReplacementFile, files: FileSystem) {
    this.#file = file;
    this.#files = files;
  }

  /** @throws OutputError */
  static async create(
    path: string,
    header: readonly string[],
    files: FileSystem = realFileSystem,
  ): Promise<CsvFile> {
    const file = await ReplacementFile.create(path, files);
    const csv = new CsvFile(file, files);
    await file.write(byteOrderMark + csvText([header]));
    return csv;
  }

  /** @throws OutputError */
  async write(records: readonly (readonly string[])[]): Promise<void> {
    if (records.length === 0) return;
    this.records += records.length;
    await this.#file.write(csvText(records));
  }

  /**
   * Gives the file its name; one without records removes an older file of that name instead.
   * @returns its path, or null when there were no records
   * @throws OutputError
   */
  async publish(): Promise<string | null> {
    if (this.records === 0) {
      await this.discard();
      await removeFile(this.#file.path, this.#files);
      return null;
    }
    await this.#file.complete();
    await this.#file.publish();
    return this.#file.path;
  }

  /** Called when something else has failed, which is why it never throws. */
  discard(): Promise<void> {
    return this.#file.discard();
  }
}
