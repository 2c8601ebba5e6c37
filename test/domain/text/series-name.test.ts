import { describe, expect, it } from 'vitest';
import { seriesName } from '../../../src/domain/batches/last-time.ts';

describe('the series of a file', () => {
  it.each([
    ['Salary Schedule_NG_Nov26.xlsx', 'salary schedule NG Dec 2026.xlsx'],
    ['Pagos_proveedores_2026-11.csv', 'Pagos_proveedores_2026-12.csv'],
    ['Fournisseurs à régler – novembre 2026.xlsx', 'Fournisseurs à régler – décembre 2026.xlsx'],
    ['Honorare Q3-2026 DE+AT.xlsx', 'Honorare Q4-2026 DE+AT.xlsx'],
    ['Debtors listing 15-Nov (collect).xlsx', 'Debtors listing 1st February (collect).xlsx'],
    ['Gehälter März.csv', 'Gehälter Sept.csv'],
    ['payments.csv', 'payments (2).csv'],
  ])('is one for %s and %s', (one, other) => {
    expect(seriesName(one, null)).not.toBeNull();
    expect(seriesName(other, null)).toBe(seriesName(one, null));
  });

  it.each([
    ['Salaries NG Nov26.xlsx', 'Salaries GH Nov26.xlsx'],
    ['Staff 1.csv', 'Staff north 1.csv'],
  ])('is not one for %s and %s', (one, other) => {
    expect(seriesName(one, null)).not.toBe(seriesName(other, null));
  });

  it('tells sheets apart by what lasts in their names', () => {
    const name = (sheet: string): string | null => seriesName('Salaries 2026.xlsx', sheet);
    expect(name('Lagos Nov')).toBe(name('Lagos Dec 26'));
    expect(name('Lagos Nov')).not.toBe(name('Abuja Nov'));
    expect(name('11')).toBe(name('Dec'));
  });

  it('is none where a name has nothing but dates and numbers', () => {
    expect(
      ['2026-11-15.csv', 'Nov 26.xlsx', '-', '', 'P1.csv'].map((name) => seriesName(name, 'Sheet1')),
    ).toEqual(Array.from({ length: 5 }, () => null));
  });
});
