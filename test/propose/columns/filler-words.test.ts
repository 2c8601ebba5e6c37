import { describe, expect, it } from 'vitest';
import { decisionsOf } from '../../../src/propose/dialogue/remembered.ts';
import { openPointsOf } from '../../../src/propose/session/question-reason.ts';
import { kenyan, type Lines, readLines as read } from '../grids.ts';

const header = ['Member', 'Note', 'Holder', 'Phone', 'Provider', 'Net pay (KES)'];

/** A list of payments to these holders, with these notes. */
function list(holders: readonly string[], notes: readonly string[] = []): Lines {
  const rows = holders.map((holder, at) => [
    `C-${at}`,
    notes[at] ?? '',
    holder,
    `0712 345 6${10 + at}`,
    'M-Pesa',
    `${700 + at}`,
  ]);
  return [header, ...rows];
}

const people = ['Amina Otieno', 'Joseph Mushi', 'Wanjiru Kamau', 'Peter Kariuki', 'Grace Achieng'];

describe('a word that may mean an empty value in a column of names', () => {
  it.each([
    ['a word for nothing in some language', list([...people, 'wala'])],
    ['one that may also be a value', list([...people, 'none'])],
    ['a sign', list([...people, '?'])],
    ['signs that no list of words has', list([...people, '~*~'])],
    [
      'a small word that fills another column',
      list([...people, 'bado', ...people], ['bado', '', 'bado', 'late', '']),
    ],
  ])('is refused until a person has said what it means: %s', async (_, lines) => {
    const word = String(lines.at(6)?.[2]);
    const before = await read(lines, {}, kenyan);
    expect(before.mapping.values?.['account_name']).toEqual({ [word]: null });
    const point = before.points.find(({ id }) => id === 'values:Holder');
    expect(point?.why).toEqual({ code: 'words_may_be_nothing', field: 'account_name' });
    expect(point?.subject).toMatchObject({
      values: [
        {
          value: word,
          rows: 1,
          proposal: null,
          options: [{ id: '' }, { id: word }, { id: null }, { id: 'rows:leave_out' }],
        },
      ],
    });
    expect(openPointsOf(before).map(({ about }) => about)).toContain('Holder');
    for (const meaning of ['', word]) {
      const after = await read(lines, { 'values:Holder': { values: { [word]: meaning } } }, kenyan);
      expect(after.mapping.values?.['account_name']).toEqual({ [word]: meaning });
      expect(after.points.map(({ id }) => id)).not.toContain('values:Holder');
    }
  });

  it('is a name where it is written as one, and means an empty value in no other column', async () => {
    const { mapping } = await read(list([...people, 'Na']), {}, kenyan);
    expect(mapping.values?.['account_name']).toBeUndefined();
  });

  it('is asked about in any spelling where it means an empty value in another column', async () => {
    const { mapping } = await read(list([...people, 'Na'], ['NA', '', 'NA']), {}, kenyan);
    expect(mapping.values?.['account_name']).toEqual({ Na: null });
  });

  it('is asked about where a person has said so of another column', async () => {
    const said = { 'refused:Phone:invalid_phone': { change: { empty: ['Later'] } } };
    const lines = list([...people, 'LATER']);
    expect((await read(lines, said, kenyan)).mapping.values?.['account_name']).toEqual({ LATER: null });
    expect((await read(lines, {}, kenyan)).mapping.values?.['account_name']).toBeUndefined();
  });

  it('is none where it is a mark for the value above, unless a person has said that it is none', async () => {
    const lines = list(['Amina Otieno', '-//-', ...people]);
    const asked = async (decisions: Parameters<typeof read>[1]) =>
      (await read(lines, decisions, kenyan)).points.map(({ id }) => id).filter((id) => id.includes('Holder'));
    expect(await asked({})).toEqual(['repair:Holder:ditto']);
    expect(await asked({ 'repair:Holder:ditto': 'no' })).toEqual(['values:Holder']);
  });

  it('is none where names are written in small letters, or nothing else in the file is that word', async () => {
    const small = people.map((name) => name.toLowerCase());
    const twice = await read(list([...small, 'bado'], ['bado', 'bado']), {}, kenyan);
    expect(twice.mapping.values?.['account_name']).toBeUndefined();
    const once = await read(list([...people, 'bado'], ['bado']), {}, kenyan);
    expect(once.mapping.values?.['account_name']).toBeUndefined();
  });

  it('is left out of a name that is joined, unless a person says that it is a part of it', async () => {
    const lines: Lines = [
      ['No. de socio', 'Nombre(s)', 'Apellido paterno', 'Apellido materno', 'Fecha de nac.'],
      ['S-1', 'Ana', 'Luna', 'Vega', '13/02/1980'],
      ['S-2', 'Luis', 'Rojas', 'x', '01/12/1971'],
    ];
    const own = { stated: { kind: 'customers' as const } };
    const before = await read(lines, {}, own);
    expect(before.mapping.empty).toEqual({ 'Apellido materno': ['x'] });
    expect(before.mapping.values).toBeUndefined();
    expect(before.points.map(({ id }) => id)).toContain('values:Apellido materno');
    const after = await read(lines, { 'values:Apellido materno': { values: { x: 'x' } } }, own);
    expect(after.mapping.empty).toBeUndefined();
    expect(after.mapping.kept).toEqual({ 'Apellido materno': ['x'] });
    // The next file of this header does not ask again.
    const next = await read(lines, Object.fromEntries(decisionsOf(after.mapping, [])), own);
    expect(next.mapping.kept).toEqual(after.mapping.kept);
    expect(next.points.map(({ id }) => id)).not.toContain('values:Apellido materno');
  });
});
