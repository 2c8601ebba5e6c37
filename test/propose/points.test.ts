import { describe, expect, it } from 'vitest';
import { MappingDialogue } from '../../src/propose/dialogue.ts';
import { rowsToImport } from '../../src/propose/reading-source.ts';
import { everyRowPasses, gridOf, type Lines, proposingOf } from './grids.ts';

const people = Array.from({ length: 6 }, (_, at) => [
  `R-${at}`,
  'Ann',
  'Lee',
  `a${at}@post.example`,
  `+25471200${1000 + at}`,
]);
const titles = ['Kd-Nr', 'Vorname', 'Nachname', 'E-Mail', 'Telefon'];

async function firstQuestion(lines: Lines) {
  return new MappingDialogue(rowsToImport(proposingOf([gridOf(lines)])), everyRowPasses).next();
}

describe('the kind of the rows', () => {
  it('is asked before the reading is shown where a second one is not clearly worse, with what speaks for each', async () => {
    const question = await firstQuestion([
      [...titles, 'Geschlecht', 'Geburtsdatum', 'Currency'],
      ...people.map((cells) => [...cells, 'w', '24.03.1981', 'KES']),
    ]);
    expect(question).toMatchObject({ kind: 'reading', about: 'kind' });
    const labels = question?.options.map(({ label }) => label) ?? [];
    expect(labels.find((label) => label.startsWith('customers'))).toContain('is first_name');
    expect(labels.find((label) => label.startsWith('recipients'))).toContain('"Currency" is currency');
  });

  it('is not asked where the others lack what every row of them needs', async () => {
    expect(await firstQuestion([titles, ...people])).toMatchObject({ kind: 'review', about: 'customers' });
  });
});
