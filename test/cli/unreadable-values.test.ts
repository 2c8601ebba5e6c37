import { expect, it } from 'vitest';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers, readCsv } from '../support/cli-files.ts';
import { textRow, workbook } from '../support/workbook.ts';

it('values with a NUL or half a character are refused, and their failed file can be corrected and imported', async () => {
  const desk = await openDesk();
  const header = ['external_id', 'first_name', 'last_name'];
  // As workbooks write characters that XML does not have.
  const rows = [
    textRow(1, header),
    textRow(2, ['C-1', 'a_x0000_b', 'Odhiambo']),
    textRow(3, ['C-2', 'a_xD800_b', 'Odhiambo']),
    textRow(4, ['C-3', 'a_x0007_b', 'Odhiambo']),
    textRow(5, ['C-4', '_x001B_[31mb', 'Odhiambo']),
  ];
  const book = await desk.write(
    'people.xlsx',
    workbook({ sheets: [{ name: 'customers', rows: rows.join('') }] }),
  );
  const first = await desk.json(['import', book]);
  expect(first.summary.batches[0]?.counts).toEqual({ invalid: 4 });
  expect((await desk.results()).map(({ result_code }) => result_code)).toEqual(
    Array.from({ length: 4 }, () => 'invalid_characters'),
  );
  const failed = await desk.resultText('.failed.csv');
  expect(failed).not.toMatch(/[^\P{Cc}\r\n]/u);
  expect(failed).toContain(',␛[31mb,');
  const unchanged = await desk.json(['import', await desk.write('unchanged.csv', failed)]);
  expect(unchanged.summary.batches[0]?.counts).toEqual({ invalid: 4 });
  const corrected = readCsv(failed).map((record, index) => ({ ...record, first_name: `Amina${index}` }));
  const second = await desk.json(['import', await desk.write('corrected.csv', csvOf(corrected))]);
  expect(second.summary.batches[0]?.counts).toEqual({ created: 4 });
});

it('the same content under two names is said, and its files are under the first', async () => {
  const desk = await openDesk();
  const content = csvOf(customers(2));
  const files = [await desk.write('monday.csv', content), await desk.write('tuesday.csv', content)];
  const checked = await desk.run(['validate', ...files]);
  expect(checked.stderr).toContain('tuesday.csv: the same content as monday.csv');
  expect(checked.stdout).toContain('monday.csv · customers');
  expect(checked.stdout).not.toContain('tuesday.csv ·');
  const imported = await desk.run(['import', ...files]);
  expect(imported.stderr).toContain('tuesday.csv: the same content as monday.csv');
  expect((await desk.resultNames()).filter((name) => name.startsWith('tuesday'))).toEqual([]);
  const report = (await desk.resultNames()).find((name) => /^monday\.[\da-f]{8}\.report\.html$/.test(name));
  expect(await desk.resultText(report ?? '')).toContain('tuesday.csv');
  expect(await desk.results('monday')).toHaveLength(2);
  const later = await desk.run(['import', 'tuesday.csv']);
  expect(later.stderr).toContain('tuesday.csv: the same content as monday.csv, which was taken in before');
  expect((await desk.run(['import', 'monday.csv'])).stderr).not.toContain('same content');
});
