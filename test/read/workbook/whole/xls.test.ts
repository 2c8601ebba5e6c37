import { utils, write } from '@e965/xlsx';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { CompoundFile } from '../../../../src/read/file/compound-file.ts';
import { defaultLimits, InputError } from '../../../../src/read/file/input-error.ts';
import { readWorkbook } from '../../../../src/read/workbook/whole/read-workbook.ts';
import { keepOnlyCells } from '../../../../src/read/workbook/whole/xls-records.ts';

const ROWS = Array.from({ length: 150 }, (_, index) => [`name ${index}`, `00${index * 7}`, index]);

function example(): Buffer {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([['a', 'b', 'c'], ...ROWS]), 'S');
  return write(book, { type: 'buffer', bookType: 'biff8' });
}

function workbookOf(file: Buffer): Buffer {
  const workbook = new CompoundFile(file).stream('workbook');
  if (workbook === null) throw new Error('no workbook');
  return Buffer.from(workbook);
}

function rowsOf(workbook: Buffer): string[][] {
  keepOnlyCells(workbook);
  const sheets = readWorkbook(workbook, defaultLimits);
  return sheets.flatMap((sheet) => [...sheet.rows()].map(({ cells }) => cells));
}

/** What a file is read as, or the code with which it is refused; anything else fails. */
function outcomeOf(file: Buffer): string[][] | string {
  try {
    return rowsOf(workbookOf(file));
  } catch (error) {
    if (error instanceof InputError) return error.code;
    if (error instanceof Error && error.message === 'no workbook') return 'document_file';
    throw error;
  }
}

function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(data.length, 2);
  return Buffer.concat([head, data]);
}

const words = (...values: number[]) => Buffer.from(Uint16Array.from(values).buffer);

/** A workbook of version 5 with one sheet, whose first column holds these bytes, one cell a row. */
function biff5(codePage: number | null, cells: readonly Buffer[], sheet: Buffer = Buffer.from('S')): Buffer {
  const begin = (kind: number) => record(0x0809, words(0x0500, kind, 0, 0));
  const end = record(0x000a, Buffer.alloc(0));
  const page = codePage === null ? Buffer.alloc(0) : record(0x0042, words(codePage));
  const listed = (place: number) => {
    const head = Buffer.alloc(7);
    head.writeUInt32LE(place, 0);
    head.writeUInt8(sheet.length, 6);
    return record(0x0085, Buffer.concat([head, sheet]));
  };
  const start = (place: number) => Buffer.concat([begin(5), page, listed(place), end]);
  const labels = cells.map((text, row) =>
    record(0x0204, Buffer.concat([words(row, 0, 0, text.length), text])),
  );
  const dimension = record(0x0200, words(0, cells.length, 0, 1, 0));
  return Buffer.concat([start(start(0).length), begin(0x10), dimension, ...labels, end]);
}

/** Puts records in front of the end of the workbook's last sheet. */
function withRecords(...records: Buffer[]): Buffer {
  const workbook = workbookOf(example());
  const end = workbook.lastIndexOf(Buffer.from([0x0a, 0, 0, 0]));
  return Buffer.concat([workbook.subarray(0, end), ...records, workbook.subarray(end)]);
}

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof InputError) return error.code;
    throw error;
  }
  throw new Error('not refused');
}

const original = rowsOf(workbookOf(example()));

describe('an .xls file', () => {
  it('cut off anywhere, is refused or has all of its rows', () => {
    const file = example();
    for (let length = 8; length < file.length; length += 97) {
      const outcome = outcomeOf(file.subarray(0, length));
      if (typeof outcome !== 'string') expect({ length, outcome }).toEqual({ length, outcome: original });
    }
    expect(typeof outcomeOf(file.subarray(0, file.length / 2))).toBe('string');
  });
});

describe('the records of an .xls file', () => {
  it('that have nothing to do with cells are taken out: links over the whole sheet, charts', () => {
    const link = record(0x01b8, Buffer.concat([words(0, 0xffff, 0, 0xffff), Buffer.alloc(24)]));
    const number = record(0x0203, Buffer.concat([words(1, 0, 0), Buffer.alloc(8, 0x3f)]));
    const begin = record(0x0809, words(0x0600, 0x0020, 0, 0));
    const end = record(0x000a, Buffer.alloc(0));
    const workbook = withRecords(link, begin, number, end, record(0x003c, Buffer.alloc(9)));
    expect(rowsOf(workbook)).toEqual(original);
    const typeOf = (each: Buffer) => workbook.readUInt16LE(workbook.indexOf(each.subarray(4)) - 4);
    expect([typeOf(link), typeOf(number)]).toEqual([0x00c1, 0x00c1]);
  });

  it('that repeat an earlier record are taken out', () => {
    const columns = record(0x007d, words(0, 0xffff, 0, 0, 1));
    const merged = record(0x00e5, words(1, 0, 1, 0, 0));
    const workbook = withRecords(...Array.from({ length: 20_000 }, () => columns), merged, merged);
    expect(rowsOf(workbook)).toEqual(original);
    expect(workbook.readUInt16LE(workbook.indexOf(columns.subarray(4)) - 4)).toBe(0x00c1);
  });

  it.each([
    ['a password', record(0x002f, words(1, 1, 1)), 'encrypted_file'],
    ['a cell beyond the last column', record(0x0203, Buffer.alloc(14, 0xff)), 'file_damaged'],
    ['numbers beyond the last column', record(0x00bd, words(200, 0, 0, 0, 0, 256)), 'file_damaged'],
    ['a cell without a place', record(0x027e, words(1)), 'file_damaged'],
    ['an end too many', record(0x000a, Buffer.alloc(0)), 'file_damaged'],
  ])('%s: refused', (_, added, code) => {
    expect(codeOf(() => rowsOf(withRecords(added)))).toBe(code);
  });

  it('that are cut off are refused', () => {
    const workbook = workbookOf(example());
    expect(codeOf(() => keepOnlyCells(workbook.subarray(0, workbook.length - 5)))).toBe('file_damaged');
  });
});

describe('formulas and numbers of an .xls file', () => {
  const formula = (row: number, result: Buffer, type = 0x0006) =>
    record(type, Buffer.concat([words(row, 0, 0), result, Buffer.alloc(8)]));
  const result = (kind: number, value = 0) => Buffer.from([kind, 0, value, 0, 0, 0, 0xff, 0xff]);
  const double = (value: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    return bytes;
  };
  const text = (written: string) =>
    record(0x0207, Buffer.concat([words(written.length), Buffer.from([0]), Buffer.from(written)]));
  const lastRow = (...records: Buffer[]) => {
    const workbook = withRecords(...records);
    keepOnlyCells(workbook);
    const [sheet] = readWorkbook(workbook, defaultLimits);
    const row = [...(sheet?.rows() ?? [])].at(-1);
    return row === undefined ? undefined : [row.number, row.cells[0], row.kinds?.get(0)];
  };

  it.each([
    ['a number', [formula(200, double(3))], [201, '3', 'number']],
    [
      'a number, with the record of an older version',
      [formula(200, double(3), 0x0406)],
      [201, '3', 'number'],
    ],
    ['the same of a still older one', [formula(200, double(3), 0x0206)], [201, '3', 'number']],
    ['a text', [formula(200, result(0)), text('x')], [201, 'x', undefined]],
    [
      'a text, with the record of an older version',
      [formula(200, result(0), 0x0406), text('x')],
      [201, 'x', undefined],
    ],
    ['true', [formula(200, result(1, 1))], [201, 'TRUE', 'boolean']],
    ['an error', [formula(200, result(2, 0x2a))], [201, '#N/A', 'error']],
    ['a text that is missing', [formula(200, result(0))], [201, '#ERROR!', 'error']],
    [
      'a text that belongs to the next cell',
      [formula(200, result(0)), formula(201, result(0)), text('x')],
      [202, 'x', undefined],
    ],
    ['something unknown', [formula(200, result(7))], [201, '#ERROR!', 'error']],
    ['no number', [formula(200, double(Number.NaN))], [201, '#NUM!', 'error']],
    [
      'a number beyond all numbers',
      [formula(200, double(Number.POSITIVE_INFINITY))],
      [201, '#NUM!', 'error'],
    ],
  ])('a formula that gave %s', (_, records, expected) => {
    expect(lastRow(...records)).toEqual(expected);
  });

  it('a text that is missing makes its own cell an error, whatever is behind it', () => {
    const workbook = withRecords(formula(200, result(0)), formula(201, result(0)), text('x'));
    expect(
      rowsOf(workbook)
        .slice(-2)
        .map(([first]) => first),
    ).toEqual(['#ERROR!', 'x']);
  });

  it('a number that is none is an error', () => {
    expect(lastRow(record(0x0203, Buffer.concat([words(200, 0, 0), double(Number.NaN)])))).toEqual([
      201,
      '#NUM!',
      'error',
    ]);
  });
});

describe('texts of an .xls file as programs wrote it before 1997', () => {
  const NAMES: readonly (readonly [number, string, readonly string[]])[] = [
    [437, 'cp437', ['José Núñez', 'Ångström']],
    [852, 'cp852', ['Łukasz Wałęsa', 'Jiří Dvořák']],
    [866, 'cp866', ['Наталья Чайковская', 'Пётр Ильич']],
    [874, 'cp874', ['สมชาย']],
    [932, 'cp932', ['日本太郎', 'ソニー']],
    [936, 'cp936', ['王小明']],
    [949, 'cp949', ['김철수']],
    [950, 'cp950', ['陳大文']],
    [
      1250,
      'cp1250',
      ['Łukasz Wałęsa', 'Jiří Dvořák', 'Gyöngyi Kőszegi', 'Željko Đorđević', 'Ștefan'.replace('Ș', 'Ş')],
    ],
    [1251, 'cp1251', ['Наталья Чайковская', 'Володимир Їжакевич']],
    [1252, 'cp1252', ['Zoë €', 'Jürgen Groß']],
    [1253, 'cp1253', ['Γιώργος Παπαδόπουλος', 'Ελένη Ξυδάκη']],
    [1254, 'cp1254', ['Şükrü İğdır']],
    [1255, 'cp1255', ['דוד כהן']],
    [1256, 'cp1256', ['محمد']],
    [1257, 'cp1257', ['Jānis Bērziņš', 'Šarūnas']],
    [10000, 'macroman', ['José Núñez', 'Zoë Großmann']],
    [10007, 'maccyrillic', ['Наталья']],
    [32768, 'macroman', ['Zoë Großmann']],
    [32769, 'cp1252', ['Zoë €']],
  ];

  it.each(NAMES)('in code page %i are read by it', (codePage, encoding, names) => {
    const cells = names.map((name) => iconv.encode(name, encoding));
    expect(rowsOf(biff5(codePage, cells))).toEqual(names.map((name) => [name]));
  });

  it('are read as ASCII where nothing else is in them, whatever the code page', () => {
    expect(rowsOf(biff5(null, [Buffer.from('Amina')]))).toEqual([['Amina']]);
    expect(rowsOf(biff5(9999, [Buffer.from('Amina')]))).toEqual([['Amina']]);
  });

  it.each([
    ['an unknown code page', 9999, 'code page 9999'],
    ['two bytes a character, which such files cannot have', 1200, 'code page 1200'],
    ['no code page', null, 'does not say'],
  ])('with letters beyond ASCII and %s: refused', (_, codePage, words) => {
    const workbook = biff5(codePage, [Buffer.from('Amina'), Buffer.from([0x4d, 0xfc, 0x6c])]);
    let refusal: unknown;
    try {
      rowsOf(workbook);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ code: 'unknown_code_page', message: expect.stringContaining(words) });
  });

  it('with bytes that the code page does not have read as U+FFFD, which no row may have', () => {
    expect(rowsOf(biff5(1253, [Buffer.from([0x41, 0xd2])]))).toEqual([['A\uFFFD']]);
    expect(rowsOf(biff5(932, [Buffer.from([0x81, 0xff, 0x41])]))[0]?.[0]).toContain('\uFFFD');
  });

  it('in the name of a sheet are read by it as well', () => {
    const workbook = biff5(1253, [Buffer.from('x')], iconv.encode('Πελάτες', 'cp1253'));
    keepOnlyCells(workbook);
    expect(readWorkbook(workbook, defaultLimits).map(({ name }) => name)).toEqual(['Πελάτες']);
  });
});
