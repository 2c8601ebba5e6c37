import { afterEach, describe, expect, it } from 'vitest';
import { csvText } from '../../../src/account/files/replacement-file.ts';
import { readTable, refusalOf, removeTemporaryFiles } from '../reading.ts';

afterEach(removeTemporaryFiles);

const HEADER = 'id,name,note';
const file = (...lines: readonly string[]) => [HEADER, ...lines, ''].join('\n');

describe('backslashes before quotes', () => {
  it.each([
    ['a name', '"1","O\\"Neil","x"', ['1', 'O"Neil', 'x']],
    ['the end of a value', '"1","Bell 5\\"","x"', ['1', 'Bell 5"', 'x']],
    ['the beginning of a value', '"1","\\"Bell\\" Ann","x"', ['1', '"Bell" Ann', 'x']],
    ['a backslash at the end', '"1","say \\"hi\\" C:\\\\","x"', ['1', 'say "hi" C:\\', 'x']],
    ['delimiters and line breaks', '"1","a\\", b\nc","x"', ['1', 'a", b\nc', 'x']],
  ])('are not part of %s, and swallow nothing', async (_, line, cells) => {
    const table = await readTable(file(line, '"2","Zoë","y"'));
    expect(table.cells).toEqual([cells, ['2', 'Zoë', 'y']]);
    expect(table.notes.join()).toContain('backslash');
    expect(table.rows.every(({ notes }) => notes === undefined)).toBe(true);
  });

  it('are found wherever the first of them is', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `"${index}","Amina","x"`);
    const table = await readTable(file(...lines, '"z","O\\"Neil","x"'));
    expect(table.cells.at(-1)).toEqual(['z', 'O"Neil', 'x']);
  });

  it('are letters where quotes are doubled: a folder, a value that ends with one', async () => {
    const table = await readTable(file('"1","C:\\","x"', '2,"say ""hi""\\",y', '3,"\\""5""",z'));
    expect(table.cells).toEqual([
      ['1', 'C:\\', 'x'],
      ['2', 'say "hi"\\', 'y'],
      ['3', '\\"5"', 'z'],
    ]);
    expect(table.notes).toEqual([]);
  });

  it.each([
    ['beside doubled quotes', '"2","say ""hi""","y"'],
    ['beside backslashes before other letters', '"2","a\\nb","y"'],
    ['beside a quote that closes before letters', '"2","a"b","y"'],
  ])('are refused with the row %s: it is unknown which is meant', async (_, other) => {
    const refusal = await refusalOf(file('"0","x","y"', '"1","O\\"Neil","x"', other));
    expect([refusal.code, refusal.row]).toEqual(['unclear_quotes', 3]);
    expect(refusal.remedies).not.toEqual([]);
  });
});

describe('spaces between delimiters and quotes', () => {
  it.each([
    [
      'before double quotes',
      ['"id", "name",   "note"', '"1", "Bell, Ann", "x"', '"2", "Zoë", ""'],
      ['1', 'Bell, Ann', 'x'],
    ],
    [
      'behind double quotes',
      ['"id" ,"name" ,"note"', '"1" ,"Bell, Ann" ,"x" ', '"2" ,"Zoë" ,"y"'],
      ['1', 'Bell, Ann', 'x'],
    ],
    [
      'before single quotes',
      ["'id', 'name', 'note'", "'1',   'Bell, Ann', 'x'", "'2', 'Zoë', 'y'"],
      ['1', 'Bell, Ann', 'x'],
    ],
    [
      'around single quotes',
      ["'id' , 'name', 'note'", "'1' ,   'Argentina'  , 'x'", "'2', 'Zoë', 'y'"],
      ['1', 'Argentina', 'x'],
    ],
    [
      'before escaped quotes',
      ['"id", "name", "note"', '"1", "O\\"Neil, Ann", "x"'],
      ['1', 'O"Neil, Ann', 'x'],
    ],
    ['before some values', [HEADER, '1, "Bell, Ann",x', '2,Zoë, "y"'], ['1', 'Bell, Ann', 'x']],
  ])('are part of no value: %s', async (_, lines, cells) => {
    const table = await readTable([...lines, ''].join('\n'));
    expect([table.header, table.cells[0]]).toEqual([['id', 'name', 'note'], cells]);
  });

  it('are left where there are no quotes, or quotes inside a text', async () => {
    const lines = ['1, "Ann" Bell ,x', '2, Zoë ,y'];
    const { cells } = await readTable(file(...lines));
    expect(cells).toEqual(lines.map((line) => line.split(',')));
  });

  it('are refused with the row, where values without such quotes contradict them', async () => {
    const refusal = await refusalOf(file('1, "Ann" Bell,x', '2, "Zoë",y'));
    expect([refusal.code, refusal.row]).toEqual(['unclear_quotes', 3]);
  });
});

describe('single quotes', () => {
  it.each([
    ['all values', ["'id','name','note'", "'1','Argentina','x'", "'2','Peru',''"], ['1', 'Argentina', 'x']],
    ['all texts', [HEADER, "1,'Argentina','x'", "2,'Peru','y'"], ['1', 'Argentina', 'x']],
    ['one column', [HEADER, "1,'Argentina',x", "2,'Peru',y"], ['1', 'Argentina', 'x']],
    ['doubled quotes', [HEADER, "1,'O''Neil','x'", "2,'Peru','y'"], ['1', "O'Neil", 'x']],
    ['escaped quotes', [HEADER, "1,'O\\'Neil','x'", "2,'Peru','y'"], ['1', "O'Neil", 'x']],
    ['double quotes inside', [HEADER, "1,'\"Ann\" Bell','x'", "2,'Peru','y'"], ['1', '"Ann" Bell', 'x']],
    ['delimiters', [HEADER, "1,'Bell, Ann',x", '2,Zoë,y', '3,Peru,z'], ['1', 'Bell, Ann', 'x']],
    ['line breaks', [HEADER, "1,'Bell\nAnn','x'", "2,'Peru','y'"], ['1', 'Bell\nAnn', 'x']],
  ])('around %s are not part of the values', async (_, lines, cells) => {
    const table = await readTable([...lines, ''].join('\n'));
    expect([table.header, table.cells[0]]).toEqual([['id', 'name', 'note'], cells]);
    expect(table.notes.join()).toContain('single quotes');
  });

  it('around values below a title are found as well', async () => {
    const isHeader = (cells: readonly string[]) => cells.includes('name');
    const table = await readTable(`Payments,of,March\n${file("1,'Argentina','x'")}`, { isHeader });
    expect(table.cells).toEqual([['1', 'Argentina', 'x']]);
  });

  it.each([
    ['an apostrophe in a name', "1,O'Neil,x"],
    ['an apostrophe before a phone number', "1,'+254712345678,x"],
    ['apostrophes at both ends of other values', "1,'Aisha,Ann'"],
  ])('are letters: %s', async (_, line) => {
    expect((await readTable(file(line, '2,Zoë,y'))).cells[0]).toEqual(line.split(','));
  });

  it.each([
    ['around one value of several', ['1,Peru,x', "2,'Argentina',x"], 3],
    ['around a value with an apostrophe', ["1,'Argentina',x", "2,'O'Neil',x"], 2],
    ['beside double quotes', ['1,\'Argentina\',"x"', '2,\'Peru\',"y"'], 2],
  ])('%s are refused with the row', async (_, lines, row) => {
    const refusal = await refusalOf(file(...lines));
    expect([refusal.code, refusal.row]).toEqual(['unclear_quotes', row]);
  });

  it('are part of the value inside double quotes, as our own files have them', async () => {
    expect((await readTable(file('1,"\'Argentina\'",x', '2,"\'Peru\'",y'))).cells[0]?.[1]).toBe(
      "'Argentina'",
    );
    const written = csvText([
      ['id', 'name'],
      ['1', "'Argentina'"],
      ['2', "O'Neil"],
      ['3', 'a\\"b'],
      ['4', 'a\\'],
    ]);
    expect((await readTable(written)).cells.map(([, name]) => name)).toEqual([
      "'Argentina'",
      "O'Neil",
      'a\\"b',
      'a\\',
    ]);
  });
});

describe('a rare delimiter', () => {
  it.each(['^', '~', '¦', '\u001f'])('%j is found where it cuts rows into far more values', async (sign) => {
    const lines = [
      ['id', 'name', 'note', 'town'],
      ['1', 'Castellano, Rosa', 'a; b', 'Yuma'],
      ['2', 'Begaye, Ann', 'c', 'Elko'],
    ];
    const table = await readTable(`${lines.map((line) => line.join(sign)).join('\n')}\n`);
    expect([table.header, ...table.cells]).toEqual(lines);
  });

  it.each([
    [
      'id,note\n1,~5\n2,~7\n3,~9\n',
      [
        ['1', '~5'],
        ['2', '~7'],
        ['3', '~9'],
      ],
    ],
    [
      'id;a;b\n1;^x^;2\n2;^y^;3\n',
      [
        ['1', '^x^', '2'],
        ['2', '^y^', '3'],
      ],
    ],
  ])('is a character where a usual one cuts the rows: %j', async (text, cells) => {
    expect((await readTable(text)).cells).toEqual(cells);
  });
});
