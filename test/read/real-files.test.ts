import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { type ReadTable, readAll, refusalOf, removeTemporaryFiles } from './reading.ts';

afterEach(removeTemporaryFiles);

/** Files that a spreadsheet program wrote, the same sheets in each of its formats. */
function fixture(name: string): Buffer {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url));
}

const EXPECTED = [
  ['leading zeros format', '00420', 'shown_number'],
  ['000-000 format', '001-234', 'shown_number'],
  ['+ phone format', '+254712345678', 'shown_number'],
  ['general number', '254712345678', 'number'],
  ['20 digits', '12345678901234600000', 'number'],
  ['percentage', '0.25', 'number'],
  ['date', '2023-03-15', 'date'],
  ['date time', '2023-03-15 06:10:00', 'date'],
  ['time', '0.25', 'number'],
  ['boolean', 'TRUE', 'boolean'],
  ['div0', '#DIV/0!', 'error'],
  ['na', '#N/A', 'error'],
  ['name', '#NAME?', 'error'],
  ['err502', '#VALUE!', 'error'],
  ['formula number', '2', 'number'],
  ['formula text', 'ab', undefined],
  ['formula empty text', '', undefined],
  ['rich', 'one two  three', undefined],
  ['line break', 'one\ntwo', undefined],
  ['comment', 'value', undefined],
  ['text 00420', '00420', undefined],
  ['merged', 'm', undefined],
  ['hidden row', 'h', undefined],
  ['same', 'same', undefined],
  ['same', 'same', undefined],
  ['same', 'same', undefined],
];

describe.each(['xlsx', 'ods', 'xls'])('a real .%s file', (format) => {
  async function read(): Promise<ReadTable[]> {
    const isHeader = (cells: readonly string[]) => cells.includes('what');
    return (await readAll(fixture(`oddities.${format}`), { isHeader })).tables;
  }

  it('reads as it is shown, value by value', async () => {
    const [table] = await read();
    expect([table?.header, table?.headerRow]).toEqual([['what', 'hiddencol', 'value'], 3]);
    expect(table?.rows.map(({ cells, kinds }) => [cells[0], cells[2], kinds?.get(2)])).toEqual(EXPECTED);
    expect(table?.rows.map(({ number }) => number)).toEqual(EXPECTED.map((_, index) => index + 4));
  });

  it('says what is hidden, merged, empty and above the header', async () => {
    const [first, second] = await read();
    expect(
      first?.rows.filter(({ notes }) => notes !== undefined).map(({ number, notes }) => [number, notes]),
    ).toEqual([[26, ['hidden row']]]);
    expect([...(first?.notes ?? [])].sort()).toEqual([
      'hidden columns are read like the others: B',
      'sheet "Empty" is not read: it is empty',
      'the header is row 3; the lines above it are not read as rows',
      'there are merged cells; their value counts for the first cell only, the others are empty',
    ]);
    expect([second?.sheet, second?.notes]).toEqual(['Secret', ['the sheet is hidden']]);
  });
});

it('a real page of a spreadsheet program reads as the workbook does, without what it leaves out', async () => {
  const isHeader = (cells: readonly string[]) => cells.includes('what');
  const { file, tables } = await readAll(fixture('oddities-page.xls'), { isHeader });
  expect([file.format, tables.length, tables[0]?.headerRow]).toEqual(['html', 1, 3]);
  const isInPage = ([what]: readonly unknown[]) => what !== 'hidden row';
  const asInPage: Readonly<Record<string, readonly unknown[]>> = {
    boolean: ['1', 'number'],
    // A page shows several spaces as one.
    rich: ['one two three', undefined],
  };
  expect(tables[0]?.rows.map(({ cells, kinds }) => [cells[0], cells[1], kinds?.get(1)])).toEqual(
    EXPECTED.filter(isInPage).map(([what = '', ...value]) => [what, ...(asInPage[what] ?? value)]),
  );
});

it.each(['ods', 'xls'])('a real .%s file with a password is refused as such', async (format) => {
  expect((await refusalOf(fixture(`password.${format}`))).code).toBe('encrypted_file');
});
