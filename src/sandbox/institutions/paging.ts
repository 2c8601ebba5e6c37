import { Refusal } from '../refusal.ts';

/**
 * How a page of institutions is chosen, which the specification does not say. `honoured`: by `page`, from 1;
 * `from_0`: by `page`, from 0; `offset`: by `offset` and, if wanted, `limit`; `limit`: by `limit` alone, so that one
 * page holds all that is asked for; `ignored`: not at all, every page is the first.
 */
export type PageParameter = 'honoured' | 'ignored' | 'from_0' | 'offset' | 'limit';

/** Which institutions of a country are asked for. */
export interface PageRequest {
  readonly country: string;
  /** How many institutions come before the page. */
  readonly skipped: number;
  readonly itemsPerPage: number;
  /** The number that the first page has in answers. */
  readonly firstNumber: 0 | 1;
}

type Query = Readonly<Record<string, unknown>>;

const namesOf: Readonly<Record<PageParameter, readonly string[]>> = {
  honoured: ['page'],
  ignored: ['page'],
  from_0: ['page'],
  offset: ['offset', 'limit'],
  limit: ['limit'],
};

/** @throws Refusal (400) for a query that this API does not know */
export function readPageRequest(query: Query, style: PageParameter, pageSize: number): PageRequest {
  for (const name of Object.keys(query)) {
    if (name !== 'country_iso_code' && !namesOf[style].includes(name)) {
      throw new Refusal(400, 'unknown_parameter', 'there is no such query parameter', name);
    }
  }
  const country = query['country_iso_code'];
  if (typeof country !== 'string' || !/^[A-Z]{2}$/.test(country)) {
    const message = 'country_iso_code must be two capital letters';
    throw new Refusal(400, 'invalid_country', message, 'country_iso_code');
  }
  const firstNumber = style === 'from_0' ? 0 : 1;
  const itemsPerPage = whole(query, 'limit', pageSize, 1);
  const page = whole(query, 'page', firstNumber, firstNumber);
  const offset = whole(query, 'offset', 0, 0);
  const skipped = style === 'ignored' ? 0 : offset + (page - firstNumber) * itemsPerPage;
  return { country, skipped, itemsPerPage, firstNumber };
}

function whole(query: Query, name: string, otherwise: number, least: number): number {
  const text = query[name];
  if (text === undefined) return otherwise;
  if (typeof text !== 'string' || !/^\d{1,6}$/.test(text) || Number(text) < least) {
    throw new Refusal(400, `invalid_${name}`, `${name} must be a whole number from ${least}`, name);
  }
  return Number(text);
}
