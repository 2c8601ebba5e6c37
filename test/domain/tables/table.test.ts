import { describe, expect, it } from 'vitest';
import { protectCell, unprotectCell } from '../../../src/domain/tables/table.ts';

describe('cells that a spreadsheet program would take for a formula', () => {
  it.each(['=1+1', '+254712345678', '-5', '@SUM(A1)', '\tx', '\rx'])('guards %j', (text) => {
    expect(protectCell(text)).toBe(`'${text}`);
    expect(unprotectCell(`'${text}`)).toBe(text);
  });

  it.each(['', 'Wanjiru', '1+1', "O'Brien", "'tHooft", "'", "''", ' =1', '＝1', '＋254'])(
    'leaves %j alone, both ways',
    (text) => {
      expect(protectCell(text)).toBe(text);
      expect(unprotectCell(text)).toBe(text);
    },
  );

  it('takes exactly one apostrophe off', () => {
    expect(unprotectCell("''+254")).toBe("'+254");
  });

  it.each(["'+254", "''=x", "'''-", '+', "'@"])('gives %j back after writing and reading', (text) => {
    expect(protectCell(text)).not.toBe(text);
    expect(unprotectCell(protectCell(text))).toBe(text);
  });
});
