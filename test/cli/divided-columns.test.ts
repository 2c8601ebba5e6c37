import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { openDesk } from '../support/cli-desk.ts';
import { readCsv } from '../support/cli-files.ts';

const customers = 'external_id,first_name,last_name\nC-1,Amina,Otieno\nC-2,Ben,Tran\nC-3,Cleo,Ruiz\n';

const header = 'Vendor ID,Supplier,Owner,Kind,Bank,Routing / Account,Street,City,State,ZIP';
const vendor = (id: string, supplier: string, account: string): string =>
  `${id},${supplier},individual,savings,Chase,${account},1 Main St,Austin,TX,78701`;

const mapping = {
  kind: 'recipients',
  columns: {
    'Vendor ID': 'customer_external_id',
    Owner: 'account_owner_type',
    Kind: 'account_type',
    Bank: 'bank_name',
    Street: 'address_line1',
    City: 'city',
    State: 'state',
    ZIP: 'postal_code',
  },
  split: {
    Supplier: { into: ['ignore', 'account_name'], at: ' - ' },
    'Routing / Account': { into: ['routing_number', 'account_number'], at: ' / ' },
  },
  constants: { payee_type: 'bank_account_us', currency: 'USD', country: 'US' },
};

it('sends the values of a divided cell, and takes the corrected cell of the failed file', async () => {
  const desk = await openDesk();
  await desk.run(['import', await desk.write('customers.csv', customers)]);
  await desk.write('m.json', JSON.stringify(mapping));
  const file = await desk.write(
    'vendors.csv',
    [
      header,
      vendor('C-1', 'S1047 - Otieno - Sons', '021000021 / 0012345678'),
      vendor('C-2', 'S1048 - Tran LLC', '323803081 0012345699'),
      vendor('C-3', 'Ruiz Co', '021000022 / 0012345690'),
    ].join('\n'),
  );
  const { summary } = await desk.json(['import', file, '--mapping', 'm.json']);
  expect(summary.batches[0]?.counts).toMatchObject({ created: 1, invalid: 2 });
  const failed = summary.batches[0]?.files.failed ?? '';
  const text = await readFile(failed, 'utf8');
  const rows = readCsv(text);
  expect(rows.map((row) => [row['result_code'], row['result_field']])).toEqual([
    ['required', 'Routing / Account'],
    ['required', 'Supplier'],
  ]);
  const corrected = text
    .replace('323803081 0012345699', '323803081 / 0012345699')
    .replace('Ruiz Co', 'S1049 - Ruiz Co')
    .replace('021000022 / ', '021000021 / ');
  await writeFile(failed, corrected);
  const again = await desk.json(['import', failed]);
  expect(again.summary.batches[0]?.counts).toMatchObject({ created: 2 });
  expect((await desk.run(['reconcile', summary.batches[0]?.batch ?? ''])).exitCode).toBe(0);
  const response = await fetch(`${desk.sandbox.url}/sandbox/objects?kind=external_accounts`, {
    headers: { authorization: `Bearer ${desk.sandbox.controlToken}` },
  });
  const objects = (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(objects).toMatchObject([
    { object: { account_name: 'Otieno - Sons', routing_number: '021000021', account_number: '0012345678' } },
    { object: { account_name: 'Tran LLC', routing_number: '323803081', account_number: '0012345699' } },
    { object: { account_name: 'Ruiz Co', routing_number: '021000021', account_number: '0012345690' } },
  ]);
});
