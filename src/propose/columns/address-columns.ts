/* A column that has several parts of an address: `10115 Berlin`, `1200 Main St, Austin, TX 78701`. */

import { iso31661 } from 'iso-3166';
import { type AddressPart, addressParts } from '../../domain/tables/mapping.ts';
import { countryWritten } from '../../kinds/fields/places.ts';
import { isBetweenBlanks, splitAddress } from '../../kinds/fields/split-address.ts';
import { columnsOf } from '../../kinds/registry.ts';
import { type Column, share } from '../sheet/column.ts';
import { titleScores } from '../sheet/title-words.ts';
import type { Grouping, Placed, Taken } from './column-use.ts';

/** The parts that a column may have, those of the whole address first. A country may follow. */
const forms: readonly (readonly AddressPart[])[] = [
  ['address_line1', 'city', 'state', 'postal_code'],
  ['address_line1', 'city', 'postal_code'],
  ['city', 'state', 'postal_code'],
  ['city', 'postal_code'],
  ['city', 'state'],
];

/** The least evidence of a title that its column has a part of an address, from 0 to 1. */
const namesPart = 0.4;
/** The share of a column's values that must have the same parts. */
const nearlyAll = 0.8;

/** More than half of these values must suit a country before all are tried. */
const valuesTriedFirst = 10;

/** A code of a state, alone at the end or before a postal code: `TX 78701`, `ON M5V 2T6`. Names of towns are also names of states. */
const stateCode = /\b[A-Z]{2,3}\.?(?:,?\s+(?=.*\d)[A-Z\d -]+)?$/;

/** Parts that other columns may repeat. Where a whole address is in one cell, they may also be about something else. */
const besideWhole: ReadonlySet<string> = new Set(['state', 'country']);

/**
 * Splits a column that has several parts of an address, if no other column has any of them. A whole address takes the place of a
 * state or country in another column: a mailing list has there where its mails are opened.
 */
export function withAddressParts(grouping: Grouping, taken: Taken): Taken {
  const all = new Map(taken);
  for (const column of grouping.columns) {
    const own = all.get(column);
    if (own !== undefined && !addressParts.some((part) => part === own.field)) continue;
    if (grouping.decided.has(column.title) || column.cells.length === 0) continue;
    const fields = addressPartsIn(column, grouping, all);
    const [field] = fields;
    if (field === undefined) continue;
    for (const [other, placed] of [...all])
      if (fields.some((part) => part === placed.field)) all.delete(other);
    all.set(column, { column, field, fields, score: 0.7 });
  }
  return all;
}

/**
 * The parts of an address that a column has, if it has several. Its title must name a part of an address, and nearly all of its
 * values must have the same parts by the postal codes or states of one country.
 */
function addressPartsIn(column: Column, grouping: Grouping, taken: Taken): readonly AddressPart[] {
  const { kind, decided, isRequired } = grouping;
  const scores = titleScores(kind, column.title);
  const [street = 0, ...further] = addressParts.map((part) => scores.get(part) ?? 0);
  const isWhole = street >= Math.max(...further);
  if (Math.max(street, ...further) < namesPart) return [];
  const placed = [...taken.values()].filter((other) => other.column !== column);
  const isBeside = ({ column: other, field }: Placed): boolean =>
    isWhole && besideWhole.has(field) && !decided.has(other.title);
  const others = new Set([
    ...placed.flatMap((other) => (isBeside(other) ? [] : (other.fields ?? [other.field]))),
    ...[...decided.values()].flatMap((said) => said ?? []),
  ]);
  const free = new Set(columnsOf(kind).filter((field) => !others.has(field)));
  const country = placed.find(({ field }) => field === 'country')?.column;
  const hasStates = isRequired('state') || share(column, (text) => stateCode.test(text)) >= nearlyAll;
  for (const form of forms) {
    if (form.includes('address_line1') !== isWhole || (!hasStates && form.includes('state'))) continue;
    if (!form.every((part) => free.has(part))) continue;
    const found = shareOf(column, form, country);
    const withCountry: readonly AddressPart[] = [...form, 'country'];
    const foundWith = free.has('country') ? shareOf(column, withCountry, country) : 0;
    if (Math.max(found, foundWith) < nearlyAll) continue;
    const parts = foundWith >= found ? withCountry : form;
    // Only two blanks tell a second line from a comma in the street.
    const hasSecondLine =
      isWhole && free.has('address_line2') && column.cells.some(({ text }) => isBetweenBlanks(text));
    return hasSecondLine ? ['address_line1', 'address_line2', ...parts.slice(1)] : parts;
  }
  return [];
}

/** The share of a column's values that are an address of these parts, in the country that suits them best. */
function shareOf(column: Column, form: readonly AddressPart[], country: Column | undefined): number {
  const wanted = new Set(form);
  const isOf = (text: string, code: string | undefined): boolean =>
    splitAddress(text, wanted, code) !== undefined;
  if (wanted.has('country')) return share(column, (text) => isOf(text, undefined));
  if (country !== undefined) {
    const codes = [...new Set(country.values.flatMap(({ text }) => countryWritten(text) ?? []))];
    return share(column, (text) => codes.some((code) => isOf(text, code)));
  }
  const first = column.values.slice(0, valuesTriedFirst);
  const possible = iso31661.filter(
    ({ alpha2 }) => first.filter(({ text }) => isOf(text, alpha2)).length * 2 > first.length,
  );
  return Math.max(0, ...possible.map(({ alpha2 }) => share(column, (text) => isOf(text, alpha2))));
}
