import { utils, write } from '@e965/xlsx';
import { afterEach, describe, expect, it } from 'vitest';
import { CompoundFile } from '../../../src/read/file/compound-file.ts';
import { defaultLimits, InputError } from '../../../src/read/file/input-error.ts';
import { readWorkbook } from '../../../src/read/workbook/whole/read-workbook.ts';
import { keepOnlyCells } from '../../../src/read/workbook/whole/xls-records.ts';
import { textRow, workbook } from '../../support/workbook.ts';
import { outcomeOf, removeTemporaryFiles, seededRandom } from '../reading.ts';
import { ods, odsRow, odsSheet, odsText } from './ods/archive.ts';

afterEach(removeTemporaryFiles);

const records = Array.from({ length: 12 }, (_, index) => [`name ${index}`, `00${index * 7}`, `Zoë ${index}`]);

interface Walk {
  /** The first byte that is changed, behind the format's signature. */
  readonly from: number;
  readonly step: number;
  readonly seed: number;
}

/** Copies of a file, in each of which one bit of one byte is another. */
function* changedCopies(
  original: Buffer,
  { from, step, seed }: Walk,
): Generator<{ position: number; changed: Buffer }> {
  const random = seededRandom(seed);
  for (let position = from; position < original.length; position += step) {
    const changed = Buffer.from(original);
    changed[position] = (changed[position] ?? 0) ^ (1 << Math.floor(random() * 8));
    yield { position, changed };
  }
}

const xlsx = workbook({
  sheets: [
    {
      name: 'S',
      rows: `${textRow(1, ['a', 'b', 'c'])}${records.map((cells, at) => textRow(at + 2, cells)).join('')}<row r="20"><c r="A20" t="s"><v>1</v></c><c r="B20" s="1"><v>7</v></c></row>`,
    },
  ],
  texts: ['<t>first</t>', '<t>second</t>'],
  formats: ['00000'],
});

const rowOf = (cells: readonly string[]): string => odsRow(cells.map((cell) => odsText(cell)).join(''));
const opendocument = ods({ sheets: odsSheet([['a', 'b', 'c'], ...records].map(rowOf).join('')) });

function written(bookType: 'biff8' | 'xlsb', rows: readonly (readonly (string | number)[])[]): Buffer {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([['a', 'b', 'c'], ...rows.map((row) => [...row])]), 'S');
  utils.book_append_sheet(book, utils.aoa_to_sheet([['q'], ['1']]), 'T');
  return write(book, { type: 'buffer', bookType });
}

describe('with any byte changed', () => {
  it.each<[string, Buffer, Walk, number]>([
    ['xlsx', xlsx, { from: 4, step: 5, seed: 11 }, xlsx.length / 14],
    ['ods', opendocument, { from: 4, step: 2, seed: 12 }, opendocument.length / 6],
    ['xlsb', written('xlsb', records), { from: 5, step: 797, seed: 13 }, 0],
  ])('an .%s file is refused or reads the same', async (_, original, walk, leastRefused) => {
    const expected = await outcomeOf(original);
    let refused = 0;
    for (const { position, changed } of changedCopies(original, walk)) {
      const read = await outcomeOf(changed);
      if (read === null) refused += 1;
      else expect({ position, read }).toEqual({ position, read: expected });
    }
    expect(refused).toBeGreaterThan(leastRefused);
  });

  /** What an `.xls` file is read as, or the code with which it is refused; anything else fails. */
  function outcomeOfXls(file: Buffer): string[][] | string {
    try {
      const stream = new CompoundFile(file).stream('workbook');
      if (stream === null) return 'document_file';
      const content = Buffer.from(stream);
      keepOnlyCells(content);
      return readWorkbook(content, defaultLimits).flatMap((sheet) =>
        [...sheet.rows()].map(({ cells }) => cells),
      );
    } catch (error) {
      if (error instanceof InputError) return error.code;
      throw error;
    }
  }

  it('an .xls file is read or refused, and never more than that', () => {
    const rows = Array.from({ length: 150 }, (_, index) => [`name ${index}`, `00${index * 7}`, index]);
    const original = written('biff8', rows);
    const expected = JSON.stringify(outcomeOfXls(original));
    let same = 0;
    let others = 0;
    for (const { changed } of changedCopies(original, { from: 8, step: 29, seed: 14 })) {
      if (JSON.stringify(outcomeOfXls(changed)) === expected) same += 1;
      else others += 1;
    }
    expect(Math.min(same, others)).toBeGreaterThan(50);
  });
});
