import { afterEach, describe, expect, it } from 'vitest';
import { hostileOds } from '../../hostile-files.ts';
import { outcomeOf, readAll, refusalOf, removeTemporaryFiles } from '../../reading.ts';
import { ods, odsRow, odsSheet, odsText } from './archive.ts';

afterEach(removeTemporaryFiles);

describe('an .ods file that means harm or is broken', () => {
  it.each(hostileOds)('%s: refused with a code', async (_, content, code) => {
    const refusal = await refusalOf(content);
    expect(refusal.code).toBe(code);
    expect(refusal.remedies).not.toEqual([]);
  });

  it('repeated cells are counted over all rows', async () => {
    const rows = odsRow(odsText('x', 'table:number-columns-repeated="3"'), 'table:number-rows-repeated="2"');
    const content = ods({
      sheets: odsSheet(odsRow(odsText('a') + odsText('b') + odsText('c')) + rows + rows),
    });
    expect((await readAll(content, { limits: { repeatedCells: 10 } })).tables[0]?.rows).toHaveLength(4);
    expect((await refusalOf(content, { limits: { repeatedCells: 9 } })).code).toBe('limit_exceeded');
  });
});

describe('damage anywhere in an .ods file', () => {
  const rows = Array.from({ length: 12 }, (_, index) =>
    odsRow(odsText(`name ${index}`) + odsText(`00${index * 7}`)),
  );
  const original = ods({ sheets: odsSheet(odsRow(odsText('a') + odsText('b')) + rows.join('')) });

  it('cut off anywhere, it is refused', async () => {
    for (let length = 4; length < original.length; length += 11) {
      expect({ length, read: await outcomeOf(original.subarray(0, length)) }).toEqual({ length, read: null });
    }
  });
});
