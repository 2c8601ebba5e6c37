import { describe, expect, it } from 'vitest';
import {
  finalRowsFirst,
  type ReadRows,
  SendingProgress,
} from '../../../src/account/batch-files/rows-of-batch.ts';
import type { ResultRow } from '../../../src/domain/rows/result-row.ts';
import type { ResultStatus } from '../../../src/domain/rows/row-state.ts';

/** A batch whose rows get their statuses one after the other, read in pages. */
class SentBatch {
  readonly progress = new SendingProgress();
  readonly read: ReadRows;
  /** After which rows pages were asked for. */
  readonly asked: number[] = [];
  readonly #statuses: ResultStatus[];
  readonly #came: { row: number; status: ResultStatus }[] = [];

  constructor(rows: number) {
    this.#statuses = Array.from({ length: rows }, () => 'not_sent');
    this.read = (fromAfter) => this.#pagesAfter(fromAfter);
  }

  /** Gives rows a status, and lets the code that waits for it continue. */
  async record(first: number, last: number, status: ResultStatus): Promise<void> {
    this.#statuses.fill(status, first - 1, last);
    this.progress.advance(last - first + 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }

  /** What has come out so far. */
  follow(): {
    readonly came: readonly { row: number; status: ResultStatus }[];
    readonly ended: Promise<void>;
  } {
    const all = async (): Promise<void> => {
      for await (const rows of finalRowsFirst(this.read, this.progress)) this.#came.push(...rows);
    };
    return { came: this.#came, ended: all() };
  }

  async *#pagesAfter(fromAfter: number): AsyncGenerator<readonly ResultRow[]> {
    this.asked.push(fromAfter);
    for (let start = fromAfter; start < this.#statuses.length; start += 2_000) {
      const page = this.#statuses.slice(start, start + 2_000);
      yield page.map((status, at) => ({ row: start + at + 1, status }) as ResultRow);
    }
  }
}

const numbers = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

describe('the rows of a batch that is being sent', () => {
  it('come when they are final, and the rest at the end, each once and in order', async () => {
    const batch = new SentBatch(7_000);
    const { came, ended } = batch.follow();
    await batch.record(1, 1_999, 'created');
    expect(came).toHaveLength(0);
    await batch.record(2_000, 2_100, 'created');
    expect(came).toHaveLength(2_000);
    await batch.record(2_101, 4_200, 'created');
    expect(came).toHaveLength(4_000);
    await batch.record(4_201, 7_000, 'unknown');
    batch.progress.end();
    await ended;
    expect(came.map(({ row }) => row)).toEqual(numbers(1, 7_000));
    expect(came.at(-1)?.status).toBe('unknown');
  });

  it.each(['rejected', 'held', 'waiting', 'unknown', 'not_sent'] as const)(
    'wait for the end from the first one on that is %s, which may still change',
    async (status) => {
      const batch = new SentBatch(9_000);
      const { came, ended } = batch.follow();
      await batch.record(1, 500, 'existing');
      await batch.record(501, 501, status);
      await batch.record(502, 3_000, 'created');
      expect(came).toHaveLength(500);
      await batch.record(3_001, 6_000, 'created');
      await batch.record(6_001, 9_000, 'created');
      // Looked at twice, and not again with every page.
      expect(batch.asked).toEqual([0, 500]);
      await batch.record(501, 501, 'created');
      batch.progress.end();
      await ended;
      expect(came.map(({ row }) => row)).toEqual(numbers(1, 9_000));
      expect(came[500]?.status).toBe('created');
    },
  );

  it('are not returned any more after the files were given up', async () => {
    const batch = new SentBatch(5_000);
    const { came, ended } = batch.follow();
    await batch.record(1, 2_000, 'created');
    const failed = expect(ended).rejects.toThrow('not wanted');
    batch.progress.giveUp();
    await failed;
    expect(came).toHaveLength(2_000);
  });
});
