import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FailedWorkbook } from '../../../src/account/files/failed-workbook.ts';
import { realFileSystem } from '../../../src/disk/file-system.ts';
import { readAll } from '../../read/reading.ts';
import { type Desk, openDesk } from '../../support/cli-desk.ts';
import { csvOf, customer, customers, readCsv, recipient } from '../../support/cli-files.ts';
import { textRow, workbook } from '../../support/workbook.ts';

/** Saves a failed workbook as a spreadsheet program would, with some cells changed: place (`C2`, `Values!E2`) to text. */
async function saved(desk: Desk, path: string, changes: Readonly<Record<string, string>>): Promise<string> {
  const { tables } = await readAll(await readFile(path));
  const sheets = tables.map(({ sheet, header, cells }) => ({
    name: sheet ?? '',
    rows: [header, ...cells]
      .map((row, index) =>
        textRow(
          index + 1,
          row.map((text, column) => {
            const place = `${String.fromCharCode(65 + column)}${index + 1}`;
            return changes[`${sheet}!${place}`] ?? (sheet === 'Values' ? text : (changes[place] ?? text));
          }),
        ),
      )
      .join(''),
  }));
  return desk.write('corrected.xlsx', workbook({ sheets }));
}

it('the failed workbook comes back as it is: refused again, then corrected, and its files do not grow', async () => {
  const desk = await openDesk();
  await desk.run(['import', await desk.write('people.csv', csvOf(customers(3)))]);
  const payees = [
    recipient(1, { account_number: '1067.0' }),
    recipient(2, { institution_name: 'KCB' }),
    recipient(3),
  ];
  const first = await desk.json(['import', await desk.write('payees.csv', csvOf(payees))]);
  const path = first.summary.batches[0]?.files.failed_workbook ?? '';
  expect(path).toMatch(/payees\.[\da-f]{8}\.failed\.xlsx$/);
  const untouched = await desk.json(['validate', path]);
  expect(untouched.summary.batches[0]).toMatchObject({ rows: 2, counts: { invalid: 2 } });
  // As a number the refused value is the same one: only what is really another value passes.
  const header = (await readAll(await readFile(path))).tables[0]?.header ?? [];
  const at = (title: string): string => String.fromCharCode(65 + header.indexOf(title));
  const half = await saved(desk, path, {
    [`${at('account_number')}2`]: '1067',
    [`${at('institution_name')}3`]: 'KCB Bank Kenya',
  });
  const second = await desk.json(['import', half]);
  expect(second.summary.batches[0]).toMatchObject({
    counts: { created: 1, invalid: 1 },
    file: 'payees.csv',
  });
  const again = second.summary.batches[0]?.files.failed_workbook ?? '';
  const third = await desk.json([
    'import',
    await saved(desk, again, { [`${at('account_number')}2`]: '1068' }),
  ]);
  expect(third.summary.batches[0]).toMatchObject({
    counts: { created: 1 },
    files: { failed_workbook: null },
  });
  expect((await readAll(await readFile(again))).tables[0]?.header).toEqual(header);
  const [result] = readCsv(await readFile(third.summary.batches[0]?.files.results ?? '', 'utf8'));
  expect(result?.['result_notes']).toContain('corrects row 2 of payees.csv');
});

it('one correction on its sheet Values mends every row that has the value, and each of these says so', async () => {
  const desk = await openDesk();
  await desk.run(['import', await desk.write('people.csv', csvOf(customers(4)))]);
  const payees = [
    ...[1, 2, 3].map((index) => recipient(index, { institution_name: 'KCB' })),
    recipient(4, { account_number: '1067.0' }),
  ];
  const first = await desk.json(['import', await desk.write('payees.csv', csvOf(payees))]);
  const path = first.summary.batches[0]?.files.failed_workbook ?? '';
  const values = (await readAll(await readFile(path))).tables.find(({ sheet }) => sheet === 'Values');
  // A value of one row is corrected in its row.
  expect(values).toMatchObject({
    header: ['result_column', 'result_value', 'result_rows', 'result_message', 'result_correction'],
    cells: [['institution_name', 'KCB', '3', expect.stringContaining('KCB'), '']],
  });
  expect((await desk.json(['validate', path])).summary.batches[0]?.counts).toEqual({ invalid: 4 });
  const corrected = await saved(desk, path, { 'Values!E2': 'KCB Bank Kenya' });
  const { summary } = await desk.json(['import', corrected]);
  expect(summary.batches.map(({ file, counts }) => [file, counts])).toEqual([
    ['payees.csv', { created: 3, invalid: 1 }],
  ]);
  const results = readCsv(await readFile(summary.batches[0]?.files.results ?? '', 'utf8'));
  expect(results.map((row) => row['institution_name'])).toEqual([
    ...Array(3).fill('KCB Bank Kenya'),
    'KCB Bank Kenya',
  ]);
  expect(results[0]?.['result_notes']).toContain('institution_name: corrected on the sheet Values');
  expect(results[3]?.['result_notes']).not.toContain('Values');
});

it('its lists name what the file calls things, and the institutions of its country', async () => {
  const desk = await openDesk();
  const { payee_type: _, ...row }: Record<string, string> = recipient(1, { account_number: '1.23E+9' });
  const rows = [{ Kind: 'Bank transfer', ...row }];
  const mapping = {
    columns: { Kind: 'payee_type' },
    values: { payee_type: { 'Bank transfer': 'bank_account' } },
  };
  await desk.write('m.json', JSON.stringify(mapping));
  await desk.run(['import', await desk.write('people.csv', csvOf([customer(1)]))]);
  const file = await desk.write('payees.csv', csvOf(rows));
  const { summary } = await desk.json(['import', file, '--mapping', 'm.json']);
  const path = summary.batches[0]?.files.failed_workbook ?? '';
  const values = (await readAll(await readFile(path))).tables.find(({ sheet }) => sheet === 'Lists');
  expect(values?.cells.flat()).toContain('KCB Bank Kenya');
  expect((await desk.json(['validate', path])).summary.batches[0]?.counts).toEqual({ invalid: 1 });
  expect((await desk.run(['validate', path])).stderr).not.toContain('left out');
});

it('a workbook that ends before the last row is imported as it is, without the sheet that says so', async () => {
  const desk = await openDesk();
  const path = join(desk.folder, 'people.failed.xlsx');
  const [first, second] = [customer(1), customer(2)];
  const workbook = new FailedWorkbook({
    path,
    header: Object.keys(first),
    batch: null,
    sheet: 'customers',
    choices: [],
    allRows: 'All are in people.failed.csv.',
    files: realFileSystem,
    mostRows: 1,
  });
  await workbook.write(
    [first, second].map((row, index) => ({
      row: index + 2,
      cells: Object.values(row),
      status: 'invalid' as const,
      objectId: null,
      code: null,
      field: null,
      message: null,
      notes: [],
    })),
  );
  await workbook.complete();
  await workbook.publish();
  const { summary } = await desk.json(['validate', path]);
  expect(summary.batches.map(({ sheet, counts }) => [sheet, counts])).toEqual([
    ['customers', { not_sent: 1 }],
  ]);
});

it('the files of a stopped run distinguish what a person corrects from what the next run sends', async () => {
  let requests = 0;
  const desk = await openDesk({
    onRequest: () => {
      requests += 1;
      return requests > 3 ? '401' : undefined;
    },
  });
  const people = customers(30).map((row, at) => (at % 10 === 5 ? { ...row, email: 'nobody' } : row));
  const file = await desk.write('people.csv', csvOf(people));
  const { stdout } = await desk.run(['import', file, '--concurrency', '1']);
  expect(stdout).toContain('3 for a person; 24 with nothing to correct\n');
  const { summary } = await desk.json(['import', file, '--concurrency', '1']);
  const { files, counts } = summary.batches[0] ?? {};
  expect(counts).toEqual({ created: 3, invalid: 3, not_sent: 24 });
  expect(await readFile(files?.report ?? '', 'utf8')).toContain('3 for a person; 24 with nothing to correct');
  const failed = readCsv(await readFile(files?.failed ?? '', 'utf8'));
  expect(failed).toHaveLength(27);
  expect(failed.filter((row) => row['result_notes']?.includes('nothing to correct'))).toHaveLength(24);
  const [sheet] = (await readAll(await readFile(files?.failed_workbook ?? ''))).tables;
  expect(sheet?.cells.slice(0, 4).map(([message]) => message?.split(':')[0])).toEqual([
    ...Array(3).fill('email'),
    'nothing to correct',
  ]);
  // Both are imported as they are, to the same end.
  requests = -1_000;
  const imported = await desk.json(['import', files?.failed_workbook ?? '']);
  expect(imported.summary.batches[0]?.counts).toEqual({ created: 24, invalid: 3 });
  const again = await desk.json(['import', files?.failed ?? '']);
  expect(again.summary.batches[0]?.counts).toEqual({ existing: 24, invalid: 3 });
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(27);
});
