import { gzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { afterEach, describe, expect, it } from 'vitest';
import { csvRows } from '../../../src/read/csv/csv-rows.ts';
import { standardDialect } from '../../../src/read/csv/dialect.ts';
import { defaultLimits } from '../../../src/read/file/input-error.ts';
import { createRandom, type Random } from '../../simulation/random.ts';
import { readTable, refusalOf, removeTemporaryFiles, seededRandom } from '../reading.ts';

afterEach(removeTemporaryFiles);

describe('delimiters', () => {
  it.each([
    ['comma', 'a,b\n1,2\n'],
    ['semicolon', 'a;b\n1;2\n'],
    ['tab', 'a\tb\n1\t2\n'],
    ['bar', 'a|b\n1|2\n'],
    ['quoted header', '"a";"b"\n"1";"2"\n'],
    ['an instruction line', 'sep=|\na|b\n1|2\n'],
    ['an instruction line in quotes', '"sep=;"\r\na;b\r\n1;2\r\n'],
  ])('finds %s by itself', async (_, content) => {
    const { header, cells } = await readTable(content);
    expect(header).toEqual(['a', 'b']);
    expect(cells).toEqual([['1', '2']]);
  });

  it('does not count separators inside quotes, which would outnumber the real one', async () => {
    const content = 'name,note\n"a;b;c;d","x;y"\n"e;f;g;h","x;y"\n"i;j;k;l","x;y"\n';
    const { header, cells } = await readTable(content);
    expect(header).toEqual(['name', 'note']);
    expect(cells[0]).toEqual(['a;b;c;d', 'x;y']);
  });

  it('is not misled by decimal commas, nor by an apostrophe or a quote inside a value', async () => {
    const { cells } = await readTable('amount;name\n1,50;O\'Neil\n2,75;5" pipe\n3,00;x\n');
    expect(cells).toEqual([
      ['1,50', "O'Neil"],
      ['2,75', '5" pipe'],
      ['3,00', 'x'],
    ]);
  });

  it.each([
    ['an amount in every row', (at: number) => `${at} 706,46`],
    ['an address in every row', (at: number) => `Bell Street ${at}, Town`],
    ['an amount in quotation marks', (at: number) => `"-1${at}.706,4"`],
  ])('is not misled by %s, where titles and notes have no delimiter', async (_, value) => {
    const row = (at: number) => `D${at};Ann;${value(at)};EUR`;
    const rows = Array.from({ length: 20 }, (_, at) => row(at));
    const lines = [
      'Traders',
      'Open on: 1, 2',
      '',
      'code;name;Value, in EUR;currency',
      ...rows,
      '',
      'Typed by: A, B',
    ];
    const { cells } = await readTable(`${lines.join('\n')}\n`, { isHeader: ([cell]) => cell === 'code' });
    expect(cells[0]).toHaveLength(4);
    const unknown = await readTable(`${lines.join('\n')}\n`);
    expect(unknown.cells.at(5)).toHaveLength(4);
  });

  it('is not misled by whole numbers side by side', async () => {
    expect((await readTable('a,b,c\n1,50,x;y\n2,75,z;y\n3,10,1;2\n')).cells[0]).toEqual(['1', '50', 'x;y']);
  });

  it('is not misled by a title row above the header', async () => {
    const { cells } = await readTable('Payments for March\na;b;c\n1;2;3\n', {
      isHeader: (row) => row.includes('b'),
    });
    expect(cells).toEqual([['1', '2', '3']]);
  });

  it('is not misled by commas in texts where a known header decides it', async () => {
    const isHeader = (cells: readonly string[]) =>
      cells.length > 1 && cells.every((cell) => /^(?:id|name|note)$/.test(cell));
    const rows = ['1;Amina;a, b, c', '2;Zoë;d, e, f', '3;Ngozi;g, h, i'];
    const { header, cells } = await readTable(['id;name;note', ...rows, ''].join('\n'), { isHeader });
    expect([header, cells[0]]).toEqual([
      ['id', 'name', 'note'],
      ['1', 'Amina', 'a, b, c'],
    ]);
    const oneText = ['id;name', ...Array.from({ length: 9 }, (_, index) => `${index};Bell, Ann`), ''];
    expect((await readTable(oneText.join('\n'), { isHeader })).cells[0]).toEqual(['0', 'Bell, Ann']);
    const below = ['Payments, March', '"id"\t"name"', '1\tx, y', ''];
    expect((await readTable(below.join('\n'), { isHeader })).cells).toEqual([['1', 'x, y']]);
  });

  it('takes a stated one, even against the rest of the file', async () => {
    expect((await readTable('a,b;c\n1,2;3\n', { delimiter: ';' })).cells).toEqual([['1,2', '3']]);
    expect((await readTable('a^b\n1^2\n', { delimiter: '^' })).cells).toEqual([['1', '2']]);
    expect((await readTable('a,x\tb\n1\t2\n', { delimiter: '\\t' })).header).toEqual(['a,x', 'b']);
    expect((await readTable('sep=,\na;b\n1;2\n', { delimiter: ';' })).header).toEqual(['a', 'b']);
  });

  it.each(['', '"', ',,', '\n'])('refuses %j as a stated one', async (delimiter) => {
    expect((await refusalOf('a,b\n', { delimiter })).code).toBe('invalid_delimiter');
  });

  it('counts rows after an instruction line, which spreadsheet programs do not show', async () => {
    const { headerRow, rows } = await readTable('sep=;\na;b\n1;2\n');
    expect([headerRow, rows[0]?.number]).toEqual([1, 2]);
  });
});

describe('lines and rows', () => {
  it.each([
    ['CRLF', '\r\n'],
    ['LF', '\n'],
    ['CR', '\r'],
  ])('ends rows at %s', async (_, end) => {
    const { cells } = await readTable(['a,b', '1,2', '3,4', ''].join(end));
    expect(cells).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
  });

  it('does not merge rows when the header ends in CRLF and the rows in LF', async () => {
    expect((await readTable('a,b\r\n1,2\n3,4\r5,6')).cells).toHaveLength(3);
  });

  it('numbers rows as a spreadsheet program does: blank ones count, quoted line breaks do not', async () => {
    const content = '\n\na,b\n1,"x\r\ny"\n\n , \n,\n2,z\n';
    const { headerRow, rows } = await readTable(content);
    expect(headerRow).toBe(3);
    expect(rows).toEqual([
      { number: 4, cells: ['1', 'x\r\ny'] },
      { number: 8, cells: ['2', 'z'] },
    ]);
  });

  it('pads short rows, drops empty cells beyond the header, and keeps others', async () => {
    const { cells } = await readTable('a,b,c\n1\n1,2,3,,\n1,2,3,,x,\n');
    expect(cells).toEqual([
      ['1', '', ''],
      ['1', '2', '3'],
      ['1', '2', '3', '', 'x'],
    ]);
  });

  it('keeps unnamed columns of the header, and takes white space off its names only', async () => {
    const { header, cells } = await readTable(' a ,\u00a0b,,d,\n 1 ,2,3,4,\n');
    expect(header).toEqual(['a', 'b', '', 'd', '']);
    expect(cells).toEqual([[' 1 ', '2', '3', '4', '']]);
  });

  it('reads a header without rows as an empty table', async () => {
    expect((await readTable('a,b')).cells).toEqual([]);
  });

  it.each(['', '\uFEFF', '\r\n\r\n', ' \n,,\n', 'sep=;\n'])('refuses %j as empty', async (content) => {
    expect((await refusalOf(content)).code).toBe('empty_file');
  });

  it('finds the header below other rows, and says so', async () => {
    const { header, headerRow, notes, cells } = await readTable('Title\n\nMarch,2026\nid,name\n1,x\n', {
      isHeader: (row) => row[0] === 'id',
    });
    expect({ header, headerRow, cells }).toEqual({
      header: ['id', 'name'],
      headerRow: 4,
      cells: [['1', 'x']],
    });
    expect(notes.join()).toContain('the header is row 4');
  });

  it('uses the first row as the header when none of the first thirty is one', async () => {
    const content = `title\n${'x\n'.repeat(29)}id\n`;
    expect((await readTable(content, { isHeader: (row) => row[0] === 'id' })).header).toEqual(['title']);
    const within = `title\n${'x\n'.repeat(28)}id\n`;
    expect((await readTable(within, { isHeader: (row) => row[0] === 'id' })).headerRow).toBe(30);
  });

  it('hands rows out in groups of up to a thousand, again at every call', async () => {
    const { rows } = await readTable(`a\n${'x\n'.repeat(2500)}`);
    expect(rows).toHaveLength(2500);
    expect(rows.at(-1)?.number).toBe(2501);
  });
});

describe('quotes', () => {
  it.each([
    ['a quote inside a value', '5" pipe', '5" pipe'],
    ['an escaped quote', '"5"" pipe"', '5" pipe'],
    ['an escaped quote at the start', '"""x"" y"', '"x" y'],
    ['a delimiter', '"1,2"', '1,2'],
    ['nothing but quotes', '""', ''],
    ['letters after the closing quote', '"x"y', '"x"y'],
    ['a formula-like text', '"=1+1"', '=1+1'],
    ['a backslash', 'a\\', 'a\\'],
  ])('reads %s letter for letter', async (_, written, read) => {
    expect((await readTable(`a,b\n${written},end\nnext,row\n`)).cells).toEqual([
      [read, 'end'],
      ['next', 'row'],
    ]);
  });

  it('refuses a quote that is never closed, and names the row where it opened', async () => {
    const refusal = await refusalOf('a,b\n1,2\n\n3,"x\n4,5\n6,7\n');
    expect([refusal.code, refusal.row]).toEqual(['quote_not_closed', 4]);
    expect(refusal.message).toContain('row 4');
  });

  it('refuses a quote that swallows rows until another one closes it', async () => {
    const refusal = await refusalOf('a,b\n1,"x\n4,5\n6,"y"\n7,8\n');
    expect([refusal.code, refusal.row]).toEqual(['quote_not_closed', 2]);
  });

  it('refuses an endless record without reading the rest, and names its row', async () => {
    const refusal = await refusalOf(`a,b\n1,"${'x,y\n'.repeat(400_000)}`);
    expect([refusal.code, refusal.row]).toEqual(['limit_exceeded', 2]);
  });

  it('reports a value that begins with a quotation mark', async () => {
    const { rows } = await readTable('a\n"x"y\nz\n');
    expect(rows[0]?.notes).toHaveLength(1);
    expect(rows[1]?.notes).toBeUndefined();
  });
});

describe('limits', () => {
  it('refuses more columns than any list has, with the row', async () => {
    const refusal = await refusalOf(`a,b\n1,2\n${',x'.repeat(1200)}\n`);
    expect([refusal.code, refusal.row]).toEqual(['limit_exceeded', 3]);
    expect((await readTable(`a,b\n1,2${','.repeat(1200)}\n`)).cells).toEqual([['1', '2']]);
  });

  it('refuses a file that is too large', async () => {
    expect((await refusalOf('a,b\n1,2\n', { limits: { fileBytes: 5 } })).code).toBe('limit_exceeded');
  });
});

describe('gzip', () => {
  it('is known by its content', async () => {
    expect((await readTable(gzipSync('a;b\n1;2\n'))).cells).toEqual([['1', '2']]);
  });

  it('is refused when it is cut off, changed or holds a workbook', async () => {
    const packed = gzipSync(`a,b\n${'1,2\n'.repeat(1000)}`);
    expect((await refusalOf(packed.subarray(0, packed.length - 12))).code).toBe('file_may_be_cut');
    const changed = Buffer.from(packed);
    changed[packed.length - 6] = (changed[packed.length - 6] ?? 0) ^ 1;
    expect((await refusalOf(changed)).code).toBe('file_damaged');
    expect((await refusalOf(gzipSync('PK\x03\x04 and more'))).code).toBe('nested_archive');
  });

  it('is refused when it unpacks to far more than a list does', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 'a,b\n'));
    expect((await refusalOf(bomb)).code).toBe('suspicious_compression');
    const large = { limits: { inflatedBytes: 1000 } };
    expect((await refusalOf(gzipSync('a,b\n'.repeat(1000)), large)).code).toBe('limit_exceeded');
  });
});

describe('random tables in random dialects', () => {
  const letters = [
    'a',
    'Z',
    '0',
    ' ',
    'é',
    '€',
    '漢',
    '😀',
    '"',
    "'",
    ',',
    ';',
    '\t',
    '|',
    '\n',
    '\r\n',
    '=',
    '-',
  ];

  it('come back as they were written', async () => {
    for (let seed = 1; seed <= 150; seed += 1) {
      const random = seededRandom(seed);
      const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
      const delimiter = pick([',', ';', '\t', '|']);
      const end = pick(['\n', '\r\n', '\r']);
      const width = 2 + Math.floor(random() * 5);
      const header = Array.from({ length: width }, (_, index) => `column ${index}`);
      const rows = Array.from({ length: 1 + Math.floor(random() * 40) }, () => [
        'x',
        ...Array.from({ length: width - 1 }, () =>
          Array.from({ length: Math.floor(random() * 8) }, () => pick(letters)).join(''),
        ),
      ]);
      // A value that begins with a quote and holds a line break is refused for what it may have swallowed.
      const safe = rows.map((row) =>
        row.map((cell) => (/[\r\n]/.test(cell) ? cell.replace(/^"+/, '') : cell)),
      );
      // A value in single quotes has to be in double ones as well, or they are read as quotes.
      const quote = (cell: string) =>
        /["\r\n]|^\s*'.*'\s*$/s.test(cell) || cell.includes(delimiter) || random() < 0.2
          ? `"${cell.replaceAll('"', '""')}"`
          : cell;
      const lines = [header, ...safe].map((row) => row.map(quote).join(delimiter) + end);
      const text = `${random() < 0.5 ? '\uFEFF' : ''}${lines.join('')}`;
      const content = Buffer.from(text, random() < 0.3 && text.startsWith('\uFEFF') ? 'utf16le' : 'utf8');
      const stated = { delimiter };
      const table = await readTable(random() < 0.3 ? gzipSync(content) : content, stated);
      expect({ seed, header: table.header, cells: table.cells }).toEqual({ seed, header, cells: safe });
    }
  });
});

const parserOptions = {
  delimiter: ';',
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_quotes: true,
  relax_column_count: true,
};

async function* inChunks(bytes: Buffer, random: Random): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + random.whole(1, 7);
    yield bytes.subarray(at, end);
    at = end;
  }
}

async function cellsOf(text: string, random: Random): Promise<string[][]> {
  const cells: string[][] = [];
  const chunks = inChunks(Buffer.from(text), random);
  for await (const rows of csvRows(
    chunks,
    { character: ';', instructionLength: 0 },
    standardDialect,
    defaultLimits,
    { hasLineEnd: true },
  )) {
    for (const row of rows) {
      expect(row.number).toBe(cells.length + 1);
      cells.push(row.cells);
    }
  }
  return cells;
}

it('cuts records as csv-parse does, in whatever chunks they come and wherever quotation marks begin', async () => {
  const random = createRandom(3);
  const plain = ['a', 'é', '€', ',', ';', ';', '\r\n', '\n', '\r', ' '];
  for (let round = 0; round < 400; round += 1) {
    const text = Array.from({ length: random.whole(0, 60) }, () => random.pick(plain)).join('');
    const quoted = random.chance(0.5) ? '\r\n"x;""\r\ny";5" pipe\nz' : '';
    const content = text + quoted + (quoted === '' ? '' : text);
    expect(await cellsOf(content, random)).toEqual(parse(content, parserOptions));
  }
});

it('reports the row of an error behind records without quotation marks', async () => {
  await expect(cellsOf('a;b\n1;2\n\n3;"4\n', createRandom(1))).rejects.toMatchObject({ row: 4 });
});
