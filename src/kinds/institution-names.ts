/* The names of a country's institutions: formal, short, former and other names, and their codes. As of 2026-11. */

import { readFileSync } from 'node:fs';
import { dataOf, namesIn } from '../domain/text/data-file.ts';

/** What `institution-names.json` has of a country. */
export interface CountryInstitutions {
  /** Its name in English. */
  readonly country: string;
  readonly source: string;
  /** The digits of a branch's whole code, which begins with the bank's; absent where banks have no such codes. */
  readonly branchCodeDigits?: number;
  /**
   * For each its formal name, then short, former and other names; after the bar its codes, the usual one first; and after a
   * second bar the first four letters of its BIC.
   */
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
  /** Its national codes, the usual one first. */
  readonly codes: readonly string[];
  /** The first four letters of its BIC; null where it is unknown. */
  readonly bic: string | null;
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
    const [names = '', codes = '', bic = ''] = line.split('|').map((part) => part.trim());
    return { names: namesIn(names), codes: codes.split(' ').filter(Boolean), bic: bic === '' ? null : bic };
  });
  known.set(country, institutions);
  return institutions;
}

/** The digits of the whole code of a branch in a country, bank and branch; undefined where its banks have none. */
export function branchCodeDigits(country: string): number | undefined {
  return tables[country]?.branchCodeDigits;
}

/** The usual codes of a country's bank with this name; none where it is not known. */
export function codesOfBank(name: string, country: string): readonly string[] {
  const wanted = name.trim().toLowerCase();
  return institutionNames(country)
    .filter(({ names }) => names.some((own) => own.toLowerCase() === wanted))
    .flatMap(({ codes: [usual] }) => usual ?? []);
}
