import type { Institution } from '../domain/institution.ts';
import { readInstitutionPage } from './institution-page.ts';

/** An answer of the institutions endpoint: its status, and its body as text, since the digits count. */
export interface PageAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Fetches one page (counted from 1) of a country's institutions. Failures that concern the run, such as
 * refused credentials or an unreachable API, are thrown, and pass through.
 */
export type FetchPage = (country: string, page: number) => Promise<PageAnswer>;

/** More pages than this are no list of one country's institutions, but an endpoint that has lost its way. */
export const pageLimit = 500;

export interface FetchedInstitutions {
  readonly institutions: readonly Institution[];
  readonly isComplete: boolean;
}

/** The API does not say how pages are chosen, so an answer counts only if it is the page that was asked for. */
async function fetchOnePage(fetchPage: FetchPage, country: string, number: number) {
  const { status, body } = await fetchPage(country, number);
  const page = status >= 200 && status < 300 ? readInstitutionPage(body, country) : undefined;
  if (page === undefined) return undefined;
  const isOnlyPage = number === 1 && page.totalPages <= 1;
  return page.number === number || isOnlyPage ? page : undefined;
}

/**
 * Reads all pages of a country. The result is incomplete when a page cannot be read, repeats another, is
 * empty before the last one, or belongs to a list that shrank meanwhile: an institution may then be
 * missing from it.
 */
export async function fetchInstitutions(fetchPage: FetchPage, country: string): Promise<FetchedInstitutions> {
  const byId = new Map<string, Institution>();
  const institutions = () => [...byId.values()];
  let isComplete = true;
  let totalPages = 1;
  for (let number = 1; number <= totalPages; number += 1) {
    if (number > pageLimit) return { institutions: institutions(), isComplete: false };
    const page = await fetchOnePage(fetchPage, country, number);
    if (page === undefined) return { institutions: institutions(), isComplete: false };
    const known = byId.size;
    for (const institution of page.institutions) {
      if (!byId.has(institution.id)) byId.set(institution.id, institution);
    }
    const fresh = byId.size - known;
    const mayBeEmpty = number === 1 && page.totalPages <= 1;
    if (fresh === 0 && !mayBeEmpty) return { institutions: institutions(), isComplete: false };
    if (fresh < page.institutions.length || !page.isWhole || (number > 1 && page.totalPages < totalPages))
      isComplete = false;
    totalPages = page.totalPages;
  }
  return { institutions: institutions(), isComplete };
}
