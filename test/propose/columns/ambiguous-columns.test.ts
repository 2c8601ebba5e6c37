import { expect, it } from 'vitest';
import { institution, readLines } from '../grids.ts';

const facts = {
  accountLabels: async () => new Map(),
  knownCustomers: async () => 1,
  institutions: async () => [
    institution('KCB Bank Kenya', 'bank'),
    institution('M-PESA', 'mobile_money'),
    institution('Airtel Money', 'mobile_money'),
  ],
};

it('two columns that are one field keep what a person has said about the words of each', async () => {
  const lines = [
    ['Employee no', 'Employee', 'Method', 'Bank code', 'Account number', 'Wallet', 'Phone', 'Net pay (KES)'],
    ...Array.from({ length: 8 }, (_, at) => [
      `C-${at}`,
      `Ana Otieno${'abcdefgh'[at]}`,
      ...(at % 2 === 0
        ? ['Bank', 'KCB_KE', `11${at}4567890`, '', '']
        : ['Wallet', '', '', at % 4 === 1 ? 'MPESA_KE' : 'AIRTEL_KE', `071234567${at}`]),
      `${800 + at}`,
    ]),
  ];
  const said = {
    'review:first': { columns: { 'Bank code': 'institution_name', Wallet: 'institution_name' } },
    'values:Bank code': { values: { KCB_KE: 'KCB Bank Kenya' } },
    'values:Wallet': { values: { MPESA_KE: 'M-PESA', AIRTEL_KE: 'Airtel Money' } },
  };
  const { mapping } = await readLines(lines, said, { facts });
  expect(mapping.join).toEqual({ institution_name: ['Bank code', 'Wallet'] });
  expect(mapping.values?.['institution_name']).toEqual({
    KCB_KE: 'KCB Bank Kenya',
    MPESA_KE: 'M-PESA',
    AIRTEL_KE: 'Airtel Money',
  });
});

it('a wallet is named by the column of that name, and not by the names of people', async () => {
  const lines = [
    ['Member no.', 'Name', 'Wallet name', 'Network', 'Currency'],
    ...['Savings', 'School', 'Shop', 'Harvest'].map((wallet, at) => [
      `C-${at}`,
      `Ana Otieno${'abcd'[at]}`,
      wallet,
      'Polygon',
      'USD',
    ]),
  ];
  const { mapping } = await readLines(lines, {}, { facts });
  expect(mapping.columns?.['Wallet name']).toBe('label');
  expect(mapping.columns?.['Name']).toBeUndefined();
});

it('a phone column has plain digits where a few cells have words beside their number', async () => {
  const phones = [
    '０９０－１２３４－５６７８',
    '080-1234-5678',
    '０３３３３３４４４４',
    '０７０－１２３４－５６７８',
    '０９０－１１１１－２２２２',
  ];
  const lines = [
    ['Ref', 'Last name', 'First name', 'Phone', 'Country'],
    ...[...phones, '090-9803-5872　または　090-5518-9753'].map((phone, at) => [
      `R-${at}`,
      'Tanaka',
      'Taro',
      phone,
      'JP',
    ]),
  ];
  const { mapping } = await readLines(lines, {}, { facts });
  expect(mapping.repair?.['Phone']).toContain('other_digits');
});
