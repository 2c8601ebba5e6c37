import { expect, it } from 'vitest';
import { PayeeSet } from '../../src/watch/series.ts';
import { createRandom } from '../simulation/random.ts';

it('numbers payees in the order in which they come, and knows them again while it grows', () => {
  const random = createRandom(3);
  const numbers = new Map<string, number>();
  const set = new PayeeSet();
  let mistakes = 0;
  for (let step = 0; step < 20_000; step += 1) {
    // Some begin alike, and so want the same slot; some differ in their last byte only.
    const bytes = Array.from({ length: 8 }, (_, at) => (at < 3 ? 0 : random.whole(0, at === 7 ? 255 : 2)));
    const payee = String.fromCharCode(...bytes);
    if (set.numberOf(payee) !== (numbers.get(payee) ?? -1)) mistakes += 1;
    const expected = numbers.get(payee) ?? numbers.size;
    numbers.set(payee, expected);
    if (set.add(payee) !== expected) mistakes += 1;
  }
  expect(mistakes).toBe(0);
  expect(set.size).toBe(numbers.size);
  expect(numbers.size).toBeGreaterThan(10_000);
});
