import { describe, expect, it } from 'vitest';
import { readVerdicts, requireSameKeys } from '../../src/reconcile/verdict-file.ts';

const header = ['row', 'status', 'key', 'age', 'what is known', 'verdict', 'id', 'note'];

function line(
  number: number,
  row: string,
  verdict: string,
  id = '',
  key = '',
): { number: number; cells: string[] } {
  return { number, cells: [row, 'unknown', key, '3 days', 'sent', verdict, id, 'why'] };
}

describe('a file of verdicts', () => {
  it('takes the lines that have a verdict, however it is spelt', () => {
    const read = readVerdicts('v.csv', header, [
      line(2, '7', ''),
      line(3, '8', ' Not_Created '),
      line(4, '9', 'created', 'id-9', 'k'),
    ]);
    expect(read).toEqual([
      { row: 8, verdict: 'not-created', id: null, note: 'why', key: null },
      { row: 9, verdict: 'created', id: 'id-9', note: 'why', key: 'k' },
    ]);
  });

  it('is refused as a whole, naming every wrong row', () => {
    const read = (): unknown =>
      readVerdicts('v.csv', header, [
        line(2, '8', 'yes'),
        line(3, 'x', 'send'),
        line(4, '9', 'send'),
        line(5, '9', 'send'),
      ]);
    expect(read).toThrow(/row 8: .*; line 3: .*; row 9: it has two verdicts/);
    expect(() => readVerdicts('v.csv', ['row', 'note'], [])).toThrow('no column "verdict"');
  });

  it('is refused when a row has got another key since it was written', () => {
    const filed = readVerdicts('v.csv', header, [line(2, '8', 'send', '', 'old'), line(3, '9', 'send')]);
    expect(() =>
      requireSameKeys(
        'v.csv',
        filed,
        new Map([
          [8, 'new'],
          [9, 'any'],
        ]),
      ),
    ).toThrow('row 8');
    expect(() =>
      requireSameKeys(
        'v.csv',
        filed,
        new Map([
          [8, 'old'],
          [9, 'any'],
        ]),
      ),
    ).not.toThrow();
  });
});
