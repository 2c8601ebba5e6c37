import { expect, it } from 'vitest';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers, recipient } from '../support/cli-files.ts';

const german = JSON.stringify({ decimal: ',', thousands: '.' });

function payees(...amounts: readonly string[]): string {
  return csvOf(amounts.map((amount, at) => recipient(at + 1, { amount })));
}

it('sends nothing of a file whose amounts are not written as its mapping says, and names the command that asks', async () => {
  const desk = await openDesk();
  await desk.write('m.json', german);
  const people = await desk.write('people.csv', csvOf(customers(3)));
  const file = await desk.write('payees.csv', payees('12,500', '1,500.00', '30,000'));
  const refused = await desk.json(['import', people, file, '--mapping', 'm.json']);
  expect(refused.summary).toMatchObject({
    exit_code: 3,
    batches: [],
    error: {
      code: 'reading_contradicted',
      message: expect.stringContaining('“1,500.00” in row 3'),
      next: expect.stringMatching(/^paybatch mapping payees\.csv.* asks how its values are written$/),
    },
  });
  expect((await desk.json(['status'])).summary.batches).toEqual([]);
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(0);

  // All findings are wanted, and the refusal as well.
  const validated = await desk.json(['validate', file, '--mapping', 'm.json']);
  expect(validated.summary).toMatchObject({ exit_code: 3, error: { code: 'reading_contradicted' } });
  expect(await desk.resultText('findings.csv')).toContain('invalid_amount');

  const others = await desk.json(['import', people, file, '--mapping', 'm.json', '--skip-refused']);
  expect(others.summary).toMatchObject({ exit_code: 3, batches: [{ kind: 'customers' }] });

  const right = JSON.stringify({ thousands: ',' });
  const sent = await desk.json(['import', file, '--mapping', await desk.write('right.json', right)]);
  expect(sent.summary.batches[0]?.counts).toEqual({ created: 3 });
});

it('reads corrected rows as their file was read, and refuses them where one would be misread', async () => {
  const desk = await openDesk();
  await desk.write('m.json', german);
  await desk.run(['import', await desk.write('people.csv', csvOf(customers(3)))]);
  const file = await desk.write('payees.csv', payees('1.234,50', '150,500', '-'));
  const first = await desk.json(['import', file, '--mapping', 'm.json']);
  expect(first.summary.batches[0]?.counts).toEqual({ created: 2, invalid: 1 });
  const failed = await desk.resultText('failed.csv');
  // `15.000` alone could be anything; its file has said what the point is.
  const corrected = await desk.write('corrected.csv', failed.replace(/,'?-,/, ',15.000,'));
  expect((await desk.json(['validate', corrected])).exitCode).toBe(0);
});

it('asks what the point is where every amount has three digits behind it', async () => {
  const desk = await openDesk();
  await desk.run(['import', await desk.write('people.csv', csvOf(customers(3)))]);
  const file = await desk.write('payees.csv', payees('12.500', '45.000'));
  const refused = await desk.json(['import', file]);
  expect(refused.summary).toMatchObject({
    exit_code: 3,
    error: { code: 'ambiguous_amounts', next: expect.stringContaining('paybatch mapping payees.csv') },
  });
  const proposed = await desk.run(['mapping', file]);
  expect(JSON.parse(proposed.stdout)).not.toHaveProperty('decimal');
  expect(proposed.stderr).toContain('between thousands, or before decimals');
  await desk.write('m.json', german);
  const planned = await desk.json(['plan', file, '--mapping', 'm.json']);
  expect(planned.summary.batches[0]?.counts).toEqual({ not_sent: 2 });
});
