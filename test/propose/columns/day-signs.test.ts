import { describe, expect, it } from 'vitest';
import { type Lines, readLines as read } from '../grids.ts';

/** A list of customers with these births. */
function customers(births: readonly string[]): Lines {
  return [
    ['Id', 'First name', 'Last name', 'E-mail', 'Date of birth'],
    ...births.map((birth, at) => [`C-${at}`, 'Ana', `Popa${at}`, `ana${at}@people.example`, birth]),
  ];
}

describe('days with different signs between day and month', () => {
  it.each([
    [['14/04/1971', '19.02.1968', '21-04-1943', '12/12/1938'], 'DD/MM/YYYY'],
    [['14.04.1971', '9.2.1968', '3/11/1980', '1984-03-05', '7 July 1963'], 'D.M.YYYY'],
    [['04/14/1971', '02-19-1968', '02/03/1990'], 'MM/DD/YYYY'],
  ])('%j have the format of most of them, and the others are read in its order', async (births, format) => {
    const { mapping, points } = await read(customers(births));
    expect(mapping.dateFormat).toBe(format);
    expect(mapping.repair?.['Date of birth']).toContain('day_signs');
    expect(points.filter(({ id, isNeeded }) => isNeeded && id.includes('day_signs'))).toEqual([]);
  });

  it('are no offer where all have one sign, and have no format where they contradict each other', async () => {
    const same = await read(customers(['14/04/1971', '19/02/1968']));
    expect(same.mapping.repair?.['Date of birth'] ?? []).not.toContain('day_signs');
    const opposite = await read(customers(['14.04.1971', '02/19/1968', '21.04.1943', '12/31/1938']));
    expect(opposite.mapping.dateFormat).toBeUndefined();
  });
});
