import { describe, expect, it } from 'vitest';
import { formOfAccounts, hasAccountForm } from '../../../src/kinds/fields/bank-numbers.ts';

/** A CLABE with its check digit. */
function clabe(first: string): string {
  const weights = [3, 7, 1];
  const sum = [...first].reduce(
    (total, digit, at) => total + ((Number(digit) * (weights[at % 3] ?? 0)) % 10),
    0,
  );
  return `${first}${(10 - (sum % 10)) % 10}`;
}

const clabes = Array.from({ length: 12 }, (_, at) => clabe(`0721800${String(4_711_000_000 + at * 7_919)}`));

describe('forms of account numbers with check digits', () => {
  it('are known by the numbers of a column, however they are grouped', () => {
    expect(formOfAccounts(clabes)).toBe('clabe');
    expect(formOfAccounts(clabes.map((own) => `${own.slice(0, 3)} ${own.slice(3, 6)} ${own.slice(6)}`))).toBe(
      'clabe',
    );
    const ribs = Array.from({ length: 12 }, (_, at) => {
      const first = BigInt(`00778000001234567${String(10_000 + at * 37)}`);
      return String(first * 100n + (97n - ((first * 100n) % 97n))).padStart(24, '0');
    });
    expect(formOfAccounts(ribs)).toBe('mod97_0');
    expect(formOfAccounts(clabes.slice(0, 9))).toBe(undefined);
    expect(formOfAccounts(clabes.map((own, at) => `${own.slice(0, 17)}${at % 10}`))).toBe(undefined);
  });

  it('find a mistyped digit and one that is missing', () => {
    const [first = ''] = clabes;
    expect(hasAccountForm(first, 'clabe')).toBe(true);
    expect(hasAccountForm(`${first.slice(0, 17)}${(Number(first[17]) + 1) % 10}`, 'clabe')).toBe(false);
    expect(hasAccountForm(first.slice(1), 'clabe')).toBe(false);
    expect(hasAccountForm('2850590940090418135201', 'cbu')).toBe(true);
    expect(hasAccountForm('2850590940090418135202', 'cbu')).toBe(false);
    expect(hasAccountForm('4539 1488 0343 6467', 'luhn')).toBe(true);
    expect(hasAccountForm('4539 1488 0343 6468', 'luhn')).toBe(false);
    expect(hasAccountForm('TR33 0006 1005 1978 6457 8413 26', 'iban')).toBe(true);
  });
});
