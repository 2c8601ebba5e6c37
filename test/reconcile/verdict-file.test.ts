import { describe, expect, it } from 'vitest';
import { readVerdicts } from '../../src/reconcile/verdict-file.ts';

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
    expect(read.problems).toEqual([]);
    expect(read.verdicts).toEqual([
      { row: 8, verdict: 'not-created', id: null, note: 'why', key: null },
      { row: 9, verdict: 'created', id: 'id-9', note: 'why', key: 'k' },
    ]);
  });

  it('tells of every line that is no verdict, and keeps the others', () => {
    const { verdicts, problems } = readVerdicts('v.csv', header, [
      line(2, '8', 'yes'),
      line(3, 'x', 'send'),
      line(4, '9', 'send'),
      line(5, '9', 'send'),
    ]);
    expect(problems).toEqual([
      expect.stringContaining('row 8: '),
      expect.stringContaining('line 3: '),
      'row 9: it has two verdicts',
    ]);
    expect(verdicts.map(({ row }) => row)).toEqual([9]);
    expect(() => readVerdicts('v.csv', ['row', 'note'], [])).toThrow('no column "verdict"');
  });
});
