import { afterEach, describe, expect, it } from 'vitest';
import { type ReadTable, readAll, readTable, refusalOf, removeTemporaryFiles } from '../../reading.ts';
import { type OdsContent, ods, odsRow, odsSheet, odsText } from './archive.ts';

afterEach(removeTemporaryFiles);

const HEADER = odsRow(odsText('a') + odsText('b') + odsText('c'));

/** A file of one sheet with that header and those rows. */
async function tableOf(rows: string, more: Partial<OdsContent> = {}): Promise<ReadTable> {
  return readTable(ods({ sheets: odsSheet(HEADER + rows), ...more }));
}

async function onlyCell(cell: string, more: Partial<OdsContent> = {}) {
  const { rows } = await tableOf(odsRow(`<table:table-cell/>${cell}${odsText('z')}`), more);
  return { text: rows[0]?.cells[1], kind: rows[0]?.kinds?.get(1) };
}

function float(value: string, style: string): string {
  return `<table:table-cell table:style-name="${style}" office:value-type="float" office:value="${value}"><text:p>shown</text:p></table:table-cell>`;
}

function cellStyle(name: string, format: string): string {
  return `<style:style style:name="${name}" style:family="table-cell" style:data-style-name="${format}"/>`;
}

function numberStyle(name: string, content: string): string {
  return `<number:number-style style:name="${name}">${content}</number:number-style>`;
}

const zeros = (digits: number) =>
  `<number:number number:decimal-places="0" number:min-integer-digits="${digits}"`;

describe('a cell', () => {
  it.each([
    ['text', odsText('x &amp; y'), 'x & y', undefined],
    [
      'text with spans, a link, spaces, a tab and a line break',
      odsText(
        'a<text:span>b</text:span><text:a>c</text:a><text:s text:c="2"/>d<text:s/>e<text:tab/>f<text:line-break/>g',
      ),
      'abc  d e\tf\ng',
      undefined,
    ],
    [
      'paragraphs',
      '<table:table-cell office:value-type="string"><text:p>one</text:p><text:p/><text:p>two</text:p></table:table-cell>',
      'one\n\ntwo',
      undefined,
    ],
    [
      'text with a comment',
      '<table:table-cell office:value-type="string"><office:annotation><text:p>no</text:p></office:annotation><text:p>yes</text:p></table:table-cell>',
      'yes',
      undefined,
    ],
    [
      'text with a reading aid',
      odsText('<text:ruby><text:ruby-base>東</text:ruby-base><text:ruby-text>x</text:ruby-text></text:ruby>'),
      '東',
      undefined,
    ],
    [
      'a value that is shown differently',
      '<table:table-cell office:value-type="string" office:string-value="real"><text:p>shown</text:p></table:table-cell>',
      'real',
      undefined,
    ],
    ['text without a type', '<table:table-cell><text:p>x</text:p></table:table-cell>', 'x', undefined],
    ['a number', float('254712345678', ''), '254712345678', 'number'],
    ['a number with an exponent', float('1.23456789012346E+019', ''), '12345678901234600000', 'number'],
    [
      'a percentage',
      '<table:table-cell office:value-type="percentage" office:value="0.25"/>',
      '0.25',
      'number',
    ],
    [
      'an amount of money',
      '<table:table-cell office:value-type="currency" office:value="5.10"/>',
      '5.1',
      'number',
    ],
    [
      'a day',
      '<table:table-cell office:value-type="date" office:date-value="2023-03-15"/>',
      '2023-03-15',
      'date',
    ],
    [
      'a moment',
      '<table:table-cell office:value-type="date" office:date-value="2023-03-15T06:10:00"/>',
      '2023-03-15 06:10:00',
      'date',
    ],
    [
      'a moment just before midnight',
      '<table:table-cell office:value-type="date" office:date-value="2023-03-14T23:59:59.999999"/>',
      '2023-03-15',
      'date',
    ],
    [
      'a day that does not exist',
      '<table:table-cell office:value-type="date" office:date-value="2023-02-30T10:00:00.9"/>',
      '2023-02-30 10:00:00',
      'date',
    ],
    [
      'a time of day',
      '<table:table-cell office:value-type="time" office:time-value="PT06H00M00S"/>',
      '0.25',
      'number',
    ],
    [
      'a long time',
      '<table:table-cell office:value-type="time" office:time-value="PT36H"/>',
      '1.5',
      'number',
    ],
    [
      'true',
      '<table:table-cell office:value-type="boolean" office:boolean-value="true"/>',
      'TRUE',
      'boolean',
    ],
    [
      'an error',
      '<table:table-cell table:formula="of:=1/0" office:value-type="string" office:string-value="" calcext:value-type="error"><text:p>#DIV/0!</text:p></table:table-cell>',
      '#DIV/0!',
      'error',
    ],
    ['an error without a text', '<table:table-cell calcext:value-type="error"/>', '#ERROR!', 'error'],
    [
      'an error kept as a number',
      '<table:table-cell table:formula="of:=NA()" office:value-type="float" office:value="0"><text:p>#N/A</text:p></table:table-cell>',
      '#N/A',
      'error',
    ],
    [
      'an error of a kind of its own',
      '<table:table-cell table:formula="of:=X(" office:value-type="float" office:value="0"><text:p>Err:508</text:p></table:table-cell>',
      'Err:508',
      'error',
    ],
    [
      'a formula',
      '<table:table-cell table:formula="of:=1+1" office:value-type="float" office:value="2"/>',
      '2',
      'number',
    ],
    [
      'a formula of empty text',
      '<table:table-cell table:formula="of:=&quot;&quot;"><text:p/></table:table-cell>',
      '',
      undefined,
    ],
    ['a formula without a value', '<table:table-cell table:formula="of:=A1"/>', '', 'formula_without_value'],
    [
      'a covered cell with a value',
      '<table:covered-table-cell office:value-type="string"><text:p>under</text:p></table:covered-table-cell>',
      'under',
      undefined,
    ],
  ])('%s', async (_, cell, text, kind) => {
    expect(await onlyCell(cell)).toEqual({ text, kind });
  });

  it.each([
    ['a number that is none', float('0x10', '')],
    ['a number beyond all numbers', float('1e999', '')],
    ['a number without its value', '<table:table-cell office:value-type="float"/>'],
    ['neither true nor false', '<table:table-cell office:value-type="boolean" office:boolean-value="x"/>'],
    ['no time of day', '<table:table-cell office:value-type="time" office:time-value="noon"/>'],
    ['an unknown type', '<table:table-cell office:value-type="money" office:value="1"/>'],
    ['a cell repeated no number of times', odsText('x', 'table:number-columns-repeated="-1"')],
  ])('%s: the file is damaged', async (_, cell) => {
    const content = ods({ sheets: odsSheet(HEADER + odsRow(cell)) });
    expect((await refusalOf(content)).code).toBe('file_damaged');
  });
});

describe('leading zeros', () => {
  const literal = '<number:text>+</number:text>';
  it.each([
    ['placeholders', `${zeros(5)}/>`, '420', '00420'],
    ['a literal before them', `${literal}${zeros(12)}/>`, '254712345678', '+254712345678'],
    [
      'a literal inside them',
      `${zeros(6)}><number:embedded-text number:position="3">-</number:embedded-text></number:number>`,
      '1234',
      '001-234',
    ],
  ])('%s: what is shown', async (_, format, value, text) => {
    const commonStyles = numberStyle('N', format) + cellStyle('P', 'N');
    const styles = '<style:style style:name="c" style:family="table-cell" style:parent-style-name="P"/>';
    expect(await onlyCell(float(value, 'c'), { styles, commonStyles })).toEqual({
      text,
      kind: 'shown_number',
    });
  });

  it.each([
    ['too few placeholders', `${zeros(3)}/>`],
    ['decimals', '<number:number number:decimal-places="2" number:min-integer-digits="5"/>'],
    ['no word on decimals', '<number:number number:min-integer-digits="5"/>'],
    ['groups of thousands', `${zeros(5)} number:grouping="true"/>`],
    ['shown in thousands', `${zeros(5)} number:display-factor="1000"/>`],
    ['another format for some values', `${zeros(5)}/><style:map/>`],
    [
      'a literal outside the number',
      `${zeros(5)}><number:embedded-text number:position="9">-</number:embedded-text></number:number>`,
    ],
  ])('%s: the number itself', async (_, format) => {
    const styles = numberStyle('N', format) + cellStyle('c', 'N');
    expect(await onlyCell(float('4200', 'c'), { styles })).toEqual({ text: '4200', kind: 'number' });
  });

  it('come from the style of the column, or of the row, where the cell has none', async () => {
    const styles = numberStyle('N', `${zeros(5)}/>`) + cellStyle('c', 'N');
    const cell = '<table:table-cell office:value-type="float" office:value="7"/>';
    const columns =
      '<table:table-column table:number-columns-repeated="2"/><table:table-column table:default-cell-style-name="c"/>';
    const sheets = odsSheet(
      columns + HEADER + odsRow(cell + cell + cell) + odsRow(cell, 'table:default-cell-style-name="c"'),
    );
    expect((await readTable(ods({ sheets, styles }))).cells).toEqual([
      ['7', '7', '00007'],
      ['00007', '', ''],
    ]);
  });
});

describe('rows', () => {
  it('have the numbers that a spreadsheet program shows, with blank and repeated ones counted', async () => {
    const { rows } = await tableOf(
      odsRow('<table:table-cell/>', 'table:number-rows-repeated="3"') +
        odsRow(odsText('x', 'table:number-columns-repeated="2"'), 'table:number-rows-repeated="2"') +
        `<table:table-row-group>${odsRow(odsText('y'))}</table:table-row-group>` +
        odsRow(
          '<table:table-cell table:number-columns-repeated="16384"/>',
          'table:number-rows-repeated="1048569"',
        ),
    );
    expect(rows.map(({ number, cells }) => [number, cells])).toEqual([
      [5, ['x', 'x', '']],
      [6, ['x', 'x', '']],
      [7, ['y', '', '']],
    ]);
  });

  it('that are repeated can be changed one by one', async () => {
    const { rows } = await tableOf(odsRow(odsText('x'), 'table:number-rows-repeated="2"'));
    expect(rows[0]?.cells).not.toBe(rows[1]?.cells);
  });

  it('below the last one of any sheet are refused', async () => {
    const below = odsRow('', 'table:number-rows-repeated="1048575"') + odsRow(odsText('x'));
    expect((await refusalOf(ods({ sheets: odsSheet(HEADER + below) }))).code).toBe('limit_exceeded');
  });
});

describe('sheets', () => {
  it('are all read but for empty ones; hidden parts and merged cells are noted', async () => {
    const styles =
      '<style:style style:name="hidden" style:family="table"><style:table-properties table:display="false"/></style:style>';
    const columns =
      '<table:table-column/><table:table-column table:visibility="collapse" table:number-columns-repeated="2"/>';
    const rows =
      odsRow(odsText('x', 'table:number-columns-spanned="2"')) +
      odsRow(odsText('y'), 'table:visibility="filter"');
    const { tables } = await readAll(
      ods({
        sheets:
          odsSheet(columns + HEADER + rows, 'One') +
          odsSheet(odsRow('<table:table-cell/>'), 'Two') +
          odsSheet(HEADER, 'Three', 'table:style-name="hidden"') +
          odsSheet(HEADER, '&apos;file:///other.ods&apos;#$Sheet1'),
        styles,
      }),
    );
    expect(tables.map(({ sheet }) => sheet)).toEqual(['One', 'Three']);
    expect(tables[0]?.rows.map((row) => row.notes)).toEqual([undefined, ['hidden row']]);
    expect(tables.map(({ notes }) => notes)).toEqual([
      [
        'sheet "Two" is not read: it is empty',
        'hidden columns are read like the others: B to C',
        'there are merged cells; their value counts for the first cell only, the others are empty',
      ],
      ['the sheet is hidden'],
    ]);
  });

  it('can be asked for by name, and have their header where isHeader finds it', async () => {
    const titled = odsRow(odsText('Payments')) + odsRow('') + HEADER + odsRow(odsText('1'));
    const content = ods({ sheets: odsSheet(HEADER, 'One') + odsSheet(titled, 'Two') });
    const isHeader = (cells: readonly string[]) => cells.includes('b');
    const { sheet, headerRow, cells } = await readTable(content, { sheet: 'TWO', isHeader });
    expect([sheet, headerRow, cells]).toEqual(['Two', 3, [['1', '', '']]]);
    expect((await refusalOf(content, { sheet: 'Six' })).code).toBe('sheet_not_found');
  });

  it('inside drawings, and what has changed, are no rows', async () => {
    const inner = odsSheet(odsRow(odsText('no')), 'Inner');
    const sheets = `<table:tracked-changes>${inner}</table:tracked-changes>${odsSheet(
      `<table:shapes>${inner}</table:shapes>${HEADER}${odsRow(odsText('yes'))}`,
    )}`;
    expect((await readTable(ods({ sheets }))).cells).toEqual([['yes', '', '']]);
  });

  it('without any, the file is damaged; with empty ones only, it is empty', async () => {
    expect((await refusalOf(ods({ sheets: '' }))).code).toBe('file_damaged');
    expect((await refusalOf(ods({ sheets: odsSheet('') }))).code).toBe('empty_file');
  });
});
