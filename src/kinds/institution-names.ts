/* The names of a country's institutions: formal, short, former and other names, and their codes. As of 2026-11. */

import { readFileSync } from 'node:fs';
import { dataOf, namesIn } from '../domain/text/data-file.ts';

/** What `institution-names.json` has of a country. */
export interface CountryInstitutions {
  /** Its name in English. */
  readonly country: string;
  readonly source: string;
  /** For each its formal name, then short, former and other names, and after the bar its code. */
  readonly institutions: readonly string[];
}

/** By the country's code of ISO 3166-1. */
const tables = dataOf<Readonly<Record<string, CountryInstitutions>>>(
  readFileSync(new URL('./institution-names.json', import.meta.url), 'utf8'),
);

/** The countries that have such a table. */
export const countriesWithInstitutions: readonly string[] = Object.keys(tables);

/** An institution by its names, of which the first is its formal one. */
interface NamedInstitution {
  readonly names: readonly string[];
  readonly code: string | null;
}

const known = new Map<string, readonly NamedInstitution[]>();

/**
 * The institutions of a country with their other names; none for a country without a table.
 * @param country ISO 3166-1 alpha-2
 */
export function institutionNames(country: string): readonly NamedInstitution[] {
  const kept = known.get(country);
  if (kept !== undefined) return kept;
  const lines = tables[country]?.institutions ?? [];
  const institutions = lines.map((line): NamedInstitution => {
    const [names = '', code] = line.split('|');
    return { names: namesIn(names), code: code?.trim() ?? null };
  });
  known.set(country, institutions);
  return institutions;
}

/** The codes of a country's bank with this name; none where it is not known. */
export function codesOfBank(name: string, country: string): readonly string[] {
  const wanted = name.trim().toLowerCase();
  return institutionNames(country)
    .filter(({ names }) => names.some((own) => own.toLowerCase() === wanted))
    .flatMap(({ code }) => (code === null ? [] : [code]));
}
