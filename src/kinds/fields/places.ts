/* Countries and subdivisions (states), by their codes and by their names. */

import { readFileSync } from 'node:fs';
import { iso31661, iso31662 } from 'iso-3166';
import { remembered } from '../../domain/machine/remembered.ts';
import { readAs } from '../../domain/rows/finding.ts';
import { say } from '../../domain/settings/message.ts';
import type { ReadingRules } from '../../domain/tables/mapping.ts';
import { namesIn } from '../words-of-files.ts';
import { shownValue, type ValueCheck, type ValueRefusal, type ValueResult } from './value-text.ts';

const countryCodes: ReadonlySet<string> = new Set(
  iso31661.flatMap((entry) => (entry.state === 'assigned' ? [entry.alpha2] : [])),
);

/** Whether a text is an assigned code of ISO 3166-1. */
export function isCountryCode(text: string): boolean {
  return countryCodes.has(text);
}

/**
 * The content of `subdivision-names.json`: names that ISO 3166-2 does not have, by country and by the code without the
 * country.
 */
export interface SubdivisionNames {
  readonly sources: string;
  readonly names: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const { names: furtherNames }: SubdivisionNames = JSON.parse(
  readFileSync(new URL('./subdivision-names.json', import.meta.url), 'utf8'),
);
const subdivisions: ReadonlySet<string> = new Set(iso31662.map((entry) => entry.code));

/** The check of a country: a code of ISO 3166-1, or a name if the mapping allows names. */
export function createCountryCheck(places: ReadingRules['places']): ValueCheck {
  return (text) => {
    if (countryCodes.has(text)) return text;
    const code = text.toUpperCase();
    if (countryCodes.has(code)) return code;
    const meant = countryNamed(text);
    if (meant !== undefined && places === 'names') return { value: meant, notes: [readAs(meant)] };
    return refuseCountry(text, meant, places);
  };
}

function refuseCountry(
  text: string,
  meant: string | undefined,
  places: ReadingRules['places'],
): ValueRefusal {
  const advice = meant === undefined ? 'such as KE or DE' : `such as ${meant}`;
  const is = places === 'names' ? 'no country code, nor the name of one country' : 'not a country code';
  const message = say`${shownValue(text)} is ${is}; write the two letters of the country, ${advice}`;
  return { code: 'invalid_country', message };
}

/** The check of a subdivision: a code of ISO 3166-2, or a name or short code within the row's country. */
export function createStateCheck(places: ReadingRules['places']): ValueCheck {
  return (text, _kind, row) => {
    if (subdivisions.has(text)) return text;
    const code = text.toUpperCase();
    if (/^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(code) && countryCodes.has(code.slice(0, 2))) {
      return subdivisions.has(code) ? code : { value: code, notes: [{ kind: 'unknown_subdivision' }] };
    }
    return places === 'names'
      ? stateNamed(text, row.valueOf('country'))
      : refuseState(text, 'is not a subdivision code');
  };
}

function stateNamed(text: string, country: string | undefined): ValueResult {
  if (country === undefined) return refuseState(text, 'cannot be looked up without the country of its row');
  const meant = subdivisionNamed(text, country);
  return meant === undefined
    ? refuseState(text, `is no subdivision of ${country} by its name or code`)
    : { value: meant, notes: [readAs(meant)] };
}

function refuseState(text: string, problem: string): ValueRefusal {
  const message = say`${shownValue(text)} ${problem}; write country, hyphen and subdivision as in ISO 3166-2, such as US-CA`;
  return { code: 'invalid_state', message };
}

/** A subdivision has to belong to the country that the row names. */
export function checkStateOfCountry(state: string, country: string): ValueResult {
  if (state.slice(0, 2) === country) return state;
  return {
    code: 'invalid_state',
    message: say`${shownValue(state)} is not in ${country}, the country of this row`,
  };
}

/**
 * The languages in which countries may be named. Names that are the same without vowel signs, as in Hindi or Thai, would be short
 * and alike.
 */
const languages = (
  'en de fr es it nl sw pt pl sv da nb fi is et lv lt cs sk sl hr bs sr sr-Latn mk bg ro hu sq el tr ca gl eu ' +
  'uk ru be hy ka az kk uz ar fa he am id ms ja ko zh zh-Hant'
).split(' ');

/** Texts that people write for a country in addition to its names, by its code, separated by semicolons. */
const commonNames: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('./country-names.json', import.meta.url), 'utf8'),
);

/** Words for the type of a subdivision, which people add or omit: `Lagos State`, `Kiambu County`. */
const kindsOfSubdivision = /\b(?:state|county|city|province|region|district|of)\b/g;

/** A name without regard to case, accents, spaces and signs. */
function fold(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('&', 'and')
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Codes by name. A name that means several places has no code. */
function unambiguous(
  entries: readonly (readonly [name: string, code: string])[],
): ReadonlyMap<string, string> {
  const codes = new Map<string, string | undefined>();
  for (const [name, code] of entries) {
    if (name === '') continue;
    codes.set(name, codes.has(name) && codes.get(name) !== code ? undefined : code);
  }
  return new Map([...codes].flatMap(([name, code]) => (code === undefined ? [] : [[name, code] as const])));
}

let countries: ReadonlyMap<string, string> | undefined;

/**
 * The code of a country from its name in one of these languages (names in Unicode's CLDR, as Node has them, and in ISO
 * 3166-1), or from its code of three letters; undefined for another text.
 */
export function countryNamed(text: string): string | undefined {
  countries ??= namesOfCountries();
  return countries.get(fold(text));
}

/** The code of a country from its code or name. */
export function countryWritten(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  return iso31661.some(({ alpha2 }) => alpha2 === code) ? code : countryNamed(text);
}

function namesOfCountries(): ReadonlyMap<string, string> {
  const names = languages.map((language) => new Intl.DisplayNames([language], { type: 'region' }));
  const assigned = iso31661.flatMap((entry) => (entry.state === 'assigned' ? [entry] : []));
  return unambiguous([
    ...Object.entries(commonNames).flatMap(([code, names]) =>
      namesIn(names).map((name) => [fold(name), code] as const),
    ),
    ...assigned.flatMap(({ alpha2, alpha3, name }) =>
      [name, alpha3, ...names.map((own) => own.of(alpha2) ?? '')].map(
        (text) => [fold(text), alpha2] as const,
      ),
    ),
  ]);
}

const subdivisionsOf = remembered(namesOfSubdivisions);

/**
 * The code of a country's subdivision from its name in ISO 3166-2, with or without its type (`Lagos`, `Lagos State`), from
 * its name in the country's own script (`東京都`), or from its code without the country (`CA`); undefined for another text.
 */
export function subdivisionNamed(text: string, country: string): string | undefined {
  const codes = subdivisionsOf(country);
  return codes.get(fold(text)) ?? codes.get(foldWithoutKind(text));
}

/** A subdivision of a country according to ISO 3166-2. */
interface Subdivision {
  /** The code with the country: `HU-CS`. */
  readonly code: string;
  readonly name: string;
}

/** The subdivisions of a country, in the order of their names. */
export function subdivisionsIn(country: string): readonly Subdivision[] {
  return iso31662
    .flatMap(({ code, name }) => (code.startsWith(`${country}-`) ? [{ code, name }] : []))
    .sort((one, other) => one.name.localeCompare(other.name, 'en'));
}

/** The countries with a subdivision of this name (folded), computed when first needed. */
let countriesByName: ReadonlyMap<string, readonly string[]> | undefined;

/** The countries with a subdivision that a text names, as `subdivisionNamed` reads it. */
export function countriesOfSubdivision(text: string): ReadonlySet<string> {
  countriesByName ??= readCountriesByName();
  const names = [fold(text), foldWithoutKind(text)];
  return new Set(names.flatMap((name) => countriesByName?.get(name) ?? []));
}

function readCountriesByName(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const country of countriesWithSubdivisions()) {
    for (const name of subdivisionsOf(country).keys()) {
      found.set(name, [...(found.get(name) ?? []), country]);
    }
  }
  return found;
}

function foldWithoutKind(name: string): string {
  return fold(name.toLowerCase().replace(kindsOfSubdivision, ''));
}

function namesOfSubdivisions(country: string): ReadonlyMap<string, string> {
  const own = iso31662.filter(({ code }) => code.startsWith(`${country}-`));
  const further = furtherNames[country] ?? {};
  const exact = unambiguous(
    own.flatMap(({ code, name }) =>
      [name, code, code.slice(3), ...namesIn(further[code.slice(3)] ?? '')].map(
        (written) => [fold(written), code] as const,
      ),
    ),
  );
  const short = unambiguous(own.map(({ code, name }) => [foldWithoutKind(name), code] as const));
  // A full name takes precedence over a name that became equal to it because a word was removed.
  return new Map([...short, ...exact]);
}

/** The countries that ISO 3166-2 divides, by their codes. */
export function countriesWithSubdivisions(): readonly string[] {
  return [...new Set(iso31662.map(({ code }) => code.slice(0, 2)))];
}
