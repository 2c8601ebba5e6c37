import { describe, expect, it } from 'vitest';
import { createTransientRetry, readWithRetry, whileItAnswers } from '../../../src/ledger/verbs.ts';

const away = (): Error => Object.assign(new Error('away'), { code: 'ECONNREFUSED' });

/** A verb that fails so often before it succeeds. */
function failing(times: number, error: () => Error = away): { calls: number; verb: () => Promise<string> } {
  const tried = {
    calls: 0,
    verb: async (): Promise<string> => {
      tried.calls += 1;
      if (tried.calls <= times) throw error();
      return 'done';
    },
  };
  return tried;
}

describe('the wait for a statement that may take long', () => {
  it('ends with it, however often the database is asked meanwhile', async () => {
    let asked = 0;
    const work = new Promise((resolve) => setTimeout(() => resolve('done'), 30));
    const ask = async (): Promise<void> => {
      asked += 1;
    };
    expect(await whileItAnswers(work, ask, 5)).toBe('done');
    expect(asked).toBeGreaterThan(0);
    await expect(whileItAnswers(Promise.reject(new Error('broken')), ask, 5)).rejects.toThrow('broken');
  });

  it('is over when the database does not answer another question', async () => {
    const ask = () => Promise.reject(away());
    await expect(whileItAnswers(new Promise(() => {}), ask, 5)).rejects.toThrow('away');
  });
});

describe('the patience with a database that is away', () => {
  it('repeats a verb until the database is back', async () => {
    const tried = failing(2);
    expect(await createTransientRetry(5_000)(tried.verb)).toBe('done');
    expect(tried.calls).toBe(3);
  });

  it('repeats nothing that failed for another reason', async () => {
    const tried = failing(1, () => Object.assign(new Error('no such column'), { code: '42703' }));
    await expect(createTransientRetry(5_000)(tried.verb)).rejects.toThrow('no such column');
    expect(tried.calls).toBe(1);
  });

  it('comes to its end, and is not spent on every verb anew until the database is back', async () => {
    const patience = createTransientRetry(150);
    await expect(patience(failing(Number.POSITIVE_INFINITY).verb)).rejects.toThrow('away');
    const next = failing(1);
    await expect(patience(next.verb)).rejects.toThrow('away');
    expect(next.calls).toBe(1);
    expect(await patience(next.verb)).toBe('done');
    expect(await patience(failing(1).verb)).toBe('done');
  });

  it('continues to read after the last row that came', async () => {
    const asked: number[] = [];
    let failures = 2;
    async function* pagesAfter(afterRow: number): AsyncGenerator<{ row: number }[]> {
      asked.push(afterRow);
      for (let row = afterRow + 1; row <= 6; row += 2) {
        if (row === 3 && failures > 0) {
          failures -= 1;
          throw away();
        }
        yield [{ row }, { row: row + 1 }];
      }
    }
    const rows: number[] = [];
    for await (const page of readWithRetry(createTransientRetry(5_000), pagesAfter)) {
      rows.push(...page.map(({ row }) => row));
    }
    expect(rows).toEqual([1, 2, 3, 4, 5, 6]);
    expect(asked).toEqual([0, 2, 2]);
  });

  it('begins after the row that is passed to it', async () => {
    const asked: number[] = [];
    const pagesAfter = async function* (afterRow: number): AsyncGenerator<{ row: number }[]> {
      asked.push(afterRow);
      yield [{ row: afterRow + 1 }];
    };
    const pages = [];
    for await (const page of readWithRetry(createTransientRetry(5_000), pagesAfter, 7)) pages.push(page);
    expect({ asked, pages }).toEqual({ asked: [7], pages: [[{ row: 8 }]] });
  });
});
