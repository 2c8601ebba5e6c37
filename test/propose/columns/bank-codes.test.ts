import { describe, expect, it } from 'vitest';
import {
  bicCountry,
  createBankCodes,
  namesBankCode,
} from '../../../src/propose/columns/institution-names.ts';
import { proposeReadings } from '../../../src/propose/reading/propose.ts';
import { gridOf, institution, proposingOf } from '../grids.ts';

const bank = (name: string, codes: string, bic: string | null = null) => ({
  name,
  codes: codes.split(' '),
  bic,
});
const kenya = createBankCodes('KE', [
  bank('KCB', '01', 'KCBL'),
  bank('Equity', '68', 'EQBL'),
  bank('Co-op', '11', 'KCOO'),
]);
const nigeria = createBankCodes('NG', [
  bank('GTBank', '058 000013'),
  bank('First', '011 000016'),
  bank('Unity', '215 000011'),
]);
const southAfrica = createBankCodes('ZA', [
  bank('Standard', '051001 05'),
  bank('Nedbank', '198765 19'),
  bank('TymeBank', '678910'),
]);

describe('the bank that a code means', () => {
  it.each([
    [kenya, '01', ['KCB']],
    [kenya, '1', ['KCB']],
    [kenya, '11', ['Co-op']],
    [kenya, '01100', ['KCB']],
    [kenya, '01-100', ['KCB']],
    [kenya, '1100', ['KCB']],
    [kenya, '68 000', ['Equity']],
    [kenya, 'KE68', ['Equity']],
    [kenya, '110', []],
    [kenya, '0110', []],
    [kenya, '99', []],
    [kenya, '0110012345', []],
    [nigeria, '058', ['GTBank']],
    [nigeria, '58', ['GTBank']],
    [nigeria, '13', ['GTBank']],
    [nigeria, '058152036', ['GTBank']],
    [nigeria, '58152036', ['GTBank']],
    [nigeria, '011', ['First']],
    [nigeria, '11', ['First', 'Unity']],
    [southAfrica, '51001', ['Standard']],
    [southAfrica, '052546', ['Standard']],
    [southAfrica, '198405', ['Nedbank']],
    [southAfrica, '679000', []],
  ])('is found by its national code %#: %s', (codes, text, names) => {
    expect(codes(text).map(({ name }) => name)).toEqual(names);
  });

  it.each([
    ['KCBLKENX', ['KCB']],
    ['kcblkenxxxx', ['KCB']],
    ['EQBL', ['Equity']],
    ['KCBLUGKA', []],
    ['Eqbl Ltd', []],
    ['SCBLKENX', []],
  ])('is found by its BIC: %s', (text, names) => {
    expect(kenya(text).map(({ name }) => name)).toEqual(names);
  });

  it('has the country of its BIC', () => {
    expect(bicCountry('BKIGRWRW')).toBe('RW');
    expect(bicCountry('Bank of Kigali')).toBe(undefined);
    // LA and BA are countries, ON is none.
    for (const word of ['Barclays', 'Citibank', 'Personne', 'PERSONNE'])
      expect(bicCountry(word)).toBe(undefined);
  });

  it.each([
    ['Bank Code', true],
    ['SORT CODE', true],
    ['Bank / Swift/BIC', true],
    ['Clave banco', true],
    ['Staff code', false],
    ['Postal code', false],
  ])('is in a column whose title says so: %s', (title, isCode) => {
    expect(namesBankCode(title)).toBe(isCode);
  });
});

const banks = ['KCB Bank Kenya', 'Equity Bank Kenya', 'Co-operative Bank of Kenya'];
const facts = {
  accountLabels: async () => new Map(),
  knownCustomers: async (ids: readonly string[]) =>
    ids.filter((id) => id.startsWith('C-')).length / ids.length,
  institutions: async (country: string) =>
    country === 'KE' ? banks.map((name) => institution(name, 'bank')) : [],
};

function listWith(title: string, codes: readonly string[], more: readonly string[] = []) {
  return gridOf([
    ['Staff ID', 'Full name', title, 'Account no', 'Amount', 'Currency', ...more.slice(0, 1)],
    ...Array.from({ length: 12 }, (_, at) => [
      `C-${at}`,
      `Ann Other ${at}`,
      codes[at % codes.length] ?? '',
      `01100${7_000_000 + at}`,
      '1500',
      'KES',
      ...more.slice(1, 2),
    ]),
  ]);
}

async function readingOf(grid: ReturnType<typeof gridOf>) {
  const [best] = await proposeReadings(
    proposingOf([grid], { facts, stated: { kind: 'recipients' } }),
    new Map(),
  );
  return best;
}

describe('a column of bank codes without names', () => {
  it.each([
    ['Bank code', ['01', '68000', '1100'], ['KCB Bank Kenya', 'Equity Bank Kenya', 'KCB Bank Kenya']],
    ['SWIFT/BIC', ['KCBLKENX', 'EQBLKENAXXX', 'KCOOKENA'], banks],
  ])('is the institution, and a person is asked about each code: %s', async (title, codes, names) => {
    const best = await readingOf(listWith(title, codes));
    expect(best?.mapping.columns).toMatchObject({ [title]: 'institution_name' });
    expect(best?.mapping.values?.['institution_name']).toEqual(
      Object.fromEntries(codes.map((code, at) => [code, names[at]])),
    );
    expect(best?.points.some(({ id }) => id === `values:${title}`)).toBe(true);
  });

  it('lists an unknown code with its rows, and refuses them until a person says what it means', async () => {
    const best = await readingOf(listWith('Bank code', ['01', '68', '01', '99']));
    const point = best?.points.find(({ id }) => id === 'values:Bank code');
    expect(best?.mapping.values?.['institution_name']).toMatchObject({ '99': null });
    expect(point?.subject).toMatchObject({
      values: expect.arrayContaining([expect.objectContaining({ value: '99', rows: 3, proposal: null })]),
    });
  });

  it('is left out beside a column of names', async () => {
    const best = await readingOf(listWith('Bank code', ['01'], ['Bank', 'KCB']));
    expect(best?.mapping.columns).toMatchObject({ Bank: 'institution_name' });
    expect(best?.mapping.ignore).toContain('Bank code');
    expect(best?.points.some(({ id }) => id === 'column:Bank')).toBe(false);
  });

  it('proves nothing under a title that says nothing of banks', async () => {
    const best = await readingOf(listWith('Team', ['01', '68', '11']));
    expect(best?.mapping.columns).not.toHaveProperty('Team');
  });
});
