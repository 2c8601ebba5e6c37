import { describe, expect, it } from 'vitest';
import { plainReadingRules } from '../../../src/domain/tables/mapping.ts';
import { createAmountCheck } from '../../../src/kinds/fields/amount.ts';
import { inCurrencyUnits, powerOf, unitNamed } from '../../../src/kinds/fields/amount-units.ts';
import { noOtherValues, passedValue } from '../../../src/kinds/fields/value-text.ts';

describe('the unit of amounts', () => {
  it.each([
    ['Reste à recouvrer (milliers FCFA)', 'amounts_in_thousands'],
    ["Net '000", 'amounts_in_thousands'],
    ['Betrag in TEUR', 'amounts_in_thousands'],
    ['Valor (R$ mil)', 'amounts_in_thousands'],
    ['Сумма, тыс. руб.', 'amounts_in_thousands'],
    ['Kwota (tys. zł)', 'amounts_in_thousands'],
    ['Amount (USD mln)', 'amounts_in_millions'],
    ['amount_in_cents', 'amounts_in_cents'],
    ['netPayCents', 'amounts_in_cents'],
    ['Amount (minor units)', 'amounts_in_cents'],
  ])('is named by a title: %s', (title, unit) => {
    expect(unitNamed(title)).toBe(unit);
  });

  it.each(['Amount', 'Amount approved (K)', 'Net pay (KES)', 'Percent paid', 'Montant en FCFA', 'Net 2000'])(
    'is that of the currency in most titles: %s',
    (title) => {
      expect(unitNamed(title)).toBe(undefined);
    },
  );

  it('multiplies exactly', () => {
    expect(inCurrencyUnits('47.2', 3)).toBe('47200');
    expect(inCurrencyUnits('0.0005', 3)).toBe('0.5');
    expect(inCurrencyUnits('123456789012345678.9', 3)).toBe('123456789012345678900');
    expect(inCurrencyUnits('12550', -2)).toBe('125.50');
    expect(inCurrencyUnits('5', -2)).toBe('0.05');
  });

  it('counts for number cells and for texts, whose decimal sign then separates no groups', () => {
    const power = powerOf(new Set(['amounts_in_thousands'] as const)) ?? 0;
    const check = createAmountCheck({ ...plainReadingRules, decimal: ',', thousands: ' ', power });
    const francs = { ...noOtherValues, valueOf: () => 'XOF' };
    const read = (text: string, kind?: 'number') => passedValue(check(text, kind, francs));
    expect(read('47.2', 'number')).toBe('47200');
    expect(read('2 819,5')).toBe('2819500');
    expect(read('47,250')).toBe('47250');
    expect(read('-47,2')).toBe(undefined);
  });

  it('leaves the doubt about three digits behind a sign where cents have no more decimals', () => {
    const power = powerOf(new Set(['amounts_in_cents'] as const)) ?? 0;
    const check = createAmountCheck({ ...plainReadingRules, thousands: ',', power });
    const shillings = { ...noOtherValues, valueOf: () => 'KES' };
    const read = (text: string) => passedValue(check(text, undefined, shillings));
    expect([read('12,550'), read('12.550')]).toEqual(['125.50', undefined]);
  });
});
