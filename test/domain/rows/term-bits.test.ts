import { expect, it } from 'vitest';
import { bitsOf, placesOf, termsOfRecord } from '../../../src/domain/rows/search-terms.ts';

/** As the ledger looks at it. */
function seemsToHave(bits: Uint8Array, terms: readonly number[]): boolean {
  return placesOf(terms)
    .map((place) => place & (8 * bits.length - 1))
    .every((bit) => ((bits[bit >>> 3] ?? 0) >>> (bit & 7)) % 2 === 1);
}

const phones = (count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, at) => termsOfRecord({ phone: `+25471${from + at}` })[0] ?? 0);

it.each([1, 2, 5, 100, 7_000])('finds each of %i terms', (count) => {
  const terms = phones(count);
  const bits = bitsOf(terms);
  expect(terms.filter((term) => !seemsToHave(bits, [term]))).toEqual([]);
  expect(seemsToHave(bits, terms)).toBe(true);
});

it('takes few of the terms that are not there for one that is', () => {
  const bits = bitsOf(phones(7_000));
  const wrong = phones(100_000, 10_000).filter((term) => seemsToHave(bits, [term]));
  expect(wrong.length).toBeLessThan(300);
});

it('takes 4 bytes a term at most, but for the fewest', () => {
  for (const count of [1, 4, 5, 1_000, 4_097]) {
    const { length } = bitsOf(phones(count));
    expect(length).toBeLessThanOrEqual(Math.max(8, 4 * count));
    expect(Number.isInteger(Math.log2(length))).toBe(true);
  }
});
