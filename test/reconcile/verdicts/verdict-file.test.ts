import { describe, expect, it } from 'vitest';
import {
  type ReadLine,
  type VerdictLine,
  verdictReader,
} from '../../../src/reconcile/verdicts/verdict-file.ts';

const header = ['row', 'status', 'key', 'attempts', 'age', 'what is known', 'verdict', 'id', 'note'];

function line(
  number: number,
  row: string,
  verdict: string,
  id = '',
  key = '',
  attempts = '',
): { number: number; cells: string[] } {
  return { number, cells: [row, 'unknown', key, attempts, '3 days', 'sent', verdict, id, 'why'] };
}

function read(lines: readonly VerdictLine[], titles = header): ReadLine[] {
  return lines.map(verdictReader('v.csv', titles));
}

describe('a file of verdicts', () => {
  it('takes the lines that have a verdict, however it is spelt', () => {
    expect(
      read([line(2, '7', ''), line(3, '8', ' Not_Created '), line(4, '9', 'created', 'id-9', 'k', '3')]),
    ).toEqual([
      null,
      { verdict: { row: 8, verdict: 'not-created', id: null, note: 'why', key: null, attempts: null } },
      { verdict: { row: 9, verdict: 'created', id: 'id-9', note: 'why', key: 'k', attempts: 3 } },
    ]);
  });

  it('tells of every line that is no verdict, and reads on', () => {
    const lines = [
      ...[line(2, '8', 'yes'), line(3, 'x', 'send'), line(3, '8', 'send', '', '', 'twice')],
      line(4, '9', 'send'),
    ];
    expect(read(lines)).toEqual([
      { problem: expect.stringContaining('row 8: ') },
      { problem: expect.stringContaining('line 3: ') },
      { problem: 'row 8: "attempts" is no number' },
      { verdict: expect.objectContaining({ row: 9 }) },
    ]);
    expect(() => read([], ['row', 'note'])).toThrow('no column "verdict"');
  });
});
