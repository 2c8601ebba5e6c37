import { expect, it } from 'vitest';
import { kenyan, type Lines, readLines } from '../grids.ts';

const vendors: readonly (readonly [name: string, address: string])[] = [
  ['Reyes Plumbing LLC', '9736 County Rd 12, Saint Paul, MN 55101'],
  ['Nguyen Freight LLC', '8399 Main St #820, Salt Lake City, UT 84101 US'],
  ['Priscilla Beauchamp', '4748 Oak Rd, Apt 3, Hartford, Connecticut 06103'],
  ['Lamar Reyes', 'PO Box 2974\nSaint Paul, MN 55101'],
  ['Ana Abbott', '7424 Old Mill Ln, Austin, TX 78701'],
];

/** American payees whose addresses are in one column of this title. */
function american(title: string, addresses = vendors.map(([, address]) => address)): Lines {
  const header = ['Vendor ID', 'Vendor', 'Account type', 'ABA routing', 'Account number', 'Bank', title];
  const rows = addresses.map((address, at) => [
    `C-${at}`,
    vendors[at % vendors.length]?.[0] ?? '',
    'Savings',
    '021000021',
    `33${at}4567890`,
    'Chase',
    address,
  ]);
  return [header, ...rows];
}

it('an address in one column is split into its parts, without a question about it', async () => {
  const { mapping, points } = await readLines(american('Mailing address'), {}, kenyan);
  expect(mapping.split).toEqual({
    'Mailing address': { into: ['address_line1', 'city', 'state', 'postal_code'] },
  });
  expect(points.filter(({ about }) => about === 'Mailing address')).toEqual([]);
});

/** Members of a mailing list: the address as its program exports it, beside where their mails were opened. */
const members: Lines = [
  ['Email Address', 'First Name', 'Last Name', 'Address', 'Member No.', 'CC', 'REGION'],
  ['fern@people.example', 'Fern', 'Figueroa', '7629 Elm Street  Santa Fe  NM  87501  US', 'M-1', 'us', 'va'],
  ['ana@people.example', 'Ana', 'Abbott', '12 Oak Rd  Apt 3  Austin  TX  78701  US', 'M-2', 'us', 'ca'],
  [
    'ben@people.example',
    'Ben',
    'Tran',
    '3290 SE Hawthorne Blvd  Fort St. John  BC  V1J 3Z2  CA',
    'M-3',
    'ca',
    'bc',
  ],
  ['lea@people.example', 'Lea', 'Reyes', '9344 NW 23rd Ave.  Reno  NV  89501  US', 'M-4', '', ''],
];

it('a whole address counts more than a state and a country beside it, which may be about something else', async () => {
  const { mapping } = await readLines(members, {}, kenyan);
  const into = ['address_line1', 'address_line2', 'city', 'state', 'postal_code', 'country'];
  expect(mapping.split).toEqual({ Address: { into } });
  expect(Object.keys(mapping.columns ?? {})).not.toEqual(expect.arrayContaining(['CC']));
  expect(Object.keys(mapping.columns ?? {})).not.toEqual(expect.arrayContaining(['REGION']));
});

it('a column that a person calls the street is not split', async () => {
  const said = { 'review:first': { columns: { 'Mailing address': 'address_line1' } } };
  const { mapping } = await readLines(american('Mailing address'), said, kenyan);
  expect(mapping.split).toBeUndefined();
  expect(mapping.columns?.['Mailing address']).toBe('address_line1');
});

it.each<[string, readonly string[]]>([
  ['most are streets', ['1 Main St', '2 Oak Rd', '3 Elm St', '4 Oak Rd', vendors[4]?.[1] ?? '']],
  ['they are boxes', ['P.O. Box 12345', 'P.O. Box 12346', 'P.O. Box 12347', 'P.O. Box 12348']],
])('an address is the street where %s', async (_, addresses) => {
  const { mapping } = await readLines(american('Address', [...addresses]), {}, kenyan);
  expect(mapping.split).toBeUndefined();
});

/** European suppliers with street, and postal code and town in one column. */
function european(towns: readonly string[], country: string): Lines {
  const header = ['Supplier no.', 'Supplier', 'IBAN', 'Street', 'Postal code / Town', 'Country'];
  const rows = towns.map((town, at) => [
    `C-${at}`,
    vendors[at]?.[0] ?? '',
    'DE89370400440532013000',
    `Hauptstr. ${at + 1}`,
    town,
    country,
  ]);
  return [header, ...rows];
}

it.each([
  ['DE', ['10115 Berlin', '20095 Hamburg', 'D-80331 München', '50667 Köln']],
  ['Sweden', ['211 20 Malmö', '111 29 Stockholm', 'SE-411 04 Göteborg', '753 20 Uppsala']],
])('a postal code and a town in one column are split, by the codes of %s', async (country, towns) => {
  const { mapping } = await readLines(european(towns, country), {}, kenyan);
  expect(mapping.split).toEqual({ 'Postal code / Town': { into: ['city', 'postal_code'] } });
  expect(mapping.columns?.['Street']).toBe('address_line1');
});

it('a mapping that splits an address leads to the same reading again', async () => {
  const lines = american('Mailing address');
  const { mapping } = await readLines(lines, {}, kenyan);
  const { decisionsOf } = await import('../../../src/propose/dialogue/remembered.ts');
  const again = await readLines(lines, Object.fromEntries(decisionsOf(mapping, [null])), kenyan);
  expect(again.mapping.split).toEqual(mapping.split);
});
