import { expect, it } from 'vitest';
import { rarestOf } from '../../../src/propose/dialogue/review.ts';

const sentOf = (value: string, rows: number) => ({ value, sent: value, rows, example_row: 2 });

it('shows values of the rarest forms first, and one of each form before a second one', () => {
  const values = [sentOf('0712', 40), sentOf('0713', 30), sentOf('07-14', 1), sentOf('n/a', 5)];
  expect(rarestOf(values, 3).map(({ value }) => value)).toEqual(['07-14', 'n/a', '0712']);
  expect(rarestOf(values, 9)).toHaveLength(4);
  expect(rarestOf(values, 1)).toEqual([sentOf('07-14', 1)]);
});
