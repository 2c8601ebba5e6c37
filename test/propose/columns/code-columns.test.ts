import { expect, it } from 'vitest';
import { type Lines, readLines as read } from '../grids.ts';

const owners = ['L', 'C', 'I', 'S', 'P'];
const vendors = (ofOwner: string, owner: (at: number) => string): Lines => [
  [
    'VENDOR-NO',
    'VENDOR NAME',
    'ADDRESS',
    'CITY',
    'ST',
    'ZIP',
    ofOwner,
    'BANK NAME',
    'RTN',
    'ACCT',
    'TC',
    '1099 BOX',
  ],
  ...Array.from({ length: 20 }, (_, at) => [
    ...[`V-10${at + 10}`, `Vendor ${'abcdefghij'[at % 10]}`, `${at + 1} Mill Rd`, 'Athens', 'GA', '30601'],
    ...[owner(at), 'First Bank', '044000037', String(820_617_213 + at * 77), at % 4 === 3 ? '32' : '22', '7'],
  ]),
];

const own = { 'reading:kind': 'recipients' };

it('takes a column of codes under a known title for the kind of the owner, or of the account, and asks what each means', async () => {
  const { uses, points } = await read(
    vendors('ENT', (at) => owners[at % 5] ?? ''),
    own,
  );
  const fieldOf = (title: string): readonly string[] | undefined =>
    uses.find(({ column }) => column.title === title)?.fields;
  expect([fieldOf('ENT'), fieldOf('TC'), fieldOf('1099 BOX')]).toEqual([
    ['account_owner_type'],
    ['account_type'],
    [],
  ]);
  const asked = points.find(({ about }) => about === 'ENT');
  expect(asked?.subject).toMatchObject({ kind: 'values', field: 'account_owner_type' });
  expect(points.map(({ id }) => id)).not.toContain('constant:account_type');
});

it('reads a column as its second best field, where other columns together are the best one', async () => {
  const [titles = [], ...rows] = vendors(
    'Payee class',
    (at) => ['Ind', 'Corp/LLC', '1099-Ind', 'Bus'][at % 4] ?? '',
  );
  const named: Lines = [
    titles.flatMap((title) => (title === 'VENDOR NAME' ? ['Last', 'First'] : [title])),
    ...rows.map((cells, at) =>
      cells.flatMap((cell, place) => (place === 1 ? [`Finch${'abcde'[at % 5]}`, 'Caleb'] : [cell])),
    ),
  ];
  const { uses } = await read(named, own);
  const fields = new Map(uses.map(({ column, fields: all }) => [column.title, all]));
  expect([fields.get('Last'), fields.get('First')]).toEqual([['account_name'], ['account_name']]);
  expect(fields.get('Payee class')).toEqual(['account_owner_type']);
  // What confirms the proposal changes nothing of it.
  const confirmed = await read(named, { ...own, 'column:Last': 'account_name' });
  expect(confirmed.uses.map((use) => use.fields)).toEqual(uses.map((use) => use.fields));
});
