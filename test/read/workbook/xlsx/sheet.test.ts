import { afterEach, describe, expect, it } from 'vitest';
import { textRow, type WorkbookXml, workbook, workbookParts, zip } from '../../../support/workbook.ts';
import { readAll, readTable, refusalOf, removeTemporaryFiles } from '../../reading.ts';

afterEach(removeTemporaryFiles);

const HEADER = textRow(1, ['a', 'b', 'c']);

/** One sheet with the header a, b, c in row 1, and these rows. */
function sheet(rows: string, more: Partial<WorkbookXml> = {}): Buffer {
  return workbook({ sheets: [{ name: 'List', rows: HEADER + rows }], ...more });
}

async function onlyCell(cell: string, more: Partial<WorkbookXml> = {}) {
  const { rows } = await readTable(
    sheet(`<row r="2"><c r="A2" t="inlineStr"><is><t>x</t></is></c>${cell}</row>`, more),
  );
  return { text: rows[0]?.cells[1], kind: rows[0]?.kinds?.get(1) };
}

describe('cells', () => {
  it.each([
    ['a number', '<c r="B2"><v>12.5</v></c>', '12.5', 'number'],
    ['a number as it is stored', '<c r="B2"><v>4.2000000000000003E-2</v></c>', '0.042', 'number'],
    ['a long number', '<c r="B2" t="n"><v>123456789012</v></c>', '123456789012', 'number'],
    ['a percentage', '<c r="B2" s="1"><v>0.25</v></c>', '0.25', 'number'],
    ['leading zeros', '<c r="B2" s="2"><v>420</v></c>', '00420', 'shown_number'],
    ['a date', '<c r="B2" s="3"><v>45000</v></c>', '2023-03-15', 'date'],
    ['a built-in date', '<c r="B2" s="4"><v>45000.25</v></c>', '2023-03-15 06:00:00', 'date'],
    ['a red number', '<c r="B2" s="5"><v>45000</v></c>', '45000', 'number'],
    ['a time of day', '<c r="B2" s="6"><v>0.5</v></c>', '0.5', 'number'],
    ['a date written as text', '<c r="B2" t="d"><v>2026-11-21T00:00:00</v></c>', '2026-11-21', 'date'],
    ['true', '<c r="B2" t="b"><v>1</v></c>', 'TRUE', 'boolean'],
    ['false', '<c r="B2" t="b"><v>0</v></c>', 'FALSE', 'boolean'],
    ['an error', '<c r="B2" t="e"><f>1/0</f><v>#DIV/0!</v></c>', '#DIV/0!', 'error'],
    ['a formula', '<c r="B2"><f>1+1</f><v>2</v></c>', '2', 'number'],
    ['a formula of text', '<c r="B2" t="str"><f>"x"</f><v>x</v></c>', 'x', undefined],
    ['a formula of empty text', '<c r="B2" t="str"><f>""</f><v></v></c>', '', undefined],
    ['a formula without a value', '<c r="B2"><f>A1</f></c>', '', 'formula_without_value'],
    ['a formula with an empty value', '<c r="B2"><f>A1</f><v/></c>', '', 'formula_without_value'],
    ['a shared formula without a value', '<c r="B2"><f t="shared" si="0"/></c>', '', 'formula_without_value'],
    ['a shared text', '<c r="B2" t="s"><v>0</v></c>', 'shared & <text>', undefined],
    ['shared rich text', '<c r="B2" t="s"><v>1</v></c>', 'one two', undefined],
    ['text with a phonetic guide', '<c r="B2" t="s"><v>2</v></c>', '東京', undefined],
    ['an empty shared text', '<c r="B2" t="s"><v>3</v></c>', '', undefined],
    ['escaped characters', '<c r="B2" t="s"><v>4</v></c>', 'a\rb_x000D_', undefined],
    [
      'inline rich text',
      '<c r="B2" t="inlineStr"><is><r><t>on</t></r><r><rPr/><t>e</t></r></is></c>',
      'one',
      undefined,
    ],
    [
      'inline text with a guide',
      '<c r="B2" t="inlineStr"><is><t>東</t><rPh><t>x</t></rPh></is></c>',
      '東',
      undefined,
    ],
    ['text in CDATA', '<c r="B2" t="inlineStr"><is><t><![CDATA[<b>]]></t></is></c>', '<b>', undefined],
    ['white space', '<c r="B2" t="inlineStr"><is><t xml:space="preserve"> x </t></is></c>', ' x ', undefined],
    [
      'inline text beside a value',
      '<c r="B2" t="inlineStr"><v>00100</v><is><t>00100</t></is></c>',
      '00100',
      undefined,
    ],
    [
      'inline text before a value',
      '<c r="B2" t="inlineStr"><is><t>Bell</t></is><v>Bell</v></c>',
      'Bell',
      undefined,
    ],
    ['empty inline text beside a value', '<c r="B2" t="inlineStr"><v>1</v><is><t/></is></c>', '', undefined],
    ['an inline cell with a value only', '<c r="B2" t="inlineStr"><v>Bell</v></c>', 'Bell', undefined],
    ['inline text in a numeric cell', '<c r="B2"><v>10</v><is><t>0</t></is></c>', '10', 'number'],
    [
      'inline text in a shared cell',
      '<c r="B2" t="s"><v>0</v><is><t>x</t></is></c>',
      'shared & <text>',
      undefined,
    ],
    ['a styled empty cell', '<c r="B2" s="2"/>', '', undefined],
    ['a number kept as text', '<c r="B2" t="str"><v>00420</v></c>', '00420', undefined],
  ])('%s', async (_, cell, text, kind) => {
    const texts = [
      '<t>shared &amp; &lt;text&gt;</t>',
      '<r><rPr><b/></rPr><t xml:space="preserve">one </t></r><r><t>two</t></r>',
      '<t>東京</t><rPh sb="0" eb="2"><t>とうきょう</t></rPh><phoneticPr fontId="1"/>',
      '<t/>',
      '<t>a_x000D_b_x005F_x000D_</t>',
    ];
    const formats = ['0.00%', '00000', 'yyyy\\-mm\\-dd', 22, '[Red]0.00', 'h:mm'];
    expect(await onlyCell(cell, { texts, formats })).toEqual({ text, kind });
  });

  it('dates are counted from 1904 where the workbook says so', async () => {
    const more = { formats: [14], workbookProperties: '<workbookPr date1904="1"/>' };
    expect((await onlyCell('<c r="B2" s="1"><v>43538</v></c>', more)).text).toBe('2023-03-15');
  });

  it.each([
    ['a missing shared text', '<c r="B2" t="s"><v>7</v></c>'],
    ['a shared text of no number', '<c r="B2" t="s"><v>x</v></c>'],
    ['a missing style', '<c r="B2" s="99"><v>1</v></c>'],
    ['a number that is none', '<c r="B2"><v>0x10</v></c>'],
    ['a number beyond all numbers', '<c r="B2"><v>1e999</v></c>'],
    ['an unknown type', '<c r="B2" t="z"><v>1</v></c>'],
    ['two values', '<c r="B2"><v>10</v><v>0</v></c>'],
    ['two inline texts', '<c r="B2" t="inlineStr"><is><t>10</t></is><is><t>0</t></is></c>'],
    ['a cell of another row', '<c r="B3"><v>1</v></c>'],
    ['a cell before the last one', '<c r="A2"><v>1</v></c>'],
    ['a reference that is none', '<c r="22"><v>1</v></c>'],
    ['a column that no sheet has', '<c r="XFE2"><v>1</v></c>'],
  ])('%s: the file is damaged', async (_, cell) => {
    const content = sheet(`<row r="2"><c r="A2"><v>1</v></c>${cell}</row>`, { texts: ['<t>x</t>'] });
    expect((await refusalOf(content)).code).toBe('file_damaged');
  });
});

describe('the names of parts', () => {
  const parts = workbookParts({
    sheets: [{ name: 'S', rows: HEADER + textRow(2, ['x', 'y', 'z']) }],
    texts: ['<t>x</t>'],
    formats: ['00000'],
  });
  const renamed = (rename: (name: string) => string) =>
    parts.map((part) => ({ ...part, name: rename(part.name) }));

  it.each([
    ['the shared texts', (name: string) => name.replace('sharedStrings', 'SharedStrings')],
    ['the sheet', (name: string) => name.replace('sheet1.xml', 'SHEET1.XML')],
    ['all of them', (name: string) => name.toUpperCase()],
  ])('may be in another case than what refers to them: %s', async (_, rename) => {
    expect((await readTable(zip(renamed(rename)))).cells).toEqual([['x', 'y', 'z']]);
  });

  it('count in the exact case where two differ in nothing else', async () => {
    const other = { name: 'xl/SharedStrings.xml', data: '<sst/>' };
    expect((await readTable(zip([other, ...parts]))).cells).toEqual([['x', 'y', 'z']]);
    const others = [...renamed((name) => name.replace('sharedStrings', 'SHAREDSTRINGS')), other];
    expect((await refusalOf(zip(others))).code).toBe('file_damaged');
  });
});

describe('rows', () => {
  it('have the numbers that a spreadsheet program shows; blank ones are skipped', async () => {
    const content = sheet(`<row r="2"><c r="A2" s="0"/></row><row r="4" ht="20"/>${textRow(7, ['x'])}`);
    expect((await readTable(content)).rows).toEqual([{ number: 7, cells: ['x', '', ''] }]);
  });

  it('may leave their own and their cells’ places out', async () => {
    const content = sheet(
      '<row><c><v>1</v></c><c/><c t="b"><v>1</v></c></row><row r="9"><c r="B9"><v>2</v></c><c><v>3</v></c></row><row><c><v>4</v></c></row>',
    );
    const { rows } = await readTable(content);
    expect(rows.map((row) => [row.number, row.cells])).toEqual([
      [2, ['1', '', 'TRUE']],
      [9, ['', '2', '3']],
      [10, ['4', '', '']],
    ]);
  });

  it('are refused when out of order', async () => {
    expect((await refusalOf(sheet(textRow(3, ['x']) + textRow(2, ['y'])))).code).toBe('file_damaged');
    expect((await refusalOf(sheet(textRow(2, ['x']) + textRow(2, ['y'])))).code).toBe('file_damaged');
    expect((await refusalOf(sheet('<row r="1048577"><c><v>1</v></c></row>'))).code).toBe('file_damaged');
  });

  it('are found at the last row of a sheet, without all those in between', async () => {
    const { rows } = await readTable(sheet('<row r="1048576"><c r="C1048576"><v>1</v></c></row>'));
    expect(rows.map((row) => row.number)).toEqual([1048576]);
  });

  it('are refused when the last column of a sheet has a value', async () => {
    const refusal = await refusalOf(sheet('<row r="2"><c r="XFD2"><v>1</v></c></row>'));
    expect([refusal.code, refusal.row]).toEqual(['limit_exceeded', 2]);
    expect(refusal.message).toContain('XFD');
    expect(
      (await readTable(sheet('<row r="2"><c r="A2"><v>1</v></c><c r="XFD2" s="0"/></row>'))).rows,
    ).toHaveLength(1);
  });

  it('with a formula without value alone are not blank', async () => {
    const { rows } = await readTable(sheet('<row r="2"><c r="E2"><f>1</f></c></row>'));
    expect(rows[0]?.cells).toEqual(['', '', '', '', '']);
  });

  it('do not depend on the dimension that the sheet states', async () => {
    const before = '<dimension ref="A1:A1"/>';
    const content = workbook({ sheets: [{ name: 'S', before, rows: HEADER + textRow(2, ['x', 'y', 'z']) }] });
    expect((await readTable(content)).cells).toEqual([['x', 'y', 'z']]);
  });

  it('are read where elements have a namespace prefix', async () => {
    const parts = workbookParts({ sheets: [{ name: 'S', rows: HEADER + textRow(2, ['x']) }] });
    const prefixed = parts.map((part) => {
      if (!/sheet1|workbook\.xml$/.test(part.name)) return part;
      const data = String(part.data)
        .replace(/<(\/?)(\w)/g, '<$1x:$2')
        .replace('xmlns=', 'xmlns:x=');
      return { ...part, data };
    });
    expect((await readTable(zip(prefixed))).cells).toEqual([['x', '', '']]);
  });
});

describe('what is hidden or merged', () => {
  it('is read, and noted', async () => {
    const content = workbook({
      sheets: [
        {
          name: 'Secret',
          state: 'veryHidden',
          before: '<cols><col min="2" max="3" hidden="1"/><col min="5" max="5" hidden="true"/></cols>',
          rows: `${HEADER}<row r="2" hidden="1"><c r="A2"><v>1</v></c></row>${textRow(3, ['x'])}`,
          after: '<mergeCells count="1"><mergeCell ref="A3:B3"/></mergeCells>',
        },
      ],
    });
    const { rows, notes } = await readTable(content);
    expect(rows.map((row) => row.notes)).toEqual([['hidden row'], undefined]);
    expect(notes).toEqual([
      'the sheet is hidden',
      'hidden columns are read like the others: B to C, E',
      'there are merged cells; their value counts for the first cell only, the others are empty',
    ]);
  });
});

describe('a sheet whose rows are hidden by default', () => {
  it('shows the rows that it has: programs leave out the hidden ones, or say so of each', async () => {
    const content = workbook({
      sheets: [
        {
          name: 'Data',
          before: '<sheetFormatPr defaultRowHeight="15" zeroHeight="1"/>',
          rows: `${HEADER}${textRow(2, ['x'])}<row r="3" hidden="1"><c r="A3"><v>1</v></c></row>`,
        },
      ],
    });
    const { rows } = await readTable(content);
    expect(rows.map((row) => row.notes)).toEqual([undefined, ['hidden row']]);
  });
});

describe('sheets', () => {
  const content = workbook({
    sheets: [
      { name: 'Chart', rows: '', type: 'chartsheet' },
      { name: 'Empty', rows: '' },
      { name: 'Customers', rows: textRow(1, ['name']) + textRow(2, ['x']) },
      { name: 'Großer & "Plan"', rows: textRow(1, ['id']) },
    ],
  });

  it('are all read, but for charts and empty ones, which are noted', async () => {
    const { tables } = await readAll(content);
    expect(tables.map((table) => [table.sheet, table.header])).toEqual([
      ['Customers', ['name']],
      ['Großer & "Plan"', ['id']],
    ]);
    expect(tables[0]?.notes).toEqual([
      'sheet "Chart" is not read: it has no cells',
      'sheet "Empty" is not read: it is empty',
    ]);
  });

  it('can be asked for by name, in any case', async () => {
    expect((await readTable(content, { sheet: 'CUSTOMERS' })).sheet).toBe('Customers');
    expect((await refusalOf(content, { sheet: 'Empty' })).code).toBe('empty_file');
    const refusal = await refusalOf(content, { sheet: 'Suppliers' });
    expect([refusal.code, JSON.stringify(refusal.remedies).includes('Customers')]).toEqual([
      'sheet_not_found',
      true,
    ]);
  });

  it('have their header where isHeader finds it', async () => {
    const rows = textRow(2, ['Payments']) + textRow(4, ['id', ' name ']) + textRow(5, ['1', 'x']);
    const table = await readTable(workbook({ sheets: [{ name: 'S', rows }] }), {
      isHeader: (cells) => cells.includes('name'),
    });
    expect([table.header, table.headerRow, table.cells]).toEqual([['id', 'name'], 4, [['1', 'x']]]);
  });

  it('may have headers of any name', async () => {
    const rows = textRow(1, ['__proto__', 'constructor']) + textRow(2, ['1', '2']);
    const table = await readTable(workbook({ sheets: [{ name: '__proto__', rows }] }));
    expect([table.sheet, table.header, table.cells]).toEqual([
      '__proto__',
      ['__proto__', 'constructor'],
      [['1', '2']],
    ]);
  });
});
