import { describe, expect, it, vi } from 'vitest';
import { judgeTable } from '../../src/check/judging.ts';
import type { BatchRecord } from '../../src/domain/batches/batch.ts';
import type { StagedRow } from '../../src/domain/rows/ledger-row.ts';
import type { InvalidLimit } from '../../src/domain/settings/definitions.ts';
import type { SourceRow, SourceTable } from '../../src/domain/tables/table.ts';
import type { LedgerVerbs } from '../../src/ledger/verbs.ts';
import { stageTable } from '../../src/send/staging.ts';
import { partly } from '../send/fakes.ts';
import { stagedRow } from '../support/ledger-rows.ts';

/** A table in groups of two rows; a row with `!` in it is judged invalid. */
function table(lines: readonly string[], header = ['first_name', 'last_name', '']): SourceTable {
  const rows = lines.map((line, at): SourceRow => ({ number: at + 2, cells: line.split(',') }));
  return {
    sheet: 'May',
    header,
    headerRow: 1,
    notes: [],
    rows: async function* () {
      for (let at = 0; at < rows.length; at += 2) yield rows.slice(at, at + 2);
    },
  };
}

const validation = {
  judge: async (rows: readonly SourceRow[]): Promise<StagedRow[]> =>
    rows.map(({ number, cells }) =>
      stagedRow(number, { state: cells.some((cell) => cell.includes('!')) ? 'invalid' : 'staged' }),
    ),
  refusal: () => null,
  end: vi.fn(),
};

async function judged(source: SourceTable, limit: InvalidLimit | null = null): Promise<number[]> {
  const rows: number[] = [];
  for await (const group of judgeTable(
    source,
    { fileName: 'people.xlsx', path: 'in/people.xlsx' },
    validation,
    limit,
  )) {
    rows.push(...group.map(({ row }) => row));
  }
  return rows;
}

describe('a table', () => {
  it('with values under a column without a name is refused, and the row is named', async () => {
    await expect(judged(table(['a,b,', 'a,b, ', 'a,b,c']))).rejects.toMatchObject({
      kind: 'file_refused',
      code: 'unnamed_column',
      message: expect.stringMatching(/^people\.xlsx, sheet "May": column 3 .* row 4 /),
    });
    expect(await judged(table(['a,b,', 'a,b', 'a,b, ']))).toEqual([2, 3, 4]);
  });

  const four = ['a,b', 'a,!', 'a,b', 'a,!'];
  it.each<[InvalidLimit | null, boolean]>([
    [null, false],
    [{ rows: 2 }, false],
    [{ rows: 1 }, true],
    [{ rows: 0 }, true],
    [{ percent: 50 }, false],
    [{ percent: 49.9 }, true],
    [{ percent: 100 }, false],
  ])('with two of four rows invalid against the limit %j', async (limit, isRefused) => {
    const judging = judged(table(four), limit);
    if (!isRefused) expect(await judging).toHaveLength(4);
    else {
      await expect(judging).rejects.toMatchObject({
        kind: 'file_refused',
        code: 'too_many_invalid',
        message: expect.stringMatching(/^people\.xlsx, sheet "May": \d of the first \d rows/),
      });
    }
  });

  it('releases its state at its end, also after an error', async () => {
    validation.end.mockClear();
    await judged(table(['a,b']));
    expect(validation.end).toHaveBeenCalledTimes(1);
    await expect(judged(table(['!,b']), { rows: 0 })).rejects.toThrow('allows 0');
    expect(validation.end).toHaveBeenCalledTimes(2);
  });

  it('without rows passes any limit', async () => {
    expect(await judged(table([]), { percent: 0 })).toEqual([]);
  });

  it('that was staged in part before is staged from its beginning', async () => {
    const calls: string[] = [];
    const ledger = partly<LedgerVerbs>({
      emptyUnstaged: async () => {
        calls.push('emptied');
      },
      stageRows: async (_batch, _run, rows) => {
        calls.push(`staged ${rows.length}`);
      },
    });
    const batch = partly<BatchRecord>({ id: 'batch' });
    const groups = judgeTable(
      table(['a,b', 'a,b', 'a,b']),
      { fileName: 'people.csv', path: 'people.csv' },
      validation,
      null,
    );
    await stageTable(ledger, { batch, run: { id: 'run' } }, groups, (count) => calls.push(`told ${count}`));
    expect(calls).toEqual(['emptied', 'staged 2', 'told 2', 'staged 1', 'told 1']);
  });

  it('writes one group while the next waits, and leaves none under way when one fails', async () => {
    const log: string[] = [];
    let underWay = 0;
    const ledger = partly<LedgerVerbs>({
      emptyUnstaged: async () => {},
      stageRows: async (_batch, _run, [first]) => {
        underWay += 1;
        log.push(`${first?.row}: ${underWay} under way`);
        await new Promise((resolve) => setTimeout(resolve, 5));
        underWay -= 1;
        if (first?.row === 4) throw new Error('the ledger is away');
      },
    });
    const groups = (async function* () {
      for (const row of [2, 3, 4, 5, 6, 7]) yield [partly<StagedRow>({ row })];
    })();
    const batch = partly<BatchRecord>({ id: 'batch' });
    await expect(stageTable(ledger, { batch, run: { id: 'run' } }, groups, () => {})).rejects.toThrow(
      'the ledger is away',
    );
    expect(underWay).toBe(0);
    expect(log).toEqual(['2: 1 under way', '3: 2 under way', '4: 2 under way', '5: 2 under way']);
  });
});
