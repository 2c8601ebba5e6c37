/* A country's institutions. */

import { iso31661 } from 'iso-3166';
import type { CallResult } from '../account/result.ts';
import { directoriesOf } from '../call/api-access.ts';
import type { CallContext } from '../call/context.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { InstitutionSnapshot } from '../domain/institution.ts';
import { createNameSearch } from '../domain/text/characters.ts';
import { openApi } from '../send/batches/continue-batches.ts';

/** A country's institutions, no older than the settings allow. */
interface InstitutionsResult extends CallResult {
  readonly country: NamedCountry;
  readonly snapshot: InstitutionSnapshot;
}

/** The result itself says whether the list is complete. */
const unheard: CallContext['report'] = () => {};

/**
 * Lists a country's institutions: those in the ledger, or read again when these are too old.
 * @param request names the country by its two letters of ISO 3166-1
 */
export async function listInstitutions(
  app: CallContext,
  request: { readonly country: string },
): Promise<InstitutionsResult> {
  const country = countryOfArgument(request.country);
  const { target, access } = await openApi(app);
  const environmentId = await access.verbs.environmentIdOf(target.environment);
  const openDirectory = directoriesOf({ ...app, report: unheard }, access.verbs);
  const snapshot = await openDirectory(environmentId).snapshot(country.code);
  return { outcome: 'done', batches: [], failure: null, country, snapshot };
}

/** The countries whose institutions can be queried. */
interface InstitutionCountries extends CallResult {
  /** Those of which the ledger has a list. */
  readonly known: readonly NamedCountry[];
  /** All countries, by name. */
  readonly all: readonly NamedCountry[];
}

/** Returns the countries of which the ledger has lists. The API is not queried. */
export async function institutionCountries(
  app: CallContext,
  _request: Readonly<Record<string, never>>,
): Promise<InstitutionCountries> {
  const end = { outcome: 'done', batches: [], failure: null } as const;
  const collator = new Intl.Collator('en');
  const all = countries
    .map(({ alpha2: code, name }) => ({ code, name }))
    .sort((one, other) => collator.compare(one.name, other.name));
  if (!app.connections.isLedgerThere()) return { ...end, known: [], all };
  const { verbs } = await app.connections.ledgerToRead();
  const codes = new Set(await verbs.listInstitutionCountries());
  return { ...end, known: all.filter(({ code }) => codes.has(code)), all };
}

/** A country by the name that people know. */
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
      : { action: 'institutions', country: nearest.code, remark: nearest.name },
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
