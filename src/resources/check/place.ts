import { iso31661, iso31662 } from 'iso-3166';
import type { Verdict } from './verdict.ts';
import { shorten } from './wording.ts';

const namesByCountry = new Map(
  iso31661.flatMap((entry) => (entry.state === 'assigned' ? [[entry.alpha2, entry.name] as const] : [])),
);
const countriesByName = new Map([...namesByCountry].map(([code, name]) => [name.toLowerCase(), code]));
const subdivisions: ReadonlySet<string> = new Set(iso31662.map((entry) => entry.code));

/** What people write that is not a code, or not this country's. */
const commonMistakes: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR', USA: 'US', ENGLAND: 'GB' };

export function checkCountry(text: string): Verdict {
  if (namesByCountry.has(text)) return text;
  const code = text.toUpperCase();
  if (namesByCountry.has(code)) return code;
  const meant = commonMistakes[code] ?? countriesByName.get(text.toLowerCase());
  const advice = meant === undefined ? 'such as KE or DE' : `such as ${meant}`;
  return {
    code: 'invalid_country',
    message: `${shorten(text)} is not a country code; write the two letters of ISO 3166-1, ${advice}`,
  };
}

export function checkState(text: string): Verdict {
  if (subdivisions.has(text)) return text;
  const code = text.toUpperCase();
  if (/^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(code) && namesByCountry.has(code.slice(0, 2))) {
    return subdivisions.has(code) ? code : { value: code, note: 'unknown subdivision' };
  }
  const message = `${shorten(text)} is not a subdivision code; write country, hyphen and subdivision as in ISO 3166-2, such as US-CA`;
  return { code: 'invalid_state', message };
}

/** A subdivision has to belong to the country that the row names. */
export function checkStateOfCountry(state: string, country: string): Verdict {
  if (state.slice(0, 2) === country) return state;
  return {
    code: 'invalid_state',
    message: `${shorten(state)} is not in ${country}, the country of this row`,
  };
}
