import { describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../support/cli-desk.ts';
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

describe('a control line that the mapping declares', () => {
  const declared = { constants: { amount: '100' }, controlLine: 'Control: {rows} rows, {currency} {total}' };
  const header = 'Payee Type,Customer External Id,Account Name,Phone Number,Currency,Institution Name';

  async function deskWithPayees(): Promise<{
    readonly desk: Desk;
    readonly file: (control: string, above?: string) => Promise<string>;
  }> {
    const desk = await openDesk();
    await desk.run(['import', await desk.write('people.csv', csvOf(customers(2)))]);
    await desk.write('m.json', JSON.stringify(declared));
    const rows = customers(2).map(
      ({ external_id: customer }, at) => `mobile_money,${customer},Amina,+25471234500${at},KES,M-PESA`,
    );
    rows[1] = rows[1]?.replace('M-PESA', 'Nobody') ?? '';
    const file = (control: string, above = ''): Promise<string> =>
      desk.write('payees.csv', `${above}${[header, ...rows].join('\n')}\n${control}\n`);
    return { desk, file };
  }

  it('is no row; the file is refused if the line differs, is missing, or occurs twice', async () => {
    const { desk, file } = await deskWithPayees();
    const words = ['--mapping', 'm.json'];
    const refused = async (content: Promise<string>, command = 'import'): Promise<unknown> =>
      (await desk.json([command, await content, ...words])).summary.error;
    const wrong = { code: 'total_differs', next: expect.stringContaining('in the control line, row 4') };
    for (const command of ['validate', 'plan', 'import'])
      expect(await refused(file('"Control: 2 rows, KES 300.00"'), command)).toMatchObject(wrong);
    expect(await refused(file('"Control: 3 rows, KES 200.00"'))).toMatchObject({
      code: 'rows_differ',
      message: 'payees.csv: there are 2 rows, and 3 are expected.',
    });
    expect(await refused(file('"Control: 2 rows, UGX 200.00"'))).toMatchObject({ code: 'total_differs' });
    expect(await refused(file(''))).toMatchObject({ code: 'control_line_missing' });
    const twice = '"Control: 2 rows, KES 200"\n"Control: 2 rows, KES 200"';
    expect(await refused(file(twice))).toMatchObject({ code: 'control_line_repeated' });
    expect((await desk.json(['status'])).summary.batches).toHaveLength(1);
  });

  it('that is right is reported, below the rows or above the header, and does not apply to the failed file', async () => {
    const { desk, file } = await deskWithPayees();
    const control = '"Control: 2 rows, KES 200.00"';
    const above = await desk.run(['validate', await file('', `${control}\n`), '--mapping', 'm.json']);
    expect(above.stdout).toContain('the control line, row 1, says 2 rows and KES 200.00; compared with what');
    const payees = await file(control);
    const imported = await desk.json(['import', payees, '--mapping', 'm.json']);
    const [batch] = imported.summary.batches;
    expect(batch?.counts).toEqual({ created: 1, invalid: 1 });
    const status = await desk.run(['status', batch?.batch ?? '']);
    expect(status.stdout).toContain('the control line, row 4, says 2 rows and KES 200.00');
    expect((await desk.json(['import', payees, '--mapping', 'm.json'])).exitCode).toBe(1);
    const again = await desk.run(['validate', batch?.files.failed ?? '']);
    expect(again.exitCode).toBe(1);
    expect(again.stdout).toContain('controlLine of the mapping: not compared');
  });
});

it('a control line may count the rows that a person leaves out, or not', async () => {
  const desk = await openDesk();
  await desk.run(['import', await desk.write('people.csv', csvOf(customers(3)))]);
  const mapping = {
    controlLine: 'Control: {rows} rows, {currency} {total}',
    markedValues: { Status: { left: 'leave_out', '': 'send' } },
    ignore: ['Status'],
  };
  await desk.write('m.json', JSON.stringify(mapping));
  const rows = customers(3).map(({ external_id: customer }, at) =>
    [
      'mobile_money',
      customer,
      'Amina',
      `+25471234500${at}`,
      'KES',
      'M-PESA',
      '100.5',
      at === 1 ? 'left' : '',
    ].join(','),
  );
  const header =
    'Payee Type,Customer External Id,Account Name,Phone Number,Currency,Institution Name,Amount,Status';
  const planned = async (control: string) => {
    const file = await desk.write('payees.csv', `${[header, ...rows, control].join('\n')}\n`);
    return (await desk.json(['validate', file, '--mapping', 'm.json'])).summary.error;
  };
  expect(await planned('"Control: 3 rows, KES 301.50"')).toBeNull();
  expect(await planned('"Control: 2 rows, KES 201.00"')).toBeNull();
  for (const wrong of ['"Control: 3 rows, KES 201.00"', '"Control: 2 rows, KES 301.50"']) {
    const error = await planned(wrong);
    expect(error?.message).toMatch(/expected\. 1 row that is left out is not counted\.$/);
  }
});

it('expectations of a mapping that is given with a failed file are those of the whole file, and not compared', async () => {
  const desk = await openDesk();
  await desk.run(['import', await desk.write('people.csv', csvOf(customers(3)))]);
  await desk.write('m.json', JSON.stringify({ expectRows: 3, expectTotal: { KES: '4001' } }));
  const imported = await desk.json([
    'import',
    await desk.write('p.csv', csvOf(payees)),
    '--mapping',
    'm.json',
  ]);
  const failed = imported.summary.batches[0]?.files.failed ?? '';
  const again = await desk.run(['validate', failed, '--mapping', 'm.json']);
  expect(again.exitCode).toBe(1);
  expect(again.stdout).toContain('expectRows and expectTotal of the mapping: not compared');
  // What is said of this very file counts.
  expect((await desk.run(['validate', failed, '--expect-rows', '3'])).exitCode).toBe(3);
});
