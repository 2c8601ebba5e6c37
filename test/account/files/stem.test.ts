import { describe, expect, it } from 'vitest';
import { findingsStem, resultStem } from '../../../src/account/files/result-files.ts';

const batchId = '3f2a9c1e-5b7d-8a40-9c3e-0d1f2a3b4c5d';

function stem(fileName: string, sheet: string | null = null): string {
  return resultStem({ fileName, sheet, batchId });
}

describe('the names of result files', () => {
  it.each([
    ['recipients.csv', 'recipients.3f2a9c1e'],
    ['/data/in/recipients.csv', 'recipients.3f2a9c1e'],
    ['recipients.csv.gz', 'recipients.3f2a9c1e'],
    ['recipients.CSV.GZ', 'recipients.3f2a9c1e'],
    ['pay.2026-11.xlsx', 'pay.2026-11.3f2a9c1e'],
    ['recipients', 'recipients.3f2a9c1e'],
    ['-', 'stdin.3f2a9c1e'],
    ['pay roll (final)/November!.csv', 'November_.3f2a9c1e'],
    ['pay roll (2).csv', 'pay_roll__2_.3f2a9c1e'],
    ['ünïcode Größe.csv', 'ünïcode_Größe.3f2a9c1e'],
    ['u\u0308.csv', 'ü.3f2a9c1e'],
    ['a\u0000b\\c:d.csv', 'a_b_c_d.3f2a9c1e'],
    ['.csv', '_csv.3f2a9c1e'],
    ['..csv', '_.3f2a9c1e'],
    ['', '_.3f2a9c1e'],
  ])('%j gives %s', (fileName, expected) => {
    expect(stem(fileName)).toBe(expected);
  });

  it('add the sheet of a workbook', () => {
    expect(stem('book.xlsx', 'Pay out/Nov')).toBe('book.Pay_out_Nov.3f2a9c1e');
  });

  it('stay short enough for every file system, and keep the batch', () => {
    for (const name of ['a'.repeat(500), '支付'.repeat(300), '😀𝒜'.repeat(200)]) {
      const long = stem(`${name}.csv`, 'sheet');
      expect(Array.from(long).length).toBeLessThanOrEqual(100);
      expect(Buffer.byteLength(long)).toBeLessThanOrEqual(200);
      expect(long).toMatch(/\.3f2a9c1e$/);
      expect(Buffer.from(long).toString()).toBe(long);
    }
  });

  it('have no batch in a findings file, where none was made', () => {
    expect(findingsStem({ fileName: 'recipients.csv', sheet: null })).toBe('recipients');
    expect(findingsStem({ fileName: 'book.xlsx', sheet: 'Nov' })).toBe('book.Nov');
  });
});
