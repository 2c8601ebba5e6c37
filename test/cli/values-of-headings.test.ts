import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { readCsv } from '../support/cli-files.ts';
import { textRow, workbook } from '../support/workbook.ts';

const customers =
  'external_id,first_name,last_name\nC-1,Amina,Otieno\nC-2,Ben,Tran\nC-3,Cleo,Ruiz\nC-4,Dan,Ito\n';
const list = [
  'Payments November,,,',
  'Client ID,Name,Phone,Amount KES',
  'Operator: M-PESA (2),,,',
  'C-1,Amina Otieno,0712345678,1500',
  'C-4,Dan Ito,0712345679,1500',
  'Total,,,3000',
  'Operator: Airtel Money (2),,,',
  'C-2,Ben Tran,0733123456,1600',
  'C-3,Cleo Ruiz,073312345,1700',
  'Total,,,3300',
].join('\n');

/** The phone number and the operator of each recipient that the API has. */
async function walletsOf({ sandbox }: Desk): Promise<readonly (readonly string[])[]> {
  const response = await fetch(`${sandbox.url}/sandbox/objects?kind=external_accounts`, {
    headers: { authorization: `Bearer ${sandbox.controlToken}` },
  });
  const objects = (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).object);
  return objects.map(({ phone_number, institution_name }) => [phone_number, institution_name]);
}

/** A desk whose customers are created. */
async function deskWithCustomers(): Promise<Desk> {
  const desk = await openDesk();
  await desk.run(['import', await desk.write('customers.csv', customers)]);
  return desk;
}

/** The proposed mapping of a file of recipients, without its open points; it is also written to `m.json`. */
async function proposedFor(desk: Desk, file: string, forecast: string) {
  const { stdout, stderr } = await desk.run(['mapping', file, '--kind', 'recipients']);
  expect(stderr).toContain(forecast);
  const { open, ...mapping } = JSON.parse(stdout);
  await desk.write('m.json', JSON.stringify(mapping));
  return { open, mapping };
}

it('takes the operator from the headings, also for a row that is corrected in the failed file', async () => {
  const desk = await deskWithCustomers();
  const file = await desk.write('list.csv', list);
  const { open, mapping } = await proposedFor(desk, file, '3 of 4 rows would pass');
  expect(open).toEqual([{ about: 'reading', why: expect.any(String) }]);
  expect(mapping.columns['(heading)']).toBe('institution_name');
  const { summary } = await desk.json(['import', file, '--mapping', 'm.json']);
  expect(summary.batches[0]?.counts).toMatchObject({ created: 3, invalid: 1 });
  const failed = summary.batches[0]?.files.failed ?? '';
  const text = await readFile(failed, 'utf8');
  expect(readCsv(text)).toMatchObject([{ Phone: '073312345', '(heading)': 'Airtel Money' }]);
  await writeFile(failed, text.replace('073312345,', '0733123457,'));
  const again = await desk.json(['import', failed]);
  expect(again.summary.batches[0]?.counts).toMatchObject({ created: 1 });
  expect((await desk.run(['reconcile', summary.batches[0]?.batch ?? ''])).exitCode).toBe(0);
  expect(await walletsOf(desk)).toEqual([
    ['+254712345678', 'M-PESA'],
    ['+254712345679', 'M-PESA'],
    ['+254733123456', 'Airtel Money'],
    ['+254733123457', 'Airtel Money'],
  ]);
});

it('takes the operator from headings with a label and a code, and leaves out other headings', async () => {
  const desk = await deskWithCustomers();
  const file = await desk.write(
    'list.csv',
    [
      'Client ID,Name,Phone,Gross KES,Fees KES,Net pay KES',
      'Branch,003,North',
      'Operator,01,M-PESA',
      'C-1,Amina Otieno,0712345678,1510,10,1500',
      'Operator,02,Airtel Money (contd)',
      'C-2,Ben Tran,0733123456,1610,10,1600',
      'Branch,004,South',
      'Operator,01,M-PESA',
      'C-4,Dan Ito,0712345679,1510,10,1500',
    ].join('\n'),
  );
  const { mapping } = await proposedFor(desk, file, '3 of 3 rows would pass; 5 lines are no rows');
  expect(mapping.columns['(heading Operator)']).toBe('institution_name');
  expect(mapping.ignore).toContain('(heading Branch)');
  const { summary } = await desk.json(['import', file, '--mapping', 'm.json']);
  expect(summary.batches[0]?.counts).toMatchObject({ created: 3 });
  expect(await walletsOf(desk)).toEqual([
    ['+254712345678', 'M-PESA'],
    ['+254733123456', 'Airtel Money'],
    ['+254712345679', 'M-PESA'],
  ]);
});

it('takes the operator from the name of the sheet', async () => {
  const desk = await deskWithCustomers();
  const rows = (...cells: readonly string[]): string =>
    [['Client ID', 'Name', 'Phone', 'Amount KES'], cells].map((each, at) => textRow(at + 1, each)).join('');
  const sheets = [
    { name: 'M-PESA', rows: rows('C-1', 'Amina Otieno', '0712345678', '1500') },
    { name: 'Airtel Money', rows: rows('C-2', 'Ben Tran', '0733123456', '1600') },
  ];
  const file = await desk.write('list.xlsx', workbook({ sheets }));
  const { mapping } = await proposedFor(desk, file, '2 of 2 rows would pass');
  expect(mapping).toMatchObject({
    sheets: ['M-PESA', 'Airtel Money'],
    columns: { '(sheet)': 'institution_name' },
  });
  const { summary } = await desk.json(['import', file, '--mapping', 'm.json']);
  expect(summary.batches.map(({ counts }) => counts)).toMatchObject([{ created: 1 }, { created: 1 }]);
  expect(await walletsOf(desk)).toEqual([
    ['+254712345678', 'M-PESA'],
    ['+254733123456', 'Airtel Money'],
  ]);
});

it('leaves headings unread that say nothing of their rows', async () => {
  const desk = await openDesk();
  const [head, ...people] = customers.trim().split('\n');
  const lines = [head, 'North,,', ...people.slice(0, 2), 'South,,', ...people.slice(2)];
  const file = await desk.write('list.csv', lines.join('\n'));
  const { stdout, stderr } = await desk.run(['mapping', file, '--kind', 'customers']);
  expect(stderr).toContain('4 of 4 rows would pass; 2 lines are no rows');
  expect(stderr).toMatch(/\(heading\) +left out/);
  expect(stdout).not.toContain('(heading)');
});
