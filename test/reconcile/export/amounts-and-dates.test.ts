import { describe, expect, it } from 'vitest';
import { amountOf, dayOf } from '../../../src/reconcile/export/amounts-and-dates.ts';

const german = { decimal: ',', thousands: '.' } as const;

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
    expect(amountOf('-1 234,5', { decimal: ',', thousands: ' ' })).toBe('-1234.5');
    expect(amountOf('1’234.5', { thousands: "'" })).toBe('1234.5');
    for (const text of ['1,234.00', '1e3', '10 KES', '']) expect(amountOf(text, {})).toBeNull();
  });

  it('takes for a separator only what has groups of three behind it', () => {
    for (const text of ['12.50', '1.5', '0.125', '1.2345', '1234.567', '1.234.5', '.5', '1.250.']) {
      expect([text, amountOf(text, german)]).toEqual([text, null]);
    }
    for (const text of ['1,50', '12,5000', '0,125']) expect(amountOf(text, { thousands: ',' })).toBeNull();
    expect(amountOf('12.50', { decimal: ',' })).toBeNull();
    expect(amountOf('1.250', german)).toBe('1250');
  });
});
