/* Sorts events of rows from the order of a log into that of rows. */

import { createReadStream, existsSync } from 'node:fs';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { temporaryPrefix } from '../../domain/machine/temporary-name.ts';
import { linesOf } from '../../domain/text/characters.ts';

/** Number of rows in one file: as many as are read at once. */
const rowsPerFile = 1_024;

/** Number of characters that are held in memory before they are written to their files. */
const charactersHeld = 2 * 1024 * 1024;

/**
 * Sorts events of rows from the order of a log into that of rows: in files of some rows each, in a folder that only its
 * owner can read. Their content is in the run log too: keys and ids, and no personal data.
 */
export class RowEventFiles<Event extends { readonly row: number }> {
  readonly #folder: string;
  readonly #waiting = new Map<number, string>();
  #characters = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws PaybatchError (`usage`) when the folder cannot be created */
  static async create<Event extends { readonly row: number }>(): Promise<RowEventFiles<Event>> {
    return new RowEventFiles(
      await orFailure(() =>
        mkdtemp(join(tmpdir(), temporaryPrefix({ host: hostname(), processId: process.pid }))),
      ),
    );
  }

  /** @throws PaybatchError (`usage`) when the disk is full */
  async add(event: Event): Promise<void> {
    const line = `${JSON.stringify(event)}\n`;
    const file = Math.floor(event.row / rowsPerFile);
    this.#waiting.set(file, (this.#waiting.get(file) ?? '') + line);
    this.#characters += line.length;
    if (this.#characters >= charactersHeld) await this.#write();
  }

  /** The events of some rows, those of one row in the order in which they were added. */
  async *read(firstRow: number, lastRow: number): AsyncGenerator<Event> {
    await this.#write();
    for (let file = Math.floor(firstRow / rowsPerFile); file * rowsPerFile <= lastRow; file += 1) {
      if (!existsSync(this.#pathOf(file))) continue;
      for await (const line of linesOf(createReadStream(this.#pathOf(file), 'utf8'))) {
        const event = JSON.parse(line) as Event;
        if (event.row >= firstRow && event.row <= lastRow) yield event;
      }
    }
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #write(): Promise<void> {
    for (const [file, lines] of this.#waiting) {
      await orFailure(() => appendFile(this.#pathOf(file), lines, { mode: 0o600 }));
    }
    this.#waiting.clear();
    this.#characters = 0;
  }

  #pathOf(file: number): string {
    return join(this.#folder, `${file}.jsonl`);
  }
}

async function orFailure<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new PaybatchError(
      'temporary_folder',
      `The system's folder for temporary files, ${tmpdir()}, cannot be used (${code}).`,
      'set TMPDIR to a folder with room that you may write to',
    );
  }
}
