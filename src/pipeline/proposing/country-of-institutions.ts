import { countriesWithInstitutions, institutionNames } from '../../resources/institutions/names.ts';
import type { Column } from './evidence.ts';
import { plainName } from './institution-names.ts';

/**
 * Which country's banks and mobile money providers a column names: Capitec and Nedbank are of South Africa, and of no
 * other country. Names that several countries have tell nothing.
 */

const mostValues = 80;
/** So many rows have to name institutions of the country. */
const fewest = 0.5;
/** And so many more than of any other. */
const ahead = 0.15;

const namesByCountry = new Map<string, ReadonlySet<string>>();

function namesOf(country: string): ReadonlySet<string> {
  const known = namesByCountry.get(country);
  if (known !== undefined) return known;
  const names = new Set(institutionNames(country).flatMap((one) => one.names.map(plainName)));
  namesByCountry.set(country, names);
  return names;
}

/** The only country whose institutions most rows name; undefined where none is, or several are as likely. */
export function countryOfInstitutions(
  { values }: Column,
  isPossible: (country: string) => boolean = () => true,
): string | undefined {
  if (values.length === 0 || values.length > mostValues) return undefined;
  const all = values.reduce((sum, { rows }) => sum + rows, 0);
  const named = values.map(({ text, rows }) => ({ name: plainName(text), rows }));
  const shares = countriesWithInstitutions
    .filter(isPossible)
    .map((country) => {
      const names = namesOf(country);
      const found = named.filter(({ name }) => names.has(name));
      return { country, share: found.reduce((sum, { rows }) => sum + rows, 0) / all };
    })
    .sort((left, right) => right.share - left.share);
  const [first, second] = shares;
  if (first === undefined || first.share < fewest || first.share < (second?.share ?? 0) + ahead)
    return undefined;
  return first.country;
}
