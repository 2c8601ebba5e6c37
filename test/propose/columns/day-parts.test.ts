import { expect, it } from 'vitest';
import { readLines as read } from '../grids.ts';

const births = [
  ['7', '6', '1984'],
  ['17', '12', '1990'],
  ['31', '2', '1969'],
  ['5', '5', '2001'],
  ['28', '11', '1977'],
  ['13', '1', '1958'],
];

/** A list of people with three columns under these titles. */
const listOf = (titles: readonly string[], parts: readonly (readonly string[])[]) => [
  ['Member no', 'First name', 'Last name', ...titles, 'Country'],
  ...parts.map((own, at) => [`M-${at}`, 'Ann', `Otieno ${'ABCDEF'[at]}`, ...own, 'KE']),
];

const customers = { stated: { kind: 'customers' } };

it.each([
  ['D M YYYY', ['Day', 'Month', 'Year'], births],
  ['YYYY M D', ['Yr', 'Mo', 'Da'], births.map((own) => own.toReversed())],
  ['D MMM YYYY', ['D', 'M', 'Y'], births.map(([day = '', , year = '']) => [day, 'X', year])],
])('three columns are the day of birth, as %s', async (dateFormat, titles, parts) => {
  const { mapping } = await read(listOf(titles, parts), {}, customers);
  expect(mapping.join).toEqual({ date_of_birth: titles });
  expect(mapping.dateFormat).toBe(dateFormat);
  expect(mapping.empty).toBe(undefined);
});

it.each([
  ['days and months cannot be distinguished', births.map(([, month = '', year = '']) => ['5', month, year])],
  ['all years are those of one time', births.map(([day = '', month = '']) => [day, month, '2026'])],
  ['one part is something else', births.map(([day = '', , year = '']) => [day, '4500', year])],
])('three columns are left out where %s', async (_, parts) => {
  const { mapping } = await read(listOf(['Day', 'Month', 'Year'], parts), {}, customers);
  expect(mapping.join).toBe(undefined);
});

it('three columns are left out where another column has the day of birth', async () => {
  const [titles = [], ...rows] = listOf(['Day', 'Month', 'Year'], births);
  const lines = [[...titles, 'Date of birth'], ...rows.map((row, at) => [...row, `198${at}-01-31`])];
  const { mapping } = await read(lines, {}, customers);
  expect(mapping.columns?.['Date of birth']).toBe('date_of_birth');
  expect(mapping.join).toBe(undefined);
});

it('are read as the day of birth where a person says so, in the order of the file', async () => {
  const said = Object.fromEntries(
    ['Day', 'Month', 'Year'].map((title) => [`column:${title}`, 'date_of_birth']),
  );
  const parts = births.map(([day = '', month = '']) => [day, month, '2026']);
  const { mapping } = await read(listOf(['Day', 'Month', 'Year'], parts), said, customers);
  expect(mapping).toMatchObject({
    join: { date_of_birth: ['Day', 'Month', 'Year'] },
    dateFormat: 'D M YYYY',
  });
});
