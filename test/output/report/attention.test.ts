import { expect, it } from 'vitest';
import type { ResultRow } from '../../../src/domain/result-row.ts';
import { AttentionCollector } from '../../../src/output/report/attention.ts';
import { inGroups, sampleRow } from '../sample-rows.ts';

async function passedBy(...groups: (readonly ResultRow[])[]) {
  const collector = new AttentionCollector();
  const passed: ResultRow[] = [];
  for await (const rows of collector.watch(inGroups(...groups))) passed.push(...rows);
  return { passed, attention: collector.result() };
}

it('every row passes on as it is, done or not', async () => {
  const rows = [
    sampleRow(),
    sampleRow({ row: 3, status: 'held' }),
    sampleRow({ row: 4, status: 'existing' }),
  ];
  const { passed, attention } = await passedBy(rows.slice(0, 1), rows.slice(1));
  expect(passed).toEqual(rows);
  expect(attention.rows).toBe(1);
  expect(attention.listed).toEqual([rows[1]]);
});

it('rows with one status, code and column are one group, the largest first, with its first rows', async () => {
  const rows = Array.from({ length: 9 }, (_, index) =>
    sampleRow({
      row: index + 2,
      status: 'invalid',
      code: index === 0 ? 'required' : 'invalid_phone',
      field: 'Phone',
      message: `message of row ${index + 2}`,
    }),
  );
  const { attention } = await passedBy(rows);
  expect(attention.groups).toEqual([
    {
      status: 'invalid',
      code: 'invalid_phone',
      column: 'Phone',
      rows: 8,
      firstRows: [3, 4, 5, 6, 7],
      message: 'message of row 3',
    },
    expect.objectContaining({ code: 'required', rows: 1, firstRows: [2] }),
  ]);
});

it('what is kept has a limit, even if every row has a reason of its own', async () => {
  const rows = Array.from({ length: 5000 }, (_, index) =>
    sampleRow({ row: index + 2, status: 'rejected', code: `code_${index}` }),
  );
  const { attention } = await passedBy(rows);
  expect(attention.rows).toBe(5000);
  expect(attention.listed).toHaveLength(200);
  expect(attention.groups).toHaveLength(50);
  expect(attention.groups[0]).toMatchObject({ code: null, rows: 4000 });
  expect(attention.groupsLeftOut).toBe(951);
});

it('created rows whose answer contradicts what was sent come before everything else', async () => {
  const contradicted = sampleRow({ row: 9, code: 'answer_differs', message: 'amount (sent 1, answered 2)' });
  const rows = [
    sampleRow(),
    sampleRow({ row: 3, status: 'held' }),
    sampleRow({ row: 4, status: 'held' }),
    contradicted,
    // The API's own code, on a row that it refused, is another matter.
    sampleRow({ row: 10, status: 'rejected', code: 'answer_differs' }),
  ];
  const { attention } = await passedBy(rows);
  expect(attention).toMatchObject({ rows: 4, contradicted: 1 });
  expect(attention.listed.map(({ row }) => row)).toEqual([9, 3, 4, 10]);
  expect(attention.groups[0]).toMatchObject({ status: 'created', code: 'answer_differs', firstRows: [9] });
});
