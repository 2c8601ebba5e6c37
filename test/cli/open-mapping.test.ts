import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';

const partnerCustomers = [
  'Client No;Given name;Surname;E-mail address;Mobile;Country',
  'P-1;Achieng;Odhiambo;achieng@people.example;+254712000101;KE',
  'P-2;Baraka;Mwangi;baraka@people.example;+254712000102;KE',
].join('\n');

it('a proposal that no person has confirmed sends and plans nothing, and says what is open in it', async () => {
  const desk = await openDesk();
  const file = await desk.write('of the partner.csv', partnerCustomers);
  await desk.write('mapping.json', (await desk.run(['mapping', file])).stdout);
  const options = [file, '--mapping', 'mapping.json'];
  for (const command of ['import', 'plan']) {
    const { exitCode, summary } = await desk.json([command, ...options]);
    expect([command, exitCode, summary.error?.code, summary.batches]).toEqual([
      command,
      3,
      'mapping_open',
      [],
    ]);
    expect(summary.error?.message).toContain('reading: No person has looked at this reading yet');
    expect(summary.error?.next).toContain("paybatch mapping 'of the partner.csv'");
  }
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(0);
  const checked = await desk.json(['validate', ...options]);
  expect(checked.exitCode).toBe(0);
  expect(checked.stderr.replaceAll(/\s+/g, ' ')).toContain('so it cannot be sent like this');

  const { open, ...confirmed } = JSON.parse(await readFile(join(desk.folder, 'mapping.json'), 'utf8'));
  expect(open.length).toBeGreaterThan(0);
  await desk.write('mapping.json', JSON.stringify(confirmed));
  expect((await desk.json(['import', ...options])).exitCode).toBe(0);
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(2);
  // The batch is the same with and without the open points, and a batch that is there is not sent under a refused mapping.
  await desk.write('mapping.json', JSON.stringify({ ...confirmed, open }));
  expect((await desk.json(['import', ...options])).exitCode).toBe(3);
});

it('a proposal that lacks a column names what is open in it, and not the header', async () => {
  const desk = await openDesk();
  const file = await desk.write('unknown.csv', 'Alpha;Beta;E-mail address\nP-1;x;achieng@people.example\n');
  await desk.write('mapping.json', (await desk.run(['mapping', file, '--kind', 'customers'])).stdout);
  const { exitCode, summary } = await desk.json(['import', file, '--mapping', 'mapping.json']);
  expect([exitCode, summary.error?.code]).toEqual([3, 'mapping_open']);
  expect(summary.error?.message).toContain('reading: No person has looked at this reading yet');
  expect(summary.error?.message).toContain('It reads nothing as the column');
  expect(summary.error?.next).toContain('paybatch mapping unknown.csv');
});

it('an export is not compared under a mapping that no person has confirmed', async () => {
  const desk = await openDesk();
  const { summary } = await desk.json(['import', await desk.write('own.csv', csvOf(customers(2)))]);
  const batch = summary.batches[0]?.batch ?? '';
  const lines = ['Object ID;Their ref;Mail', 'x-1;a;amina@people.example', 'x-2;b;baraka@people.example'];
  const file = await desk.write('export.csv', lines.join('\n'));
  await desk.write('export.json', (await desk.run(['mapping', file, '--export'])).stdout);
  const against = ['reconcile', batch, '--against', file, '--mapping', 'export.json'];
  const refused = await desk.run(against);
  expect(refused.exitCode).toBe(3);
  expect(refused.stderr).toContain('no person has confirmed how the export is read');
  const { open: _, ...confirmed } = JSON.parse(await readFile(join(desk.folder, 'export.json'), 'utf8'));
  await desk.write('export.json', JSON.stringify(confirmed));
  expect((await desk.run(against)).exitCode).not.toBe(3);
});
