/* The rows of a batch while it is being sent: those that are final first, the others when they are. */

import type { ResultRow } from '../../domain/rows/result-row.ts';
import { isFinal } from '../../domain/rows/row-state.ts';

/** Reads a batch's rows in input order, in groups, from after a row number on. */
export type ReadRows = (fromAfter: number) => AsyncIterable<readonly ResultRow[]>;

/** How far the sending of a batch has come, for those who write its files meanwhile. */
export class SendingProgress {
  #recorded = 0;
  #asked = 0;
  #end: 'ended' | 'given up' | null = null;
  #tell = (): void => {};

  /** So many rows more are recorded. */
  advance(rows: number): void {
    this.#recorded += rows;
    this.#tell();
  }

  /** Nothing is sent any more: the rows stand where they will stand in the files. */
  end(): void {
    this.#end = 'ended';
    this.#tell();
  }

  /** The files are not wanted any more. */
  giveUp(): void {
    this.#end = 'given up';
    this.#tell();
  }

  /**
   * Resolves once so many rows are recorded since the last time: true; or at the end of the sending: false.
   * @throws Error when the files are not wanted any more
   */
  async areMoreRecorded(rows: number): Promise<boolean> {
    const enough = this.#asked + rows;
    while (this.#end === null && this.#recorded < enough) {
      await new Promise<void>((resolve) => {
        this.#tell = resolve;
      });
    }
    if (this.#end === 'given up') throw new Error('the files are not wanted any more');
    this.#asked = this.#recorded;
    return this.#end === null;
  }
}

/** After so many recorded rows it is worth reading those that are final: as many as a page has. */
const rowsWorthReading = 2_000;

/**
 * All rows of a batch in input order: while others are being sent, those at the beginning that have come to an end
 * which nobody changes any more, and the rest once the sending has ended.
 */
export async function* finalRowsFirst(
  read: ReadRows,
  progress: Pick<SendingProgress, 'areMoreRecorded'>,
): AsyncGenerator<readonly ResultRow[]> {
  let last = 0;
  let isWorthReading = true;
  while (await progress.areMoreRecorded(isWorthReading ? rowsWorthReading : Number.POSITIVE_INFINITY)) {
    const final = await finalAfter(read, last);
    if (final.length > 0) yield final;
    last = final.at(-1)?.row ?? last;
    // One that is not final, though so many behind it are recorded, will not be soon.
    isWorthReading = final.length > 0;
  }
  yield* read(last);
}

async function finalAfter(read: ReadRows, last: number): Promise<readonly ResultRow[]> {
  for await (const rows of read(last)) {
    const open = rows.findIndex(({ status }) => !isFinal(status));
    return open < 0 ? rows : rows.slice(0, open);
  }
  return [];
}
