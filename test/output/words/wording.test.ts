import { describe, expect, it } from 'vitest';
import type { UnansweredRows } from '../../../src/domain/sending/outcome.ts';
import { unansweredHeadline } from '../../../src/output/words/wording.ts';

const bad: UnansweredRows = {
  code: 'server_error',
  httpStatus: 500,
  rows: 10,
  ranges: [[4_917, 4_926]],
  areAlone: true,
  since: '2026-11-20T02:15:07.000Z',
};

const origin = 'https://api.example.com';

describe('rows that the API gave no answer', () => {
  it('and that always fail are named', () => {
    expect(unansweredHeadline(bad, origin)).toBe(
      '10 rows always get HTTP 500: rows 4917 to 4926, since 2026-11-20 02:15 UTC; others were answered',
    );
    const one: UnansweredRows = { ...bad, code: 'timeout', httpStatus: null, rows: 1, ranges: [[7, 7]] };
    expect(unansweredHeadline(one, origin)).toMatch(/^1 row always gets no answer in time: row 7, since/);
    const many: UnansweredRows = {
      ...bad,
      rows: 30,
      ranges: [
        [3, 3],
        [7, 12],
      ],
    };
    expect(unansweredHeadline(many, origin)).toContain('rows 3, 7 to 12 and 23 more');
  });

  it('while no other is answered, or by a cause that no single row has, say it of the API', () => {
    expect(unansweredHeadline({ ...bad, areAlone: false }, origin)).toBe(
      'The API gave no answer for 10 rows: fault of the API itself (HTTP 500) at https://api.example.com, since 2026-11-20 02:15 UTC',
    );
    expect(unansweredHeadline({ ...bad, code: 'connection_refused', httpStatus: null }, origin)).toContain(
      'The API gave no answer for 10 rows: connection refused at',
    );
  });
});
