import { describe, expect, it } from 'vitest';
import { html } from '../../src/account/report/page.ts';
import {
  actions,
  cellText,
  cellValue,
  csvOfTable,
  figure,
  type Table,
  tableMark,
  withColumns,
} from '../../src/account/table.ts';
import { readCsvLines } from '../support/cli-files.ts';

const table: Table = {
  title: 'People <1>',
  columns: ['Name', actions, figure('Rows'), figure('Sum'), 'Nothing'],
  rows: [
    ['=HYPERLINK("http://evil.example")', { text: '', shown: html`<button>Lock</button>` }, 2, null, null],
    [{ text: '+254 700', shown: html`<a href="/x">${'+254 700'}</a>` }, null, null, null, ''],
    ['a "quoted", cell', null, 3, { amount: '1000.5', currency: 'USD' }, null],
  ],
  totals: [['all', null, 1_005, { amount: '1000.5', currency: 'USD' }, null]],
};

describe('a cell', () => {
  it('is written for people with the decimals of its currency, and says of how many rows it is the sum', () => {
    expect(cellText({ amount: '1000.5', currency: 'USD' })).toBe('1,000.50');
    expect(cellText({ amount: '6898301', currency: 'XOF' })).toBe('6,898,301');
    expect(cellText({ amount: '5', currency: 'KES', partOf: { rows: 5, all: 7 } })).toBe(
      '5.00 (5 of 7 rows)',
    );
    expect(cellText({ amount: '5', currency: 'KES', partOf: { rows: 7, all: 7 } })).toBe('5.00');
    expect([cellText(1_234_567), cellText(null), cellText({ status: 'not_sent' })]).toEqual([
      ...['1,234,567', '', 'not sent'],
    ]);
  });

  it('is written for programs without signs between thousands', () => {
    expect(cellValue(1_234_567)).toBe('1234567');
    expect(cellValue({ amount: '1234567.5', currency: 'KES' })).toBe('1234567.50');
    expect(cellValue({ code: 'payee_details_changed' })).toBe('payee_details_changed');
    expect(cellValue({ time: '2026-11-20T10:00:00.123Z' })).toBe('2026-11-20 10:00:00 UTC');
  });
});

it('as CSV has its titles and its total, leaves columns of buttons out, and guards what would be a formula', () => {
  const text = csvOfTable(table);
  expect(text.startsWith('\uFEFFName,Rows,Sum,Nothing\r\n')).toBe(true);
  expect(readCsvLines(text)).toEqual([
    ['Name', 'Rows', 'Sum', 'Nothing'],
    ['\'=HYPERLINK("http://evil.example")', '2', '', ''],
    ["'+254 700", '', '', ''],
    ['a "quoted", cell', '3', '1000.50', ''],
    ['all', '1005', '1000.50', ''],
  ]);
});

it('as markup has its figures at the right, its total at the foot, and no column of which nothing is filled', () => {
  const { text } = tableMark(table);
  expect(text).toContain('<th scope="col" class="number">Rows</th>');
  expect(text).not.toContain('Nothing');
  expect(text).toMatch(/<tfoot>\n<tr>.*>all<.*>1,005<.*>1,000\.50<.*<\/tr>\n<\/tfoot>/);
  expect(text).toContain('aria-label="People &lt;1&gt;"');
  expect(text).toContain('<th scope="col">Name</th><td></td><th scope="col" class="number">Rows</th>');
});

it('can be shown with some of its columns', () => {
  const { columns, rows, totals } = withColumns(table, ['Sum', 'Name']);
  expect(columns).toEqual([figure('Sum'), { title: 'Name', kind: 'text' }]);
  expect(rows[2]).toEqual([{ amount: '1000.5', currency: 'USD' }, 'a "quoted", cell']);
  expect(totals?.[0]?.[1]).toBe('all');
});
