import { describe, expect, it } from 'vitest';
import { proposeReadings } from '../../../src/propose/reading/propose.ts';
import { gridOf, type Lines, proposingOf, readLines as read } from '../grids.ts';

/** A list of debts with this title over the amounts, and this line above the header. */
function debts(title: string, above = ''): Lines {
  const lines = [
    ['Invoice', 'Customer', 'Country', 'Currency', title],
    ...[2819.5, 2832, 47.2, 1465].map((sum, at) => [`F-${at}`, `C-${at}`, 'SN', 'XOF', sum]),
  ];
  return above === '' ? lines : [[above], ...lines];
}

async function pointsOf(lines: Lines, said = {}) {
  const { points, mapping } = await read(lines, said);
  return { points: points.filter(({ id }) => id.includes(':amounts_in_')), mapping };
}

describe('amounts in another unit than their currency', () => {
  it.each([
    ['their title says it', debts('Amount (milliers FCFA)')],
    ['a line above the titles says it', debts('Amount', 'Montants en milliers de FCFA')],
  ])('are asked about where %s, since nothing else shows it', async (_, lines) => {
    const { points, mapping } = await pointsOf(lines);
    expect(points).toMatchObject([{ isNeeded: true, subject: { kind: 'repair', proposal: null } }]);
    expect(points[0]?.samples).toContainEqual(expect.objectContaining({ before: '47.2', after: '47200' }));
    expect(mapping.repair).toBe(undefined);
  });

  it('are multiplied once a person agrees, and stay as they are once one does not', async () => {
    const lines = debts('Amount (milliers FCFA)');
    const id = 'repair:Amount (milliers FCFA):amounts_in_thousands';
    const agreed = await pointsOf(lines, { [id]: 'yes' });
    expect(agreed.points).toEqual([]);
    expect(agreed.mapping.repair).toEqual({ 'Amount (milliers FCFA)': ['amounts_in_thousands'] });
    const refused = await pointsOf(lines, { [id]: 'no' });
    expect(refused.points).toEqual([]);
    expect(refused.mapping.repair).toBe(undefined);
  });

  it('are whole amounts in cells whose format only shows their thousands', async () => {
    const grid = gridOf(debts('Amount (milliers FCFA)'));
    const rows = grid.rows.map((row) => ({
      ...row,
      kinds: new Map([...(row.kinds ?? [])].map(([index]) => [index, 'shown_number' as const])),
    }));
    const [reading] = await proposeReadings(proposingOf([{ ...grid, rows }]), new Map());
    expect(reading?.points.filter(({ id }) => id.includes(':amounts_in_'))).toEqual([]);
  });

  it('are not in cents in a currency without them', async () => {
    expect((await pointsOf(debts('Amount (centimes)'))).points).toEqual([]);
  });
});
