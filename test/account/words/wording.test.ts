import { describe, expect, it } from 'vitest';
import {
  checkedHeadline,
  headline,
  standingHeadline,
  unansweredHeadline,
} from '../../../src/account/words/wording.ts';
import type { UnansweredRows } from '../../../src/domain/sending/stops.ts';

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

  it('are reported as an outage of the API if no other row is answered, or if the cause is none of a single row', () => {
    expect(unansweredHeadline({ ...bad, areAlone: false }, origin)).toBe(
      'The API gave no usable answer for 10 rows: fault of the API itself (HTTP 500) at https://api.example.com, since 2026-11-20 02:15 UTC',
    );
    expect(unansweredHeadline({ ...bad, code: 'connection_refused', httpStatus: null }, origin)).toContain(
      'The API gave no answer for 10 rows: connection refused at',
    );
  });
});

it('counts a single row as one, and not as all of one', () => {
  expect(headline(1, { created: 1 })).toBe('1 row created');
  expect(headline(2, { created: 2 })).toBe('All 2 rows created');
  expect(headline(1, { rejected: 1 })).toBe('0 of 1 row created; 1 rejected');
  expect(checkedHeadline({ not_sent: 1 }, {})).toBe('1 row is ready to be sent');
  expect(checkedHeadline({ not_sent: 3, invalid: 1 }, {})).toBe(
    '3 of 4 rows are ready to be sent; 1 invalid',
  );
  expect(checkedHeadline({ not_sent: 3, invalid: 1 }, { not_sent: 1 })).toBe(
    '2 of 4 rows are ready to be sent; 1 repeats an earlier row, 1 invalid',
  );
});

it('says of rows of which none was sent yet how many passed the check, and not that none was created', () => {
  expect(standingHeadline({ rows: 226, counts: { not_sent: 226 }, repeats: {} }, false)).toBe(
    'All 226 rows passed the check',
  );
  const few = { not_sent: 1, existing: 1, invalid: 1 };
  expect(standingHeadline({ rows: 3, counts: few, repeats: {} }, false)).toBe(
    '1 of 3 rows passed the check; 1 existing, 1 invalid',
  );
  const some = { rows: 3, counts: { not_sent: 2, created: 1 }, repeats: {} };
  expect(standingHeadline(some, false)).toBe('1 of 3 rows created; 2 not sent');
  const closed = { rows: 2, counts: { not_sent: 2 }, repeats: {} };
  expect(standingHeadline(closed, true)).toBe('0 of 2 rows created; 2 not sent');
});

it('says of rows that passed how many of them are sent with an earlier row', () => {
  const checked = { rows: 57, counts: { not_sent: 32, invalid: 25 }, repeats: { not_sent: 1 } };
  expect(standingHeadline(checked, false)).toBe(
    '32 of 57 rows passed the check; 1 of them repeats an earlier row, 25 invalid',
  );
});
