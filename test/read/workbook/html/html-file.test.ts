import iconv from 'iconv-lite';
import { afterEach, describe, expect, it } from 'vitest';
import { openInput } from '../../../../src/read/sources/open-file.ts';
import {
  readAll,
  readTable,
  refusalOf,
  removeTemporaryFiles,
  seededRandom,
  temporaryFile,
} from '../../reading.ts';

afterEach(removeTemporaryFiles);

const page = (body: string, head = ''): string => `<html><head>${head}</head><body>${body}</body></html>\n`;
const table = (rows: string): string => page(`<table border=1>${rows}</table>`);
const row = (...cells: readonly string[]): string =>
  `<tr>${cells.map((cell) => (cell.startsWith('<t') ? cell : `<td>${cell}</td>`)).join('')}</tr>`;

const cellsOf = async (content: string | Buffer) => (await readTable(content)).cells;
const readValue = async (cell: string) => {
  const { rows } = await readTable(table(row('a') + row(cell)));
  const [first] = rows;
  return [first?.cells[0], first?.kinds?.get(0) ?? null];
};

describe('a web page under the name of a workbook', () => {
  it('is read by its rows, under the name of its only table', async () => {
    const content = table(`<tr><th>id<th>name</tr>${row('1', 'Zoë')}${row('2', 'Li')}`);
    const { file, tables } = await readAll(content, {}, 'report.xls');
    expect([file.format, file.name]).toEqual(['html', 'report']);
    const [{ sheet, header, cells, rows }] = tables as [(typeof tables)[0]];
    expect([sheet, header, cells]).toEqual([
      'Table 1',
      ['id', 'name'],
      [
        ['1', 'Zoë'],
        ['2', 'Li'],
      ],
    ]);
    expect(rows.map(({ number }) => number)).toEqual([2, 3]);
  });

  it.each([
    ['a document type', `<!DOCTYPE html>\n${table(row('a') + row('1'))}`],
    ['a table alone', `<table>${row('a')}${row('1')}</table>`],
    ['a comment', `<!-- made by a program -->\n${table(row('a') + row('1'))}`],
    ['XML', `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>${table(row('a') + row('1'))}`],
    ['a byte order mark', `\uFEFF${table(row('a') + row('1'))}`],
    ['capital letters', '<TABLE><TR><TD>a</TD></TR><TR><TD>1</TD></TR></TABLE>'],
    ['tags that are never closed', '<table><tr><td>a<tr><td>1</table>'],
    ['no rows around the cells of the first', '<table><td>a</td><tr><td>1</td></tr></table>'],
  ])('may begin with or have %s', async (_, content) => {
    expect(await cellsOf(content)).toEqual([['1']]);
  });

  it.each([
    ['<td>00420</td>', '00420', null],
    ['<td>1,234.50</td>', '1,234.50', null],
    ['<td> a\n  b </td>', 'a b', null],
    ['<td>a<br>b</td>', 'a\nb', null],
    ['<td><p>a</p><p>b</p></td>', 'a\nb', null],
    ['<td>Caf&eacute; &amp; Co. &#x20AC;&nbsp;5</td>', 'Café & Co. €\u00a05', null],
    ['<td><font color=red><b>x</b></font></td>', 'x', null],
    ['<td>16/11/2026<span style="display:none">20261116</span></td>', '16/11/2026', null],
    ['<td>a<script>document.write("b")</script><style>c</style></td>', 'a', null],
  ])('%s is the text that it shows', async (cell, text, kind) => {
    expect(await readValue(cell)).toEqual([text, kind]);
  });

  it.each([
    ['<td x:num="712345678">712345678</td>', '712345678', 'number'],
    ['<td x:num="1234.5">1,234.50</td>', '1234.5', 'number'],
    ['<td x:num>420</td>', '420', 'number'],
    ['<td x:num>1,234.50</td>', '1,234.50', null],
    [`<td x:num="420" style='mso-number-format:"00000"'>00420</td>`, '00420', 'shown_number'],
    [`<td x:num="420" style='mso-number-format:00000'>00420</td>`, '00420', 'shown_number'],
    [`<td x:num="420" style='mso-number-format:"\\@"'>420</td>`, '420', 'number'],
    [`<td style='mso-number-format:"\\@"'>00420</td>`, '00420', null],
    [`<td x:num="46342" style='mso-number-format:"Short Date"'>16/11/2026</td>`, '2026-11-16', 'date'],
    [`<td x:num="46342" style='mso-number-format:"dd\\/mm\\/yyyy"'>x</td>`, '2026-11-16', 'date'],
    [`<td x:num="46342" style='mso-number-format:Standard'>46,342.00</td>`, '46342', 'number'],
    [`<td x:num="5" style='mso-number-format:"\\0022EUR\\0022\\ 0"'>EUR 5</td>`, 'EUR 5', 'shown_number'],
    ['<td x:num="123456789012345678">1.23457E+17</td>', '123456789012346000', 'number'],
    ['<td x:str="  a  ">a</td>', '  a  ', null],
    ['<td x:err="#N/A">#N/A</td>', '#N/A', 'error'],
    ['<td sdval="0" sdnum="1033;">#DIV/0!</td>', '#DIV/0!', 'error'],
    ['<td>#N/A</td>', '#N/A', null],
    ['<td x:bool="TRUE">TRUE</td>', 'TRUE', 'boolean'],
    ['<td x:fmla="=A1+B1"></td>', '', 'formula_without_value'],
    ['<td sdval="420" sdnum="1033;0;00000">00420</td>', '00420', 'shown_number'],
    ['<td sdval="46342" sdnum="1033;0;YYYY-MM-DD">2026-11-16</td>', '2026-11-16', 'date'],
    ['<td sdnum="1033;0;@">00420</td>', '00420', null],
  ])('%s is what Office programs write behind it', async (cell, text, kind) => {
    expect(await readValue(cell)).toEqual([text, kind]);
  });

  it('has number formats in the rules of its styles', async () => {
    const style = '<style><!-- .xl24, td.xl25 {mso-number-format:"00000";} .xl26 {color:red} --></style>';
    const cells = ['xl24', 'xl25', 'xl26'].map((name) => `<td class="${name}" x:num="420">x</td>`);
    const { cells: read } = await readTable(
      page(`<table>${row('a', 'b', 'c')}${row(...cells)}</table>`, style),
    );
    expect(read).toEqual([['00420', '00420', '420']]);
  });

  it('counts the days of Excel for Macintosh from 1904', async () => {
    const head = '<!--[if gte mso 9]><xml><x:ExcelWorkbook><x:Date1904/></x:ExcelWorkbook></xml><![endif]-->';
    const cell = `<td x:num="1" style='mso-number-format:"yyyy\\-mm\\-dd"'>x</td>`;
    expect(await cellsOf(page(`<table>${row('a')}${row(cell)}</table>`, head))).toEqual([['1904-01-02']]);
  });

  it('has merged cells, of which the first has the value', async () => {
    const { cells, notes } = await readTable(
      table(
        row('a', 'b', 'c') +
          row('<td colspan=2>x</td>', 'y') +
          row('<td rowspan="2">p</td>', 'q', 'r') +
          row('s', 't') +
          row('u', 'v', 'w'),
      ),
    );
    expect(cells).toEqual([
      ['x', '', 'y'],
      ['p', 'q', 'r'],
      ['', 's', 't'],
      ['u', 'v', 'w'],
    ]);
    expect(notes).toContain(
      'there are merged cells; their value counts for the first cell only, the others are empty',
    );
  });

  it('has cells that reach no further than their section', async () => {
    const { cells } = await readTable(
      table(`<thead>${row('<th rowspan=9>a</th>', 'b')}</thead><tbody>${row('1', '2')}</tbody>`),
    );
    expect(cells).toEqual([['1', '2']]);
  });

  it('has headers of two rows with merged cells', async () => {
    const content = table(
      row('<th colspan=2>Bank</th>', '<th rowspan=2>Amount</th>') +
        row('Name', 'Account') +
        row('x', '1', '5'),
    );
    const opened = await openInput(temporaryFile('list.xls', content));
    const [first] = opened.tables;
    expect((await first?.below([1, 2]))?.header).toEqual(['Bank / Name', 'Bank / Account', 'Amount']);
  });

  it('has hidden rows and columns', async () => {
    const { rows, notes } = await readTable(
      table(
        `<col><col style="display:none">${row('a', 'b')}<tr style='height:0;display:none'><td>1</td><td>2</td></tr>` +
          `<tbody hidden>${row('3', '4')}</tbody>${row('5', '6')}`,
      ),
    );
    expect(rows.map(({ cells, isHidden }) => [...cells, isHidden === true])).toEqual([
      ['1', '2', true],
      ['3', '4', true],
      ['5', '6', false],
    ]);
    expect(notes).toContain('hidden columns are read like the others: B');
  });
});

describe('several tables in a page', () => {
  const three = page(
    `<table>${row('The list')}</table><table>${row('a')}${row('1')}</table>` +
      `<div style="display:none"><table>${row('b')}${row('2')}</table></div><table></table>`,
  );

  it('are sheets, of which hidden ones are known', async () => {
    const opened = await openInput(temporaryFile('list.xls', three));
    expect(opened.tables.map(({ sheet, isHidden }) => [sheet, isHidden])).toEqual([
      ['Table 1', false],
      ['Table 2', false],
      ['Table 3', true],
    ]);
    expect(opened.tables[0]?.notes).toContain('sheet "Table 4" is not read: it is empty');
    expect((await readAll(three, { sheet: 'table 2' })).tables.map(({ cells }) => cells)).toEqual([[['1']]]);
    expect((await refusalOf(three, { sheet: 'Table 9' })).code).toBe('sheet_not_found');
  });

  it('have the names that Excel lists', async () => {
    const sheet = (name: string, more = '') =>
      `<x:ExcelWorksheet><x:Name>${name}</x:Name>${more}</x:ExcelWorksheet>`;
    const list = `<!--[if gte mso 9]><xml><x:ExcelWorkbook><x:ExcelWorksheets>${sheet('Pay &amp; co')}${sheet('Old', '<x:Visible>SheetHidden</x:Visible>')}</x:ExcelWorksheets></x:ExcelWorkbook></xml><![endif]-->`;
    const one = `<table>${row('a')}${row('1')}</table>`;
    const opened = await openInput(temporaryFile('list.xls', page(one + one, list)));
    expect(opened.tables.map(({ sheet: name, isHidden }) => [name, isHidden])).toEqual([
      ['Pay & co', false],
      ['Old', true],
    ]);
    // Names of other sheets than these would be wrong.
    const other = await openInput(temporaryFile('list.xls', page(one, list)));
    expect(other.tables.map(({ sheet: name }) => name)).toEqual(['Table 1']);
  });

  it('within each other are read each for itself', async () => {
    const content = page(`<table><tr><td><table>${row('a')}${row('1')}</table></td></tr></table>`);
    const { tables } = await readAll(content);
    expect(tables.map(({ sheet, cells }) => [sheet, cells])).toEqual([['Table 2', [['1']]]]);
  });
});

describe('the encoding of a page', () => {
  const rows = row('name') + row('Müller Çağrı');
  const meta = (charset: string) =>
    `<meta http-equiv="Content-Type" content="text/html; charset=${charset}">`;
  const encoded = (encoding: string, charset: string, bom = false) =>
    iconv.encode(page(`<table>${rows}</table>`, meta(charset)), encoding, { addBOM: bom });

  it.each([
    ['utf-8', 'utf-8', false],
    ['utf-8', 'windows-1252', false],
    ['windows-1254', 'windows-1254', false],
    ['windows-1254', 'iso-8859-9', false],
    ['utf-16le', 'unicode', true],
    ['utf-16le', 'utf-16', false],
  ])('is found where it is %s and the page says %s', async (encoding, charset, bom) => {
    expect(await cellsOf(encoded(encoding, charset, bom))).toEqual([['Müller Çağrı']]);
  });

  it('is that of the words where the page is wrong or says nothing', async () => {
    const list = page(`<table>${row('name')}${row('Société Générale')}${row('Crédit Agricole')}</table>`);
    for (const content of [list, list.replace('<head>', `<head>${meta('utf-8')}`)]) {
      const { cells, notes } = await readTable(iconv.encode(content, 'windows-1252'));
      expect(cells).toEqual([['Société Générale'], ['Crédit Agricole']]);
      expect(notes).toContain('read as Windows-1252, because it is not UTF-8');
    }
  });

  it('is UTF-8 where most letters are, whatever the page says, and the others are damaged', async () => {
    const content = encoded('utf-8', 'windows-1252');
    const damaged = Buffer.concat([
      content.subarray(0, content.indexOf('</table>')),
      Buffer.from('<tr><td>B'),
      Buffer.from([0xfc]),
      Buffer.from('low</td></tr></table>'),
    ]);
    expect(await cellsOf(damaged)).toEqual([['Müller Çağrı'], ['B\ufffdlow']]);
  });

  it('is asked where it cannot be determined, and can be stated', async () => {
    const content = iconv.encode(
      table(row('имя') + ['Иванова', 'Петров', 'Сидорова', 'Кузнецов'].map((name) => row(name)).join('')),
      'koi8-r',
    );
    expect((await refusalOf(content)).code).toBe('encoding_uncertain');
    const first = ['Иванова'];
    expect((await readTable(content, { encoding: 'koi8-r' })).cells[0]).toEqual(first);
    const opened = await openInput(temporaryFile('list.xls', content), {
      chooseEncoding: async (_, headerIn) => ((await headerIn('koi8-r'))[0] === 'имя' ? 'koi8-r' : null),
    });
    expect([opened.chosenEncoding, opened.tables[0]?.header]).toEqual(['koi8-r', ['имя']]);
    const again = await opened.inDialect({ encoding: 'windows-1251' });
    expect(again.tables[0]?.header).not.toEqual(['имя']);
  });
});

describe('a web archive', () => {
  const boundary = '----=_NextPart_01';
  const part = (headers: string, body: string) => `--${boundary}\r\n${headers}\r\n\r\n${body}\r\n`;
  const archive = (...parts: readonly string[]) =>
    `MIME-Version: 1.0\r\nX-Document-Type: Workbook\r\nContent-Type: multipart/related;\r\n\tboundary="${boundary}"\r\n\r\nThis is a web archive.\r\n\r\n${parts.join('')}--${boundary}--\r\n`;
  const content = (body: string, head = '') => page(`<table>${body}</table>`, head);
  const quoted = (text: string) =>
    [...Buffer.from(text)]
      .map((byte) =>
        byte === 61 || byte > 126 ? `=${byte.toString(16).toUpperCase()}` : String.fromCharCode(byte),
      )
      .join('')
      .replace(/(.{60})(?=.)/g, '$1=\r\n');
  const base64 = (text: string) =>
    Buffer.from(text)
      .toString('base64')
      .replace(/(.{76})/g, '$1\r\n');
  const rows = row('name') + row('Zoë Müller = 5');

  it.each([
    ['quoted-printable', quoted(content(rows))],
    ['base64', base64(content(rows))],
    ['8bit', content(rows)],
  ])('has its page in %s', async (encoding, body) => {
    const text = archive(
      part(
        'Content-Location: file:///C:/x.png\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64',
        '!',
      ),
      part(
        `Content-Location: file:///C:/list.htm\r\nContent-Transfer-Encoding: ${encoding}\r\nContent-Type: text/html; charset="utf-8"`,
        body,
      ),
    );
    const { file, tables } = await readAll(text, {}, 'list.mht');
    expect([file.format, tables.map(({ cells }) => cells)]).toEqual(['mht', [[['Zoë Müller = 5']]]]);
  });

  it('has its sheets in pages of their own, and their formats in a style sheet', async () => {
    const list = ['First', 'Second']
      .map((name) => `<x:ExcelWorksheet><x:Name>${name}</x:Name></x:ExcelWorksheet>`)
      .join('');
    const html = 'Content-Type: text/html; charset="us-ascii"';
    const cell = '<td class=3Dxl65 x:num=3D"420">x</td>';
    const qp = 'Content-Transfer-Encoding: quoted-printable';
    const text = archive(
      part(
        `Content-Location: a.htm\r\n${qp}\r\n${html}`,
        `<html><!--[if gte mso 9]><xml>${list}</xml><![endif]--></html>`,
      ),
      part(
        `Content-Location: a_files/sheet001.htm\r\n${qp}\r\n${html}`,
        `<table>${row('a')}${row(cell)}</table>`,
      ),
      part(`Content-Location: a_files/sheet002.htm\r\n${html}`, `<table>${row('b')}${row('2')}</table>`),
      part(`Content-Location: a_files/tabstrip.htm\r\n${html}`, `<table>${row('First', 'Second')}</table>`),
      part(
        'Content-Location: a_files/stylesheet.css\r\nContent-Type: text/css',
        '.xl65 {mso-number-format:00000;}',
      ),
    );
    const { tables } = await readAll(text);
    expect(tables.map(({ sheet, cells }) => [sheet, cells])).toEqual([
      ['First', [['00420']]],
      ['Second', [['2']]],
    ]);
  });
});

it('a web archive keeps the bytes of letters at the end of a line', async () => {
  const body = Buffer.from('<table><tr><td>name<tr><td>voilà \t\r\nx=20\r\n</table>\r\n');
  const head =
    'MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n';
  expect(await cellsOf(Buffer.concat([Buffer.from(head), body]))).toEqual([['voilà x']]);
});

describe('pages made at random', () => {
  const pick = <Item>(random: () => number, items: readonly Item[]): Item =>
    items[Math.floor(random() * items.length)] as Item;

  it.each([1, 2, 3, 4, 5])('read as the grid that they were made from (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    for (let round = 0; round < 40; round += 1) {
      const width = 1 + Math.floor(random() * 6);
      const grid = Array.from({ length: 2 + Math.floor(random() * 8) }, (_, at) =>
        Array.from({ length: width }, (_column, column) =>
          at === 0 ? `t${column}` : pick(random, ['', '007', 'Zoë & Söhne', '1.5', '<x>', 'a b', '"']),
        ),
      );
      const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      const end = pick(random, ['</td>', '']);
      const written = grid
        .map((cells) => {
          const tags = cells.map((cell) => {
            const inner = pick(random, [escaped(cell), ` <b>${escaped(cell)}</b>`, `\n${escaped(cell)} `]);
            return `<td${pick(random, ['', ' align=right', " class='x'"])}>${inner}${end}`;
          });
          return `<tr>${tags.join('')}${pick(random, ['</tr>', ''])}`;
        })
        .join('\n');
      const { header, cells } = await readTable(table(written));
      expect(header).toEqual(grid[0]);
      expect(cells).toEqual(grid.slice(1).filter((line) => line.some((cell) => cell !== '')));
    }
  });
});
