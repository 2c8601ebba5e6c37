/*
 * The institutions of all countries, which are stored from run to run, their names, and the look-up of a name in a country's
 * list.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type Institution,
  type InstitutionList,
  type InstitutionSnapshot,
  type InstitutionType,
  typeOfInstitution,
} from '../../domain/institution.ts';
import { remembered } from '../../domain/machine/remembered.ts';
import { createNameSearch, foldName } from '../../domain/text/characters.ts';
import { namesIn } from '../words-of-files.ts';
import { type FetchPage, fetchInstitutions, type Paging, type StatedPaging } from './fetch-institutions.ts';

/* The names of a country's institutions: formal, short, former and other names, and their codes. As of 2026-11. */

/** The entry of a country in `institution-names.json`. */
export interface CountryInstitutions {
  /** Its name in English. */
  readonly country: string;
  readonly source: string;
  /**
   * The number of digits in the full code of a branch, which begins with the bank's code; absent if banks have no such
   * codes.
   */
  readonly branchCodeDigits?: number;
  /**
   * For each institution its formal name, then short, former and other names; after the bar its codes, the usual one first;
   * and after a second bar the first four letters of its BIC.
   */
  readonly institutions: readonly string[];
}

/** By the country's code of ISO 3166-1. */
const tables: Readonly<Record<string, CountryInstitutions>> = JSON.parse(
  readFileSync(new URL('./institution-names.json', import.meta.url), 'utf8'),
);

/** The countries with such a table. */
export const countriesWithInstitutions: readonly string[] = Object.keys(tables);

/** An institution with its names; the first one is the formal name. */
interface NamedInstitution {
  readonly names: readonly string[];
  /** Its national codes, the usual one first. */
  readonly codes: readonly string[];
  /** The first four letters of its BIC; null if they are not known. */
  readonly bic: string | null;
}

/**
 * The institutions of a country with their other names; empty for a country without a table.
 * @param country ISO 3166-1 alpha-2
 */
export const institutionNames = remembered((country: string): readonly NamedInstitution[] =>
  (tables[country]?.institutions ?? []).map((line) => {
    const [names = '', codes = '', bic = ''] = line.split('|').map((part) => part.trim());
    return { names: namesIn(names), codes: codes.split(' ').filter(Boolean), bic: bic === '' ? null : bic };
  }),
);

/** The number of digits in the full code of a branch in a country (bank and branch); undefined if its banks have none. */
export function branchCodeDigits(country: string): number | undefined {
  return tables[country]?.branchCodeDigits;
}

/** The usual codes of a country's bank with this name; empty if they are not known. */
export function codesOfBank(name: string, country: string): readonly string[] {
  const wanted = name.trim().toLowerCase();
  return institutionNames(country)
    .filter(({ names }) => names.some((own) => own.toLowerCase() === wanted))
    .flatMap(({ codes: [usual] }) => usual ?? []);
}

/** Stores snapshots from run to run. */
interface SnapshotStore {
  readonly load: (country: string) => Promise<InstitutionSnapshot | undefined>;
  readonly save: (snapshot: InstitutionSnapshot) => Promise<void>;
}

interface DirectoryOptions {
  readonly fetchPage: FetchPage;
  readonly store: SnapshotStore;
  readonly now: () => Date;
  /** The maximum age of a stored snapshot; with 0 every run fetches the lists again. */
  readonly maxAgeInMs: number;
  /** The stated facts about how pages are selected; detected if absent. */
  readonly paging?: StatedPaging;
  /** Called once for each country whose list could not be read completely. */
  readonly onIncomplete?: (snapshot: InstitutionSnapshot) => void;
}

/** The institutions of countries, by ISO 3166-1 alpha-2 code in capitals. */
export interface Directory {
  /** For look-ups by id and name. */
  readonly list: (country: string) => Promise<InstitutionList>;
  /** All institutions, in the order in which the API lists them. */
  readonly snapshot: (country: string) => Promise<InstitutionSnapshot>;
}

interface LoadedCountry {
  readonly list: InstitutionList;
  readonly snapshot: InstitutionSnapshot;
}

function hashOf(content: Omit<InstitutionSnapshot, 'fetchedAt' | 'hash'>): string {
  const rows = content.institutions
    .map(({ id, name, country, currency, accountNumberType, minAmount, maxAmount }) =>
      JSON.stringify([id, name, country, currency, accountNumberType, minAmount, maxAmount]),
    )
    .sort();
  return createHash('sha256')
    .update(JSON.stringify([content.country, content.isComplete, rows]))
    .digest('hex');
}

/** A snapshot with a time in the future shows a wrong clock, and an incomplete snapshot is fetched again. */
function isUsable(snapshot: InstitutionSnapshot, now: Date, maxAgeInMs: number): boolean {
  const ageInMs = now.getTime() - snapshot.fetchedAt.getTime();
  return snapshot.isComplete && ageInMs >= 0 && ageInMs < maxAgeInMs;
}

/**
 * The directory of institutions. Each country is read at most once in a run, and stored for later runs until `maxAgeInMs`
 * has passed. Errors of the ports are thrown, and the next call tries again.
 */
export function createDirectory(options: DirectoryOptions): Directory {
  const { fetchPage, store, now, maxAgeInMs, onIncomplete } = options;
  const paging: Paging = { stated: options.paging ?? {} };
  const countries = new Map<string, Promise<LoadedCountry>>();

  const loadSnapshot = async (country: string): Promise<InstitutionSnapshot> => {
    const kept = await store.load(country);
    if (kept !== undefined && isUsable(kept, now(), maxAgeInMs)) return kept;
    const content = { country, ...(await fetchInstitutions(fetchPage, country, paging)) };
    const snapshot = { ...content, fetchedAt: now(), hash: hashOf(content) };
    await store.save(snapshot);
    if (!snapshot.isComplete) onIncomplete?.(snapshot);
    return snapshot;
  };

  const load = async (country: string): Promise<LoadedCountry> => {
    const snapshot = await loadSnapshot(country);
    return { snapshot, list: createInstitutionList(country, snapshot.institutions, snapshot.isComplete) };
  };

  const loadOnce = (country: string): Promise<LoadedCountry> => {
    const known = countries.get(country);
    if (known !== undefined) return known;
    const loading = load(country);
    countries.set(country, loading);
    loading.catch(() => countries.delete(country));
    return loading;
  };

  return {
    list: async (country) => (await loadOnce(country)).list,
    snapshot: async (country) => (await loadOnce(country)).snapshot,
  };
}

const nearestNamesShown = 3;

/** The size of the cache of names. Files repeat right and wrong names; the limit bounds memory for files that do not. */
const rememberedNames = 5_000;

function remember<Answer>(answer: (name: string) => Answer): (name: string) => Answer {
  const answers = new Map<string, Answer>();
  return (name) => {
    const known = answers.get(name);
    if (known !== undefined) return known;
    const fresh = answer(name);
    if (answers.size >= rememberedNames) answers.clear();
    answers.set(name, fresh);
    return fresh;
  };
}

/** Words in company names that people omit. */
const legalForms = /\b(?:ltd|limited|plc)\b/g;

/** A name without differences of spelling: case, accents, blanks, signs, legal forms and the word `bank`. */
function foldLoosely(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('.', '')
    .replace(legalForms, '')
    .replace(/[^\p{L}\p{N}&]/gu, '')
    .replaceAll('bank', '');
}

function groupedBy(
  institutions: readonly Institution[],
  keyOf: (name: string) => string,
): ReadonlyMap<string, readonly Institution[]> {
  const groups = new Map<string, Institution[]>();
  for (const institution of institutions) {
    const key = keyOf(institution.name);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [institution]);
    else group.push(institution);
  }
  return groups;
}

/** The look-ups of one country's institutions. Ids are compared without regard to case, as UUIDs are. */
export function createInstitutionList(
  country: string,
  institutions: readonly Institution[],
  isComplete: boolean,
): InstitutionList {
  const byId = new Map(institutions.map((institution) => [institution.id.toLowerCase(), institution]));
  const byName = groupedBy(institutions, foldName);
  const byLooseName = groupedBy(institutions, foldLoosely);
  const searches = {
    any: searchAmong(institutions),
    bank: searchAmong(ofType(institutions, 'bank')),
    mobile_money: searchAmong(ofType(institutions, 'mobile_money')),
  };
  return {
    country,
    isComplete,
    all: institutions,
    byId: (id) => byId.get(id.toLowerCase()),
    byName: remember((name) => {
      const loose = foldLoosely(name);
      return byName.get(foldName(name)) ?? (loose === '' ? undefined : byLooseName.get(loose)) ?? [];
    }),
    nearestNames: (name, suits) => searches[suits](name),
  };
}

function ofType(institutions: readonly Institution[], type: InstitutionType): readonly Institution[] {
  return institutions.filter((institution) => typeOfInstitution(institution) === type);
}

function searchAmong(institutions: readonly Institution[]): (name: string) => readonly string[] {
  const search = createNameSearch([...new Set(institutions.map(({ name }) => name))]);
  return remember((name) => search(name, nearestNamesShown));
}

/** The institutions of countries, for the limits and names checks. */
export type DirectoryPort = Pick<Directory, 'list'>;
