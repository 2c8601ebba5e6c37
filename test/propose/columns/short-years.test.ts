import { describe, expect, it } from 'vitest';
import { type Lines, readLines as read } from '../grids.ts';

/** A list of customers with these births. */
function customers(births: readonly string[]): Lines {
  return [
    ['Id', 'First name', 'Last name', 'E-mail', 'Date of birth'],
    ...births.map((birth, at) => [`C-${at}`, 'Ana', `Popa${at}`, `ana${at}@people.example`, birth]),
  ];
}

const id = 'repair:Date of birth:short_years';

describe('days with years of two digits beside whole ones', () => {
  const mixed = customers(['14.04.1971', '19.02.68', '21.04.43', '12.12.1938', '07.11.2001']);

  it('are asked about, and the others are read whatever is answered', async () => {
    const { points, mapping } = await read(mixed);
    expect(points.find((point) => point.id === id)?.samples).toEqual([
      { row: 3, before: '19.02.68', after: '19.02.1968' },
    ]);
    expect(mapping).toMatchObject({ dateFormat: 'DD.MM.YYYY' });
    expect(mapping.repair?.['Date of birth'] ?? []).not.toContain('short_years');
  });

  it('are read once a person agrees', async () => {
    const { mapping } = await read(mixed, { [id]: 'yes' });
    expect(mapping.repair?.['Date of birth']).toContain('short_years');
  });

  it('are no question where all have two digits, or none has', async () => {
    for (const births of [
      ['14.04.71', '19.02.68', '21.04.43'],
      ['14.04.1971', '19.02.1968', '21.04.1943'],
    ]) {
      const { points } = await read(customers(births));
      expect(points.filter((point) => point.id === id)).toEqual([]);
    }
  });
});

it('days with a dot behind the year have the format of the others', async () => {
  const { mapping } = await read(customers(['18.10.1969.', '13.2.2009.', '12. 06. 2004.', '01.05.1999']));
  expect(mapping).toMatchObject({ columns: { 'Date of birth': 'date_of_birth' }, dateFormat: 'D.M.YYYY' });
});
