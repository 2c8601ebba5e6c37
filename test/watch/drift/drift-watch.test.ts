import { afterEach, describe, expect, it } from 'vitest';
import type { MappingFile } from '../../../src/read/mapping/mapping-schema.ts';
import { removeTemporaryFiles } from '../../read/reading.ts';
import { createRandom } from '../../simulation/random.ts';
import { changeNames } from './changes.ts';
import { changedMonth, habitOf, honestMonth, readMonth } from './judge.ts';
import { layouts } from './layouts.ts';
import { fileOf, firstPeople, honestHabits, type MonthFile, nextPeople } from './months.ts';

afterEach(removeTemporaryFiles);

// `npm run bench:drift` reads other seeds, and many more of them.
const seed = 7_000_000;

describe('a known layout', () => {
  it.each(changeNames)('with %s sends nothing that is wrong', async (change) => {
    const met: string[] = [];
    for (const [at, layout] of layouts.entries()) {
      const month = await changedMonth(layout, change, seed + at);
      if (month?.verdict.startsWith('sent') === true)
        met.push(`${layout.name}: ${month.verdict} ${JSON.stringify(month.outcome.result?.drift)}`);
    }
    expect(met).toEqual([]);
  });

  it('continues in an honest month, and names a further column that has values', async () => {
    const met: string[] = [];
    for (const [at, layout] of layouts.entries()) {
      const habit = habitOf(at);
      const { outcome } = await honestMonth(layout, habit, seed + 100 + at);
      const drift = (outcome.result?.drift ?? []).map(({ what }) => what);
      const expected = habit === 'an extra column of notes' ? ['new_column'] : [];
      if (outcome.refused !== null || drift.join() !== expected.join())
        met.push(`${layout.name}, ${habit}: ${outcome.message} ${drift.join()}`);
    }
    expect(met).toEqual([]);
    expect(layouts.length).toBeGreaterThanOrEqual(honestHabits.length);
  });
});

/** Two months of the payroll to banks, the second one changed by hand. */
async function secondMonth(change: (file: MonthFile) => void, earlier?: Parameters<typeof readMonth>[1]) {
  const layout = layouts[1];
  if (layout === undefined) throw new Error('there is no such layout');
  const random = createRandom(1);
  const people = firstPeople(layout, random);
  const before = await readMonth(fileOf(layout, people, 10), []);
  if (before.result === null) throw new Error(before.message);
  const first = { profile: before.result.profile, rows: before.rows };
  const file = fileOf(layout, nextPeople(layout, people, random, 'nothing'), 11);
  change(file);
  return { first, second: await readMonth(file, earlier ?? [first]) };
}

it('shows both sides of what differs, with accounts masked', async () => {
  const { second } = await secondMonth(({ rows }) => {
    for (const row of rows) row[4] = `******${row[4]?.slice(-4)}`;
  });
  expect(second.refused).toBe('reading_drifted');
  expect(second.result?.stops).toEqual([
    {
      column: 'Account No',
      what: 'masked',
      before: expect.stringMatching(/^“…\d{3}”$/),
      now: expect.stringMatching(/^“…\d{3}” \(\d+ of \d+ values\)$/),
    },
  ]);
  expect(second.message).toContain('“Account No” has values of which a part is hidden: before “…');
});

it('names the column whose values another one had', async () => {
  const { second } = await secondMonth(({ rows }) => {
    for (const row of rows) [row[5], row[6]] = [row[6] ?? '', row[5] ?? ''];
  });
  expect(second.result?.stops).toMatchObject([
    { column: 'Net', what: 'swapped', now: expect.stringContaining('as Gross had it') },
  ]);
});

it('keeps no text of a cell, and little in all', async () => {
  const { first } = await secondMonth(() => {});
  const text = JSON.stringify(first.profile);
  for (const { cells } of first.rows) {
    for (const cell of cells) if (cell.length > 5) expect(text).not.toContain(cell);
  }
  expect(text.length).toBeLessThan(60_000);
});

it.each([
  ['amounts', (row: number) => String(1_000 + row)],
  ['days', () => '2026-11-30'],
  ['accounts', (row: number) => `00${71_234_500 + row}`],
  ['names', (row: number) => `Amina Otieno${'abcdefghij'[row % 10]}`],
  ['a few words', (row: number) => (row % 2 === 0 ? 'pay' : 'hold')],
])('stops at a new column of %s', async (_, textOf) => {
  const { second } = await secondMonth((file) => {
    file.titles.push('More');
    file.rows.forEach((row, at) => {
      row.push(textOf(at));
    });
  });
  expect(second.refused).toBe('reading_drifted');
  expect(second.result?.stops).toMatchObject([{ column: 'More', what: 'new_column' }]);
});

it('says nothing of a new column without values, and stops in the month in which it has amounts', async () => {
  const { first, second } = await secondMonth((file) => {
    file.titles.push('More');
    for (const row of file.rows) row.push('');
  });
  expect([second.refused, second.result?.drift]).toEqual([null, []]);
  if (second.result === null) throw new Error(second.message);
  const { second: third } = await secondMonth(
    (file) => {
      file.titles.push('More');
      file.rows.forEach((row, at) => {
        row.push(String(1_000 + at));
      });
    },
    [{ profile: second.result.profile, rows: second.rows }, first],
  );
  expect(third.result?.stops).toMatchObject([{ column: 'More', what: 'new_column' }]);
});

it('names a new column of paybatch without values', async () => {
  const { second } = await secondMonth((file) => {
    file.titles.push('Routing number');
    for (const row of file.rows) row.push('');
  });
  expect(second.result?.drift.map(({ column, what }) => [column, what])).toEqual([
    ['Routing number', 'new_column'],
  ]);
});

it('does not stop at a month like one before the last', async () => {
  const layout = layouts[0];
  if (layout === undefined) throw new Error('there is no such layout');
  const people = firstPeople(layout, createRandom(3));
  const usual = await readMonth(fileOf(layout, people, 10), []);
  const doubled = people.map((person) => ({ ...person, amount: 2 * person.amount }));
  const bonus = await readMonth(fileOf(layout, doubled, 12), []);
  if (usual.result === null || bonus.result === null) throw new Error('a month was not read');
  const [first, second] = [usual, bonus].map(({ result, rows }) => ({
    profile: result?.profile ?? usual.result?.profile,
    rows,
  }));
  const third = fileOf(layout, people.slice(0, -1), 13);
  expect((await readMonth(third, [second as never])).refused).toBe('reading_drifted');
  expect((await readMonth(third, [second as never, first as never])).refused).toBeNull();
});

describe('a word that may mean an empty value, in a month after the mapping was agreed to', () => {
  const written = (word: string, place = 1) =>
    secondMonth(({ rows }) => {
      const row = rows[2];
      if (row !== undefined) row[place] = word;
    });

  it.each(['N/A', 'wala', '?', 'none', '-do-', 'dto.', '〃'])('stops the file: %s', async (word) => {
    const { second } = await written(word);
    expect(second.refused).toBe('reading_drifted');
    expect(second.result?.stops).toEqual([
      { column: 'Surname', what: 'no_value', before: '', now: `“${word}” (row 4)` },
    ]);
  });

  it('stops it too where it is a small word that fills other columns', async () => {
    const { second } = await secondMonth(({ rows }) => {
      rows.forEach((row, at) => {
        if (at < 3) row[at === 0 ? 1 : 0] = 'bado';
      });
    });
    expect(second.result?.stops).toMatchObject([{ column: 'Surname', what: 'no_value' }]);
  });

  it('does not stop it where no value of the column is sent as it is', async () => {
    expect((await written('N/A', 0)).second.refused).toBeNull();
  });

  it('does not stop it where an earlier file had the word', async () => {
    const { first, second } = await written('none');
    if (second.result === null) throw new Error(second.message);
    const { second: third } = await secondMonth(
      ({ rows }) => {
        const row = rows[5];
        if (row !== undefined) row[1] = 'None';
      },
      [{ profile: second.result.profile, rows: second.rows }, first],
    );
    expect(third.refused).toBeNull();
  });

  it('does not stop it for a name that is written like a mark for the value above', async () => {
    expect((await written('Do')).second.refused).toBeNull();
  });

  it.each<[string, string, Partial<MappingFile>]>([
    ['nothing', 'N/A', { empty: { Surname: ['n/a'] } }],
    ['a value', 'N/A', { kept: { Surname: ['n/a'] } }],
    ['the value above', '-do-', { repair: { Surname: ['ditto'] } }],
  ])('does not stop it where the mapping says that it is %s', async (_, word, said) => {
    const [, layout] = layouts;
    if (layout === undefined) throw new Error('there is no such layout');
    const told = { ...layout, mapping: { ...layout.mapping, ...said } };
    const file = fileOf(told, firstPeople(told, createRandom(1)), 11);
    const row = file.rows[2];
    if (row !== undefined) row[1] = word;
    expect((await readMonth(file, [])).refused).toBeNull();
  });
});
