import { expect, it } from 'vitest';
import { codeCell, html } from '../../../src/output/report/page.ts';
import { statusCell } from '../../../src/output/report/sections.ts';
import { csvOfTable, textOf, textOfCell } from '../../../src/output/report/table-text.ts';
import { readCsvLines } from '../../support/cli-files.ts';

it.each([
  [html`<a href="/a?x=1&amp;y=">${'Müller & "Söhne" <AG>'}</a>`, 'Müller & "Söhne" <AG>'],
  [statusCell('not_sent'), 'not sent'],
  [codeCell('payee_details_changed') ?? html``, 'payee_details_changed'],
  [html`<div>one</div><div>two</div>`, 'one; two'],
  [html`a<br>b<br>`, 'a; b'],
  [
    html`<span class="number">1,200.00 KES</span><br><span class="number">3.00 EUR</span>`,
    '1,200.00 KES; 3.00 EUR',
  ],
  [html`<b>x</b><span class="visually-hidden">: y</span>`, 'x'],
  [html`<a title="${'>"<b>'}">${'&lt;'}</a>`, '&lt;'],
  [html``, ''],
])('reads what markup says', (markup, text) => {
  expect(textOf(markup)).toBe(text);
});

it('writes numbers and amounts as programs read them', () => {
  expect(textOfCell(1_234_567)).toBe('1234567');
  expect(textOfCell({ amount: '1234567.5', currency: 'KES' })).toBe('1234567.50');
  expect(textOfCell(null)).toBe('');
});

it('has the titles of the page, leaves columns of buttons out, and guards what would be a formula', () => {
  const text = csvOfTable({
    columns: ['Name', '', 'Rows'],
    rows: [
      ['=HYPERLINK("http://evil.example")', html`<button>Lock</button>`, 2],
      [html`<a href="/x">${'+254 700'}</a>`, null, null],
      ['a "quoted", cell', null, 3],
    ],
  });
  expect(text.startsWith('\uFEFFName,Rows\r\n')).toBe(true);
  expect(readCsvLines(text)).toEqual([
    ['Name', 'Rows'],
    ['\'=HYPERLINK("http://evil.example")', '2'],
    ["'+254 700", ''],
    ['a "quoted", cell', '3'],
  ]);
});
