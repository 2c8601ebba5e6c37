/*
 * The country of a file's phone numbers: the country code that they contain, or the country in which numbers without a
 * code can be read.
 */

import { readNationalPhone, readPhone } from '../../kinds/fields/phone.ts';
import { countryNamed } from '../../kinds/fields/places.ts';
import type { MappingFile } from '../../read/mapping/mapping-schema.ts';
import { type Decisions, decidedText, decidedValues } from '../decisions.ts';
import { type Column, share } from '../sheet/column.ts';
import type { Sheet } from '../sheet/sheet.ts';
import type { Assignment } from './assignment.ts';
import { columnOfField, type Use, usesOfValues } from './column-use.ts';

/** The country in which phone numbers without a country code are read. */
export interface PhonePlaces {
  /** One country for all rows, or the column that has it; null if it is unknown, or if no number needs it. */
  readonly phoneCountry: MappingFile['phoneCountry'] | null;
  /** The countries in which the phone numbers without `+` could be read, if there are several. */
  readonly phoneCountries: readonly string[];
}

const fewestFound = 2;

/** The country that a phone number contains, with `+` or `00`; undefined for other texts. */
export function countryOfPhone(text: string): string | undefined {
  const phone = /^(?:\+|00)/.test(text) ? readPhone(text.replace(/^00/, '+')) : undefined;
  return phone?.isValid === true ? (phone.country ?? undefined) : undefined;
}

/** The only country of the phone numbers that contain a country code. */
export function phoneCountryFound({ columns }: Pick<Sheet, 'columns'>): string | null {
  const countries = columns.flatMap(({ values }) => values.flatMap(({ text }) => countryOfPhone(text) ?? []));
  const [first] = countries;
  const isOne = first !== undefined && countries.every((country) => country === first);
  return isOne && countries.length >= fewestFound ? first : null;
}

const fewestPhones = 0.5;
/** The share of the numbers that must fit a country known from other data. */
const fewPhones = 0.2;
/** The minimum lead of a country's share over the share of the next country. */
const clearlyMore = 0.2;
/**
 * The countries that are tried for phone numbers if the country is unknown: countries with mobile money, and large
 * countries.
 */
const triedCountries =
  'KE UG TZ RW GH NG ZM MW MZ ZA SN CI CM BJ BF ML ET EG MA IN PK BD PH ID BR MX CO AR PE CL US GB DE FR ES IT PT NL PL AU'.split(
    ' ',
  );

/** The country in which the phone numbers of an assignment are read. */
export function phonesOf(
  { uses }: Assignment,
  countries: Column | undefined,
  country: string | null,
  decisions: Decisions,
): PhonePlaces {
  const decided = decidedText(decisions.get('reading:phone_country'));
  if (decided !== undefined) {
    return {
      phoneCountries: [],
      phoneCountry: decided.startsWith('column:')
        ? { column: decided.slice('column:'.length) }
        : decided.toUpperCase(),
    };
  }
  const phones = together(
    usesOfValues(uses)
      .filter(isOfPhones)
      .map(({ column }) => column),
  );
  // Account numbers that may be phone numbers are read as such only if an institution says so.
  const isAccount = phones === undefined;
  const own = phones ?? columnOfField(uses, 'account_number');
  if (own === undefined || internationalShare(own) > 0.995) return { phoneCountry: null, phoneCountries: [] };
  const national = nationalOf(own);
  if (countries !== undefined && hasCountryOfEachRow(countries, decisions))
    return { phoneCountry: { column: countries.title }, phoneCountries: [] };
  const possible = [
    ...(country === null ? [] : [country]),
    ...(countries === undefined
      ? []
      : countries.values.slice(0, 1).map(({ text }) => countryNamed(text) ?? text.toUpperCase())),
  ];
  const [first] = isAccount ? possible : possible.filter((code) => phoneShare(national, code) > fewPhones);
  if (first !== undefined) return { phoneCountry: first, phoneCountries: [] };
  if (possible.length > 0) return { phoneCountry: null, phoneCountries: [] };
  const readable = triedCountries
    .map((code) => ({ code, share: phoneShare(national, code) }))
    .filter(({ share }) => share >= fewestPhones)
    .sort((left, right) => right.share - left.share);
  const [best, next] = readable;
  const isClear = best !== undefined && best.share > (next?.share ?? 0) + clearlyMore;
  return {
    phoneCountry: isClear ? best.code : null,
    phoneCountries: readable.map(({ code }) => code),
  };
}

/** The share of the values whose country is known. */
const mostNamed = 0.7;

/** Whether most values of a column are countries, by their names, their codes or a person's decision, and several ones. */
function hasCountryOfEachRow({ title, cells, values }: Column, decisions: Decisions): boolean {
  const decided = decidedValues(decisions, title);
  const codeOf = (text: string): string | undefined =>
    decided.get(text) ?? countryNamed(text) ?? (/^[A-Z]{2}$/.test(text) ? text : undefined);
  const named = cells.filter(({ text }) => codeOf(text) !== undefined).length;
  return (
    named >= cells.length * mostNamed && new Set(values.map(({ text }) => codeOf(text) ?? text)).size > 1
  );
}

function isOfPhones({ fields }: Use): boolean {
  return fields.includes('phone') || fields.includes('phone_number');
}

/** The numbers of several columns that are joined, such as the country code and the rest; undefined for no column. */
function together([first, ...others]: readonly Column[]): Column | undefined {
  if (first === undefined || others.length === 0) return first;
  const byRow = new Map<number, Column['cells'][number]>();
  for (const cell of [first, ...others].flatMap(({ cells }) => cells)) {
    const before = byRow.get(cell.row);
    byRow.set(cell.row, before === undefined ? cell : { ...cell, text: `${before.text} ${cell.text}` });
  }
  const cells = [...byRow.values()];
  const values = cells.map(({ text }) => ({ text, rows: 1 }));
  return { ...first, cells, values };
}

/** The column without the phone numbers that contain a country code. */
function nationalOf(column: Column): Column {
  const isNational = ({ text }: { readonly text: string }): boolean => !text.startsWith('+');
  return { ...column, cells: column.cells.filter(isNational), values: column.values.filter(isNational) };
}

/** The share of a column's values that are phone numbers of a country, in national form. */
function phoneShare(column: Column, country: string): number {
  return share(column, (text) => {
    return typeof readNationalPhone(text, country) === 'object';
  });
}

/** The share of a column's values that are phone numbers with a country code. */
function internationalShare(column: Column): number {
  return share(column, (text) => /^\s*\+/.test(text));
}
