import { iso31661 } from 'iso-3166';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { createNameSearch } from '../../domain/text/similar-names.ts';

/** A country as people know it. */
export interface NamedCountry {
  /** ISO 3166-1 alpha-2, in capitals. */
  readonly code: string;
  readonly name: string;
}

const countries = iso31661.flatMap((entry) => (entry.state === 'assigned' ? [entry] : []));

/**
 * The country that a code names.
 * @throws PaybatchError (`usage`) with the nearest country for anything else
 */
export function countryOfArgument(text: string): NamedCountry {
  const code = text.trim().toUpperCase();
  const found = countries.find(({ alpha2 }) => alpha2 === code);
  if (found !== undefined) return { code, name: found.name };
  const nearest = nearestTo(text.trim());
  throw new PaybatchError(
    'invalid_country',
    `"${text}" is no country code: that is two letters of ISO 3166-1, such as KE.`,
    nearest === undefined
      ? { action: 'institutions', country: 'KE' }
      : { action: 'institutions', country: nearest.code, effect: `  (${nearest.name})` },
  );
}

function nearestTo(text: string): NamedCountry | undefined {
  const code = text.toUpperCase();
  const byName = createNameSearch(countries.map(({ name }) => name));
  const [name] = text.length > 2 ? byName(text, 1) : [];
  const [likeCode] =
    text.length === 2 ? createNameSearch(countries.map(({ alpha2 }) => alpha2))(code, 1) : [];
  const entry =
    countries.find(({ alpha3 }) => alpha3 === code) ??
    countries.find((each) => each.name === name || each.alpha2 === likeCode);
  return entry === undefined ? undefined : { code: entry.alpha2, name: entry.name };
}
