import { afterEach, describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../../src/read/file/input-error.ts';
import { readWorkbook } from '../../../../src/read/workbook/whole/read-workbook.ts';
import { keepOnlyCells } from '../../../../src/read/workbook/whole/xls-records.ts';
import { type XlsBook, type XlsCell, type XlsStyle, xlsFile, xlsWorkbook } from '../../../support/xls.ts';
import { readTable, removeTemporaryFiles } from '../../reading.ts';

afterEach(removeTemporaryFiles);

const [red, yellow, white, black] = [10, 13, 9, 8];

/** The looks of the rows of each sheet, by their number. */
function looksOf(book: XlsBook) {
  const workbook = xlsWorkbook(book);
  keepOnlyCells(workbook);
  return readWorkbook(workbook, defaultLimits).map((sheet) =>
    [...sheet.rows()].flatMap(({ number, look }) => (look === undefined ? [] : [[number, look] as const])),
  );
}

/** The look of one row of two cells in these styles. */
function lookOf(styles: readonly XlsStyle[], palette?: readonly string[]) {
  const cells = [0, 1].map((at): XlsCell => ['x', Math.min(at, styles.length - 1)]);
  const rows = [['a', 'b'], cells];
  const [sheet = []] = looksOf({
    sheets: [{ name: 'S', rows }],
    styles,
    ...(palette === undefined ? {} : { palette }),
  });
  return sheet[0]?.[1];
}

describe('the look of a row of an .xls file', () => {
  it.each([
    ['a strike', { isStruck: true }, ['struck through']],
    ['a fill', { fill: yellow }, ['yellow FFFF00']],
    ['a colour of the letters', { textColour: red }, ['red text FF0000']],
    [
      'all of them',
      { isStruck: true, fill: yellow, textColour: red },
      ['struck through', 'red text FF0000', 'yellow FFFF00'],
    ],
  ] as const)('is that of its cells: %s', (_, style, marks) => {
    expect(lookOf([style])).toEqual({ marks, partly: [] });
  });

  it.each([
    ['the usual font', {}],
    ['a white fill', { fill: white }],
    ['black letters', { textColour: black }],
  ] as const)('is none: %s', (_, style) => {
    expect(lookOf([style])).toBeUndefined();
  });

  it('has colours of the palette of the file, where it has one', () => {
    const palette = ['000000', 'ffffff', '008000', '00ff00', '0000ff', 'ff9900'];
    expect(lookOf([{ fill: yellow, textColour: red }], palette)?.marks).toEqual([
      'green text 008000',
      'orange FF9900',
    ]);
  });

  it('is distinguished from that of some of its cells', () => {
    expect(lookOf([{ isStruck: true }, {}])).toEqual({ marks: [], partly: ['struck through'] });
  });

  it('counts numbers like texts, and is that of the row in its own sheet', () => {
    const styles = [{ isStruck: true }, { fill: yellow }];
    const struck: readonly XlsCell[] = [
      ['x', 0],
      [12.5, 0],
      [7, 0],
    ];
    const filled: readonly XlsCell[] = [[1, 1], [2, 1], 'x'];
    const header = ['a', 'b', 'c'];
    const plain = ['x', 1, 2];
    const sheets = [
      { name: 'One', rows: [header, plain, struck, plain] },
      { name: 'Two', rows: [header, filled, plain] },
    ];
    expect(looksOf({ sheets, styles })).toEqual([
      [[3, { marks: ['struck through'], partly: [] }]],
      [[2, { marks: ['yellow FFFF00'], partly: [] }]],
    ]);
  });

  it('counts each of several numbers in one record', () => {
    const styles = [{ isStruck: true }];
    const workbook = xlsWorkbook({ sheets: [{ name: 'S', rows: [['a', 'b', 'c', 'd'], ['x']] }], styles });
    const numbers = Buffer.from(Uint16Array.from([0x00bd, 24, 1, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0, 3]).buffer);
    const last = workbook.length - 4;
    const whole = Buffer.concat([workbook.subarray(0, last), numbers, workbook.subarray(last)]);
    keepOnlyCells(whole);
    const rows = [...(readWorkbook(whole, defaultLimits)[0]?.rows() ?? [])];
    expect(rows.map(({ cells, look }) => [cells.length, look?.marks])).toEqual([
      [4, undefined],
      [4, ['struck through']],
    ]);
  });

  it('reaches the reader of the file, through the program that reads it', async () => {
    const rows = [
      ['name', 'amount'],
      ['Amina', 1],
      [
        ['Otieno', 0],
        [2, 0],
      ],
    ] as const;
    const { rows: read } = await readTable(
      xlsFile({ sheets: [{ name: 'Pay', rows }], styles: [{ fill: red }] }),
    );
    expect(read.map(({ cells, look }) => [cells, look?.marks])).toEqual([
      [['Amina', '1'], undefined],
      [['Otieno', '2'], ['red FF0000']],
    ]);
  });
});
