import { expect, it } from 'vitest';
import { kenyan, readLines as read } from '../grids.ts';

const header = ['Client ID', 'Jina', 'Simu', 'Kiasi'];
const people = [
  ['C-1', 'Amina Otieno', '0712345678', '1500'],
  ['C-2', 'Joseph Mushi', '0712345679', '1600'],
  ['C-3', 'Mary Awuor', '0733123456', '1700'],
  ['C-4', 'Peter Owuor', '0733123457', '1800'],
];
const grouped = (first: string, second: string) => [
  header,
  [first],
  ...people.slice(0, 2),
  [second],
  ...people.slice(2),
];
const saidOf = (currency: string) => ({
  'reading:payee_type': 'mobile_money',
  'constant:currency': { text: currency },
});

it('headings that are institutions of the country are the institution of the rows below them', async () => {
  const { mapping } = await read(grouped('M-PESA', 'Airtel Money'), saidOf('KES'), kenyan);
  expect(mapping.columns?.['(heading)']).toBe('institution_name');
  const abroad = await read(grouped('M-PESA', 'Airtel Money'), saidOf('XAF'), kenyan);
  expect(abroad.mapping.columns?.['(heading)']).toBe(undefined);
});

it('headings that are no field of a row are not read, and the mapping does not name them', async () => {
  const { mapping } = await read(grouped('North', 'South'), saidOf('KES'), kenyan);
  expect(JSON.stringify(mapping)).not.toContain('(heading)');
});

it('headings are read as a person says', async () => {
  const said = { ...saidOf('KES'), 'column:(heading)': 'label' };
  const { mapping } = await read(grouped('North', 'South'), said, kenyan);
  expect(mapping.columns?.['(heading)']).toBe('label');
});

/** Rows of eight cells, each group under a line with the label in its first cell. */
const wide = (lines: readonly (readonly string[])[]) => [
  ['Client ID', 'Jina', 'Simu', 'Siku', 'Kiwango', 'Nauli', 'Kiasi', 'Sahihi'],
  ...lines,
];
const days = (from: number): string[][] =>
  people.map(([, name = '', phone = '', pay = ''], at) => [
    `C-${from + at}`,
    ...[name, phone, '5', '200', '300', pay, 'x'],
  ]);

it('a heading may have more cells than half of a row: its label, names, a count and sums', async () => {
  const heading = (bank: string, person: string) => ['BANK', bank, person, '4 persons', '20', '900'];
  const lines = [
    heading('M-PESA', 'Mr. Ouma'),
    ...days(1),
    heading('Airtel Money', 'Mrs. Njeri'),
    ...days(5),
  ];
  const said = { ...saidOf('KES'), 'column:(heading BANK)': 'label' };
  const { mapping } = await read(wide(lines), said, kenyan);
  expect(mapping.columns?.['(heading BANK)']).toBe('label');
});

it('a word in the first cell of many rows on end is a value, and no label of headings', async () => {
  const short = people.map(([, name = '', phone = '']) => ['Nairobi', name, phone, '', '200']);
  const lines = [...days(1), ...short, ...days(5), ...days(9)];
  const said = { ...saidOf('KES'), 'column:(heading Nairobi)': 'label' };
  const { mapping } = await read(wide(lines), said, kenyan);
  expect(mapping.columns?.['(heading Nairobi)']).toBe(undefined);
});
