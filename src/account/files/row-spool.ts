import type { FileSystem } from '../../disk/file-system.ts';
import { ReplacementFile } from './replacement-file.ts';

/**
 * Rows that are written later than they come, in a file beside the one that they are for: memory does not grow with them.
 * Every method throws `OutputError`, but for `discard`.
 */
export class RowSpool<Row> {
  readonly #path: string;
  readonly #files: FileSystem;
  #file: ReplacementFile | null = null;
  #count = 0;

  /** @param path of the file that the rows are for, which is not touched */
  constructor(path: string, files: FileSystem) {
    this.#path = path;
    this.#files = files;
  }

  get count(): number {
    return this.#count;
  }

  async add(row: Row): Promise<void> {
    this.#file ??= await ReplacementFile.create(this.#path, this.#files);
    this.#count += 1;
    await this.#file.write(`${JSON.stringify(row)}\n`);
  }

  /** All rows, in the order in which they came. */
  async *rows(): AsyncGenerator<Row> {
    if (this.#file === null) return;
    await this.#file.complete();
    let rest = '';
    for await (const text of this.#file.read()) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line);
    }
  }

  /** Removes the file. It never throws. */
  async discard(): Promise<void> {
    await this.#file?.discard();
    this.#file = null;
  }
}
