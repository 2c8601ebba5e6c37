/* Reads all pages of a country's institutions from the API, for any way of selecting pages. */

import type { Institution } from '../../domain/institution.ts';
import { RunStop } from '../../domain/sending/stops.ts';
import { type InstitutionPage, readInstitutionPage } from './institution-page.ts';

/** The query parameters of a request, besides the country. */
export type PageQuery = Readonly<Record<string, string>>;

/**
 * How an API selects pages, which its specification does not state. It may use a `page` number, or the `offset` of a page's
 * first institution, each with or without the page's size. Or it may have no pages, but a size that is large enough for all
 * institutions.
 */
type PageStyle =
  | {
      readonly by: 'page';
      readonly parameter: string;
      /** The number of the first page, as in the query. */
      readonly first: number;
      readonly sizeParameter?: string;
    }
  | { readonly by: 'offset'; readonly parameter: string; readonly sizeParameter?: string }
  | { readonly by: 'size'; readonly parameter: string };

/** A person's statements about the pages. */
export interface StatedPaging {
  /** The query parameter that selects a page. */
  readonly parameter?: string | undefined;
  /** The number of the first page. */
  readonly firstPage?: number | undefined;
}

const usualParameter = 'page';

const offsetName = /offset|skip|start/i;

const sizeName = /limit|size|count|per_?page/i;

/**
 * The requests that may return the first page, in order: without a number, or with its number. The number 0 is tried before
 * 1, because 1 may be the second page.
 */
function firstPageQueries({ parameter = usualParameter, firstPage }: StatedPaging): PageQuery[] {
  if (firstPage !== undefined) return [{ [parameter]: String(firstPage) }];
  return [{}, { [parameter]: '0' }, { [parameter]: '1' }];
}

/**
 * The styles to try for the second page, the most likely first.
 * @param firstNumber the number of the first page in its answer
 */
function pageStyles({ parameter, firstPage }: StatedPaging, firstNumber: number): PageStyle[] {
  const name = parameter ?? usualParameter;
  const firsts = firstPage === undefined ? (firstNumber === 0 ? [0, 1] : [1, 0]) : [firstPage];
  const byPage = firsts.map((first) => ({ by: 'page', parameter: name, first }) as const);
  if (parameter !== undefined) {
    const byOffset: PageStyle = { by: 'offset', parameter };
    if (sizeName.test(parameter)) return [{ by: 'size', parameter }];
    return offsetName.test(parameter) ? [byOffset, ...byPage] : [...byPage, byOffset];
  }
  const sized = byPage.slice(0, 1).map((style): PageStyle => ({ ...style, sizeParameter: 'limit' }));
  if (firstPage !== undefined) return [...byPage, ...sized];
  return [
    ...byPage,
    { by: 'offset', parameter: 'offset' },
    { by: 'offset', parameter: 'offset', sizeParameter: 'limit' },
    ...sized,
    { by: 'size', parameter: 'limit' },
  ];
}

/**
 * The query for a page.
 * @param index of the page, from 0; 1 for a style that has only one page
 * @param first the first page; each page except the last has as many institutions
 */
function pageQuery(
  style: PageStyle,
  index: number,
  first: { readonly itemCount: number; readonly totalPages: number },
): PageQuery {
  if (style.by === 'size') return { [style.parameter]: String(first.itemCount * first.totalPages) };
  const { parameter, sizeParameter } = style;
  const value = style.by === 'page' ? style.first + index : index * first.itemCount;
  const size = sizeParameter === undefined ? {} : { [sizeParameter]: String(first.itemCount) };
  return { [parameter]: String(value), ...size };
}

/** An answer of the institutions endpoint: its status, and its body as text, because every digit matters. */
export interface PageAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Fetches one page of a country's institutions, selected by the query. It throws failures of the whole run, such as refused
 * credentials or an unreachable API.
 */
export type FetchPage = (country: string, query: PageQuery) => Promise<PageAnswer>;

/** With more pages than this, the endpoint does not list the institutions of only one country. */
export const pageLimit = 500;

interface FetchedInstitutions {
  readonly institutions: readonly Institution[];
  readonly isComplete: boolean;
}

/** How the API selects pages, if that is known. The style that was found for one country is used for the next. */
export interface Paging {
  readonly stated: StatedPaging;
  /** Null if a list had several pages and no style returned the second one. */
  found?: PageStyle | null;
}

/** The state of reading a country's list. */
interface Reading {
  readonly fetch: (query: PageQuery) => Promise<InstitutionPage | undefined>;
  readonly first: InstitutionPage;
  readonly byId: Map<string, Institution>;
  isComplete: boolean;
}

/**
 * Reads all pages of a country. The result is incomplete if a page cannot be selected or read, repeats another page, is
 * empty before the last page, or belongs to a list that became shorter meanwhile. Then an institution may be missing in the
 * result.
 */
export async function fetchInstitutions(
  fetchPage: FetchPage,
  country: string,
  paging: Paging = { stated: {} },
): Promise<FetchedInstitutions> {
  const fetch = async (query: PageQuery): Promise<InstitutionPage | undefined> => {
    const { status, body } = await fetchPage(country, query);
    return status >= 200 && status < 300 ? readInstitutionPage(body, country) : undefined;
  };
  const first = await fetchFirst(fetch, paging.stated);
  if (first === undefined) return { institutions: [], isComplete: false };
  const reading: Reading = { fetch, first, byId: new Map(), isComplete: first.isWhole };
  const fresh = add(reading, first);
  if (fresh < first.institutions.length) reading.isComplete = false;
  const hasMore = first.totalPages > 1;
  if (hasMore && !(fresh > 0 && (await readOthers(reading, paging)))) reading.isComplete = false;
  return { institutions: [...reading.byId.values()], isComplete: reading.isComplete };
}

/**
 * The first answer that is a page. Pages are counted from 0 or 1, or from the stated number. A list of one page has no
 * further pages.
 */
async function fetchFirst(
  fetch: Reading['fetch'],
  stated: StatedPaging,
): Promise<InstitutionPage | undefined> {
  for (const query of firstPageQueries(stated)) {
    const page = await fetch(query);
    if (page === undefined) continue;
    const isFirst = page.number <= 1 || page.number === stated.firstPage || page.totalPages <= 1;
    return isFirst ? page : undefined;
  }
  return undefined;
}

/** @returns whether every further page could be selected and read */
async function readOthers(reading: Reading, paging: Paging): Promise<boolean> {
  const { first } = reading;
  const chosen = await chooseStyle(reading, paging);
  if (chosen === undefined) return false;
  if (chosen.style.by === 'size') return takePage(reading, chosen.second, reading.byId.size);
  let { second: page } = chosen;
  let { totalPages } = first;
  for (let index = 1; ; index += 1) {
    if (!takePage(reading, page)) return false;
    if (page.totalPages < totalPages) reading.isComplete = false;
    totalPages = page.totalPages;
    if (index + 1 >= totalPages) return true;
    if (index + 1 >= pageLimit) return false;
    const next = await reading.fetch(pageQuery(chosen.style, index + 1, first));
    if (next === undefined || next.number !== first.number + index + 1) return false;
    page = next;
  }
}

/**
 * @param repeats how many of its institutions are known already; if there are more, the list is changing
 * @returns whether the page has any new institution
 */
function takePage(reading: Reading, page: InstitutionPage, repeats = 0): boolean {
  const fresh = add(reading, page);
  if (page.institutions.length - fresh > repeats || !page.isWhole) reading.isComplete = false;
  return fresh > 0;
}

function add({ byId }: Reading, { institutions }: InstitutionPage): number {
  const known = byId.size;
  for (const institution of institutions) {
    if (!byId.has(institution.id)) byId.set(institution.id, institution);
  }
  return byId.size - known;
}

interface Choice {
  readonly style: PageStyle;
  readonly second: InstitutionPage;
}

/** Determines how pages are selected. With the right request, the second page differs from the first. */
async function chooseStyle(reading: Reading, paging: Paging): Promise<Choice | undefined> {
  let partial: Choice | undefined;
  for (const [place, style] of stylesToTry(reading.first, paging).entries()) {
    const query = pageQuery(style, 1, reading.first);
    const second = await (place === 0 ? reading.fetch(query) : ifAnswered(reading.fetch(query)));
    if (second === undefined) continue;
    const fit = fitOf(reading, style, second);
    if (fit === 'whole') {
      paging.found = style;
      return { style, second };
    }
    if (fit === 'partial') partial ??= { style, second };
  }
  paging.found ??= null;
  return partial;
}

/** The style for another country's list is tried first. If no style fitted that list, hardly any will fit this one. */
function stylesToTry(first: InstitutionPage, { stated, found }: Paging): PageStyle[] {
  const styles = pageStyles(stated, first.number);
  if (found === undefined) return styles;
  return found === null ? styles.slice(0, 1) : [found, ...styles];
}

/** If the API does not know a parameter, its answer may be anything. That alone must not stop a run. */
async function ifAnswered(page: Promise<InstitutionPage | undefined>): Promise<InstitutionPage | undefined> {
  try {
    return await page;
  } catch (error) {
    if (error instanceof RunStop) return undefined;
    throw error;
  }
}

/**
 * Whether a page is the second one, or has all institutions; `partial` if it repeats some institutions of the first page.
 */
function fitOf(
  { first, byId }: Reading,
  style: PageStyle,
  page: InstitutionPage,
): 'whole' | 'partial' | 'no' {
  const repeated = page.institutions.filter(({ id }) => byId.has(id)).length;
  const hasFresh = page.institutions.length > repeated;
  if (style.by === 'size') {
    return hasFresh && repeated === byId.size && page.totalPages <= 1 ? 'whole' : 'no';
  }
  if (!hasFresh || page.number !== first.number + 1) return 'no';
  return repeated === 0 ? 'whole' : 'partial';
}
