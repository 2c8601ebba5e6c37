import { describe, expect, it } from 'vitest';
import { cutName, standingTitle, sumsOf } from '../../../src/console/pages/standing.ts';
import type { BatchState } from '../../../src/domain/batches/account.ts';
import type { StatusCounts } from '../../../src/domain/rows/row-state.ts';

describe('the title of a batch', () => {
  it.each([
    ['planned', { not_sent: 4, invalid: 17 }, 'To be sent: 4 of 21 rows'],
    ['planned', { not_sent: 2 }, 'To be sent: 2 rows'],
    ['unapproved', { not_sent: 1 }, 'Waiting for approval: 1 row'],
    ['running', { created: 5, not_sent: 307 }, 'Under way: 312 rows'],
    ['finished', { created: 312 }, 'Sent: 312 rows'],
    ['finished', { created: 1_000, rejected: 200 }, 'Sent: 1,000 of 1,200 rows'],
    ['unfinished', { created: 9, unknown: 1 }, 'Sent: 9 of 10 rows, 1 in doubt'],
    ['finished', { held: 39, invalid: 8 }, 'Nothing sent: 47 rows'],
    ['unfinished', { unknown: 1 }, 'Sent: 0 of 1 row, 1 in doubt'],
    ['finished', { existing: 3 }, 'Nothing to send: 3 rows existed already'],
    ['closed', { invalid: 3 }, 'Closed: no row was sent'],
    ['closed', { created: 2, invalid: 1 }, 'Closed: 2 of 3 rows sent'],
  ] as readonly (readonly [BatchState, StatusCounts, string])[])(
    'says of a %s batch of %j: %s',
    (state, counts, title) => {
      const rows = Object.values(counts).reduce((sum, each) => sum + each, 0);
      expect(standingTitle({ state, counts, repeats: {}, rows })).toBe(title);
    },
  );
});

it('adds up by currency what was sent and what was not', () => {
  const sum = (status: 'created' | 'not_sent' | 'invalid', currency: string, amount: string) => ({
    ...{ status, currency, amount },
    rows: 1,
  });
  const sums = [
    sum('created', 'KES', '1200.50'),
    sum('created', 'GHS', '3.00'),
    sum('invalid', 'KES', '9.00'),
  ];
  expect(sumsOf({ kind: 'collections', sums })?.text).toMatch(/^<dl class="sums"><div><dt>Sent<\/dt>/);
  expect(sumsOf({ kind: 'collections', sums })?.text).toContain('1,200.50 KES');
  expect(sumsOf({ kind: 'collections', sums })?.text).not.toContain('9.00');
  const registered = sumsOf({ kind: 'recipients', sums })?.text;
  expect(registered).toContain('<dt>Amounts of the rows sent, only checked</dt>');
  expect(registered).not.toContain('<dt>Sent</dt>');
  expect(sumsOf({ kind: 'collections', sums: null })).toBe(null);
});

it('cuts a long name in its middle, and has the whole one for the focus', () => {
  const name = `salaries ${'and more '.repeat(9)}of October <2026>.xlsx`;
  const { text } = cutName(name);
  expect(text).toContain('tabindex="0"');
  expect(text).toContain('…of October &lt;2026&gt;.xlsx'.slice(-20));
  expect(text).toContain(`<span class="whole">${name.replace('<', '&lt;').replace('>', '&gt;')}</span>`);
  expect(cutName('short.csv').text).toBe('short.csv');
});
