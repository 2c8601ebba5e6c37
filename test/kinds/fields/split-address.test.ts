import { expect, it } from 'vitest';
import type { AddressPart } from '../../../src/domain/tables/mapping.ts';
import { splitAddress } from '../../../src/kinds/fields/split-address.ts';

const whole: readonly AddressPart[] = ['address_line1', 'city', 'state', 'postal_code'];
const withoutState: readonly AddressPart[] = ['address_line1', 'city', 'postal_code'];
const town: readonly AddressPart[] = ['city', 'postal_code'];

function parts(text: string, wanted: readonly AddressPart[], country?: string) {
  const found = splitAddress(text, new Set(wanted), country);
  return found === undefined ? undefined : wanted.map((part) => found.get(part)).join(' | ');
}

it.each<[string, string, readonly AddressPart[], string | undefined]>([
  [
    '5040 Highway 9 South, Sioux Falls, SD 57104',
    'US',
    whole,
    '5040 Highway 9 South | Sioux Falls | SD | 57104',
  ],
  ['12 Elm St, Apt 2B, Newark, NJ 07102-1885', 'US', whole, '12 Elm St, Apt 2B | Newark | NJ | 07102-1885'],
  ['1 Main St\nAustin TX 78701', 'US', whole, '1 Main St | Austin | TX | 78701'],
  ['350 5th Ave; New York; New York 10001', 'US', whole, '350 5th Ave | New York | New York | 10001'],
  [
    '9 Oak Ave, Charleston West Virginia 25301',
    'US',
    whole,
    '9 Oak Ave | Charleston | West Virginia | 25301',
  ],
  ['Rua Direita, 12, São Paulo - SP, 01310-100', 'BR', whole, 'Rua Direita, 12 | São Paulo | SP | 01310-100'],
  ['Lindenstr. 5, 10115 Berlin', 'DE', withoutState, 'Lindenstr. 5 | Berlin | 10115'],
  ['Lindenstr. 5, D-10115 Berlin', 'DE', withoutState, 'Lindenstr. 5 | Berlin | 10115'],
  ['Lindenstr. 5, 10115, Berlin', 'DE', withoutState, 'Lindenstr. 5 | Berlin | 10115'],
  ['Postfach, 8001, 8001 Zürich', 'CH', withoutState, 'Postfach, 8001 | Zürich | 8001'],
  ['1017 AB Amsterdam', 'NL', town, 'Amsterdam | 1017 AB'],
  ['110 00 Praha 1', 'CZ', town, 'Praha 1 | 110 00'],
  ['London SW1A 1AA', 'GB', town, 'London | SW1A 1AA'],
])('%s, in %s', (text, country, wanted, found) => {
  expect(parts(text, wanted, country)).toBe(found);
});

it.each<[string, string | undefined, string | undefined]>([
  ['Lindenstr. 5, 10115 Berlin, Germany', 'DE', 'Lindenstr. 5 | Berlin | 10115'],
  ['Lindenstr. 5, 10115 Berlin, Deutschland', 'DE', 'Lindenstr. 5 | Berlin | 10115'],
  ['Lindenstr. 5, 1010 Wien, Austria', 'DE', undefined],
  ['Lindenstr. 5, 1010 Wien, Austria', undefined, 'Lindenstr. 5 | Wien | 1010'],
])('%s: the name of the country of the row (%s) is left out, and no other', (text, country, found) => {
  expect(parts(text, withoutState, country)).toBe(found);
});

it('a code of a country counts behind a postal code only', () => {
  expect(parts('1 Main St, Austin, TX 78701 US', whole, 'US')).toBe('1 Main St | Austin | TX | 78701');
  expect(parts('1 Main St, Austin, TX 78701 USA', whole, 'US')).toBe('1 Main St | Austin | TX | 78701');
  expect(parts('Ottawa, CA', ['city', 'country'], undefined)).toBeUndefined();
});

const mailing: readonly AddressPart[] = [...whole, 'country'];

it.each<[string, readonly AddressPart[], string | undefined]>([
  ['7629 Elm Street  Santa Fe  NM  87501  US', mailing, '7629 Elm Street | Santa Fe | NM | 87501 | US'],
  ['12 Oak Rd  Fort St. John  BC  V1J 3Z2  CA', mailing, '12 Oak Rd | Fort St. John | BC | V1J 3Z2 | CA'],
  ['1 Main St, North  Reno  NV  89501  US', mailing, '1 Main St, North | Reno | NV | 89501 | US'],
  // A state, and no country: its code is not behind a code of Canada.
  ['1 Main St  Fresno  93650  CA', mailing, undefined],
  // A slip.
  ['1 Main St, Austin,  TX 78701', mailing, undefined],
])('%s: two blanks separate the parts', (text, wanted, found) => {
  expect(parts(text, wanted)).toBe(found);
});

it('a second line is what is between the street and the town, where it is wanted', () => {
  const wanted: readonly AddressPart[] = ['address_line1', 'address_line2', ...mailing.slice(1)];
  expect(parts('12 Elm St  Apt 2B  Newark  NJ  07102  US', wanted)).toBe(
    '12 Elm St | Apt 2B | Newark | NJ | 07102 | US',
  );
  expect(parts('12 Elm St  Newark  NJ  07102  US', wanted)).toBe('12 Elm St |  | Newark | NJ | 07102 | US');
});

it('the country is a part where it is wanted', () => {
  expect(parts('75011 Paris, France', [...town, 'country'])).toBe('Paris | 75011 | France');
  expect(parts('75011 Paris', [...town, 'country'])).toBeUndefined();
});

it.each<[string, string, readonly AddressPart[]]>([
  ['a part is missing', '1 Main St, Austin 78701', whole],
  ['the street is missing', 'Austin, TX 78701', whole],
  ['something is left', '1 Main St, Austin, TX 78701', ['city', 'state', 'postal_code']],
  ['a code is of no such country', '1 Main St, Austin, TX 7870', whole],
  ['a code before the town has words beside it', '1 Main St, Box 78701, Austin', withoutState],
  ['a code is at each end', '10115 Austin 78701', town],
  ['there is only a code', '78701', town],
])('nothing is split if %s', (_, text, wanted) => {
  expect(parts(text, wanted, 'US')).toBeUndefined();
});
