import { describe, expect, it } from 'vitest';
import { amountOf, dayOf } from '../../src/reconcile/export-values.ts';

describe('a value of an export', () => {
  it.each([
    ['2026-11-01', '2026-11-01'],
    ['2026-11-01T23:59:59.999Z', '2026-11-01'],
    ['2026-11-01 00:30', '2026-11-01'],
    ['2026-11-02T01:30:00+02:00', '2026-11-01'],
    ['2026-10-31T22:30:00-02:30', '2026-11-01'],
    ['2028-02-29', '2028-02-29'],
    ['2026-02-29', null],
    ['01.11.2026', null],
    ['soon', null],
  ])('%s is the UTC day %s', (text, day) => expect(dayOf(text, {})).toBe(day));

  it('is a day in the declared order only', () => {
    const mapping = { dateFormat: 'DD.MM.YYYY' };
    expect(dayOf('1.2.2026 10:00', mapping)).toBe('2026-02-01');
    expect(dayOf('31.2.2026', mapping)).toBeNull();
    expect(dayOf('2026-02-01', mapping)).toBeNull();
    expect(dayOf('01x02x2026', mapping)).toBeNull();
  });

  it('is an exact amount, signs and declared separators aside', () => {
    expect(amountOf('-40.10', {})).toBe('-40.10');
    expect(amountOf('+1', {})).toBe('1');
    expect(amountOf('1.234.567,89', { decimal: ',', thousands: '.' })).toBe('1234567.89');
    for (const text of ['1,234.00', '1e3', '10 KES', '']) expect(amountOf(text, {})).toBeNull();
  });
});
