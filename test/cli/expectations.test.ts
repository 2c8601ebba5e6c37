import { expect, it } from 'vitest';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers, recipient } from '../support/cli-files.ts';

const payees = [
  recipient(1, { amount: '1500.50' }),
  recipient(2, { amount: '2500' }),
  // Below the institution's minimum: invalid, and in the partner's sum all the same.
  recipient(3, { amount: '0.50' }),
];

it('a file that does not add up is refused before anything is sent, and nothing of it stays', async () => {
  const desk = await openDesk();
  await desk.run(['import', await desk.write('people.csv', csvOf(customers(3)))]);
  const file = await desk.write('payees.csv', csvOf(payees));
  const call = ['import', file, '--expect-rows', '3'];
  const wrong = await desk.json([...call, '--expect-total', 'KES=4001.01']);
  expect(wrong.summary).toMatchObject({
    exit_code: 3,
    batches: [],
    error: {
      code: 'total_differs',
      message: 'payees.csv: the amounts in KES add up to 4,001.00, and 4,001.01 is expected.',
    },
  });
  expect((await desk.json(['status'])).summary.batches).toHaveLength(1);
  const rows = await desk.json(['validate', file, '--expect-rows', '4']);
  expect(rows.summary).toMatchObject({ exit_code: 3, error: { code: 'rows_differ' } });
  const right = await desk.json([...call, '--expect-total', 'KES=4001.00']);
  expect(right.summary.batches[0]?.counts).toEqual({ created: 2, invalid: 1 });
  // The same file once more, and a batch that is there already.
  expect((await desk.json([...call, '--expect-total', 'UGX=1'])).exitCode).toBe(3);
  const batch = right.summary.batches[0]?.batch ?? '';
  expect((await desk.json(['submit', batch, '--expect-rows', '9'])).exitCode).toBe(3);
});

it('a mapping may say it too; it is no part of the reading, and does not bind the failed file', async () => {
  const desk = await openDesk();
  await desk.run(['import', await desk.write('people.csv', csvOf(customers(3)))]);
  const file = await desk.write('payees.csv', csvOf(payees));
  const mapping = (amount: string): Promise<string> =>
    desk.write('m.json', JSON.stringify({ expectRows: 3, expectTotal: { KES: amount } }));
  await mapping('4002');
  const planned = await desk.json(['plan', file]);
  expect((await desk.json(['import', file, '--mapping', 'm.json'])).exitCode).toBe(3);
  await mapping('4001');
  const imported = await desk.json(['import', file, '--mapping', 'm.json']);
  expect(imported.summary.batches[0]).toMatchObject({
    batch: planned.summary.batches[0]?.batch,
    counts: { created: 2, invalid: 1 },
  });
  const failed = imported.summary.batches[0]?.files.failed ?? '';
  expect((await desk.json(['validate', failed])).exitCode).toBe(1);
});
