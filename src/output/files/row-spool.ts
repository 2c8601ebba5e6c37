import type { FileSystem } from './file-system.ts';
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

  async add(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    this.#file ??= await ReplacementFile.create(this.#path, this.#files);
    this.#count += rows.length;
    let lines = '';
    for (const row of rows) lines += `${JSON.stringify(row)}\n`;
    await this.#file.write(lines);
  }

  /** All rows, in the order in which they came, in groups of moderate size. */
  async *rows(): AsyncGenerator<readonly Row[]> {
    if (this.#file === null) return;
    await this.#file.complete();
    let rest = '';
    for await (const text of this.#file.read()) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      yield lines.map((line): Row => JSON.parse(line));
    }
  }

  /** Removes the file. It never throws. */
  async discard(): Promise<void> {
    await this.#file?.discard();
    this.#file = null;
  }
}
