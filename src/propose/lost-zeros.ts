/* Values of a proposal with the zeros that a spreadsheet has taken from their beginning, and the country of a row. */

import { accountNumberLength, checkRoutingNumber } from '../kinds/fields/bank-numbers.ts';
import { phoneWithZero } from '../kinds/fields/phone.ts';
import { subdivisionNamed, withLostZeros } from '../kinds/fields/places.ts';
import type { Assignment } from './assignment.ts';
import { type Decisions, decidedValues } from './decisions.ts';
import type { Places } from './places.ts';
import type { Sheet } from './sheet.ts';

/** The value with its lost zeros restored, where its required length shows them; validation confirms each. */
export function withZeros(
  text: string,
  field: string,
  row: number,
  assignment: Assignment,
  places: Places,
  sheet: Sheet,
  decisions: Decisions,
): string | undefined {
  if (field === 'routing_number') {
    const whole = text.padStart(9, '0');
    return text.length < 9 && text.length >= 7 && checkRoutingNumber(whole) === whole ? whole : undefined;
  }
  if (field === 'postal_code') {
    const country = countryOfRow(row, assignment, places, sheet, decisions);
    const state = assignment.uses.find((use) => use.fields.includes('state'))?.column;
    const named = country === undefined ? undefined : state?.cells.find((cell) => cell.row === row)?.text;
    const code = named === undefined ? undefined : subdivisionNamed(named, country ?? '');
    return country === undefined ? undefined : withLostZeros(text, country, code);
  }
  if ((field === 'phone_number' || field === 'phone') && typeof places.phoneCountry === 'string')
    return phoneWithZero(text, places.phoneCountry);
  if (field === 'account_number' && accountNumberLength(places.country ?? '') === text.length + 1)
    return `0${text}`;
  return undefined;
}

/** The country of a row, if its value can be read or a person has decided its meaning. */
export function countryOfRow(
  row: number,
  { uses }: Assignment,
  places: Places,
  sheet: Sheet,
  decisions: Decisions,
): string | undefined {
  const column = uses.find(({ fields }) => fields.includes('country'))?.column;
  if (column === undefined) return places.constants['country'];
  const text = column.cells.find((cell) => cell.row === row)?.text;
  if (text === undefined) return undefined;
  return decidedValues(decisions, column.title).get(text) ?? sheet.countryOf(text);
}
