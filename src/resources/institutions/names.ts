import { bdInstitutions } from './bd.ts';
import { brInstitutions } from './br.ts';
import { ciInstitutions } from './ci.ts';
import { cmInstitutions } from './cm.ts';
import { coInstitutions } from './co.ts';
import { etInstitutions } from './et.ts';
import { ghInstitutions } from './gh.ts';
import { inInstitutions } from './in.ts';
import { keInstitutions } from './ke.ts';
import { mwInstitutions } from './mw.ts';
import { mxInstitutions } from './mx.ts';
import { ngInstitutions } from './ng.ts';
import { phInstitutions } from './ph.ts';
import { rwInstitutions } from './rw.ts';
import { snInstitutions } from './sn.ts';
import { tzInstitutions } from './tz.ts';
import { ugInstitutions } from './ug.ts';
import { zaInstitutions } from './za.ts';
import { zmInstitutions } from './zm.ts';

/** What the institutions of a country are called, by its code in ISO 3166-1: one file a country beside this one. */
const tables: Readonly<Record<string, string>> = {
  BD: bdInstitutions,
  BR: brInstitutions,
  CI: ciInstitutions,
  CM: cmInstitutions,
  CO: coInstitutions,
  ET: etInstitutions,
  GH: ghInstitutions,
  IN: inInstitutions,
  KE: keInstitutions,
  MW: mwInstitutions,
  MX: mxInstitutions,
  NG: ngInstitutions,
  PH: phInstitutions,
  RW: rwInstitutions,
  SN: snInstitutions,
  TZ: tzInstitutions,
  UG: ugInstitutions,
  ZA: zaInstitutions,
  ZM: zmInstitutions,
};

/** The countries of which such a table is here. */
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
  const lines = (tables[country] ?? '').split('\n').filter((line) => line.trim() !== '');
  const institutions = lines.map((line): NamedInstitution => {
    const [names = '', code] = line.split('|');
    return { names: names.split(';').map((name) => name.trim()), code: code?.trim() ?? null };
  });
  known.set(country, institutions);
  return institutions;
}

/** The codes of a country's bank that is called so; none where nobody knows it. */
export function codesOfBank(name: string, country: string): readonly string[] {
  const wanted = name.trim().toLowerCase();
  return institutionNames(country)
    .filter(({ names }) => names.some((own) => own.toLowerCase() === wanted))
    .flatMap(({ code }) => (code === null ? [] : [code]));
}
