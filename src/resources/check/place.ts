import { iso31661, iso31662 } from 'iso-3166';
import { readingNote } from '../../domain/rows/finding.ts';
import type { ReadingRules } from '../../domain/tables/mapping.ts';
import { countryNamed, subdivisionNamed } from './place-names.ts';
import type { ValueCheck, ValueRefusal, ValueResult } from './value-result.ts';
import { shorten } from './wording.ts';

const countryCodes: ReadonlySet<string> = new Set(
  iso31661.flatMap((entry) => (entry.state === 'assigned' ? [entry.alpha2] : [])),
);
const subdivisions: ReadonlySet<string> = new Set(iso31662.map((entry) => entry.code));

/** The check of a country: a code of ISO 3166-1, or a name where the mapping takes names. */
export function createCountryCheck(places: ReadingRules['places']): ValueCheck {
  return (text) => {
    if (countryCodes.has(text)) return text;
    const code = text.toUpperCase();
    if (countryCodes.has(code)) return code;
    const meant = countryNamed(text);
    if (meant !== undefined && places === 'names') return { value: meant, note: readingNote(meant) };
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
  const message = `${shorten(text)} is ${is}; write the two letters of ISO 3166-1, ${advice}`;
  return { code: 'invalid_country', message };
}

/** The check of a subdivision: a code of ISO 3166-2, or a name or short code of the row's country. */
export function createStateCheck(places: ReadingRules['places']): ValueCheck {
  return (text, _kind, row) => {
    if (subdivisions.has(text)) return text;
    const code = text.toUpperCase();
    if (/^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(code) && countryCodes.has(code.slice(0, 2))) {
      return subdivisions.has(code) ? code : { value: code, note: 'unknown subdivision' };
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
    : { value: meant, note: readingNote(meant) };
}

function refuseState(text: string, problem: string): ValueRefusal {
  const message = `${shorten(text)} ${problem}; write country, hyphen and subdivision as in ISO 3166-2, such as US-CA`;
  return { code: 'invalid_state', message };
}

/** A subdivision has to belong to the country that the row names. */
export function checkStateOfCountry(state: string, country: string): ValueResult {
  if (state.slice(0, 2) === country) return state;
  return {
    code: 'invalid_state',
    message: `${shorten(state)} is not in ${country}, the country of this row`,
  };
}
