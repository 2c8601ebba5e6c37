import { createHash } from 'node:crypto';
import type { InstitutionList, InstitutionSnapshot } from '../domain/institution.ts';
import { type FetchPage, fetchInstitutions, type Paging } from './fetch-institutions.ts';
import { createInstitutionList } from './institution-list.ts';
import type { StatedPaging } from './page-style.ts';

/** Keeps snapshots from run to run. */
export interface SnapshotStore {
  readonly load: (country: string) => Promise<InstitutionSnapshot | undefined>;
  readonly save: (snapshot: InstitutionSnapshot) => Promise<void>;
}

export interface DirectoryOptions {
  readonly fetchPage: FetchPage;
  readonly store: SnapshotStore;
  readonly now: () => Date;
  /** How old a kept snapshot may be; 0 fetches anew in every run. */
  readonly maxAgeInMs: number;
  /** What is known beforehand about how pages are chosen; found by itself when absent. */
  readonly paging?: StatedPaging;
  /** Hears of each country whose list could not be read in full, once. */
  readonly onIncomplete?: (snapshot: InstitutionSnapshot) => void;
}

/** The institutions of countries, by ISO 3166-1 alpha-2 code in capitals. */
export interface Directory {
  /** For look-ups by id and name. */
  readonly list: (country: string) => Promise<InstitutionList>;
  /** All of them, in the order in which the API lists them. */
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

/** A snapshot from the future tells of a wrong clock; an incomplete one deserves another try. */
function isUsable(snapshot: InstitutionSnapshot, now: Date, maxAgeInMs: number): boolean {
  const ageInMs = now.getTime() - snapshot.fetchedAt.getTime();
  return snapshot.isComplete && ageInMs >= 0 && ageInMs < maxAgeInMs;
}

/**
 * The directory of institutions. Each country is read at most once in a run, and kept for later runs
 * until `maxAgeInMs` has passed. What the ports throw is thrown on, and the next call tries again.
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
