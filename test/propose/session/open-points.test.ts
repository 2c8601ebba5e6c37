import { expect, it } from 'vitest';
import { openPointsOf } from '../../../src/propose/session/question-reason.ts';
import { kenyan, type Lines, readLines } from '../grids.ts';

const wages: Lines = [
  ['No.', 'Member', 'Names', 'M-PESA no.', 'Provider', 'Gross', 'Net pay (KES)'],
  [1, 'C-1', 'Amina Otieno', '0712 345 678', 'Safaricom', 900, 850],
  [2, 'C-2', 'Joseph Mushi', '0712 345 679', 'Zebra Wallet', 1000, 950],
  [3, 'C-3', 'Wanjiru Kamau', '0712 345 680', 'Airtel', 800, 760],
];

const reading = { about: 'reading', why: 'No person has looked at this reading yet.' };

it('names the reading, values without a meaning, and other columns of amounts, but no running number', async () => {
  const open = openPointsOf(await readLines(wages, {}, kenyan));
  expect(open[0]).toEqual(reading);
  expect(open).toContainEqual({ about: 'Provider', why: 'say which institution_name each value means' });
  expect(open).toContainEqual({ about: 'Net pay (KES)', why: 'The column "Gross" has amounts too.' });
});

it('names the reading alone where nothing else is uncertain', async () => {
  const sure: Lines = wages.map((cells) => [...cells.slice(1, 5), cells[6] ?? '']);
  const own = new Map([
    ['Zebra Wallet', 'Airtel Money'],
    ['Airtel', 'Airtel Money'],
    ['Safaricom', 'M-Pesa'],
  ]);
  const known = sure.map((cells) => cells.map((cell) => own.get(String(cell)) ?? cell));
  expect(openPointsOf(await readLines(known, {}, kenyan))).toEqual([reading]);
});
