/* The sandbox's list of institutions, and its paging. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Refusal } from './fields.ts';

export interface SandboxInstitution {
  readonly id: string;
  readonly name: string;
  readonly country_iso_code: string;
  readonly currency: string;
  readonly account_number_type: 'bank_account_number' | 'phone_number';
  readonly min_amount: number;
  readonly max_amount: number;
}

interface InstitutionPage {
  readonly items: readonly SandboxInstitution[];
  readonly items_per_page: number;
  readonly page: number;
  readonly total_pages: number;
}

/** Lowest and highest amount, in the country's currency. */
type Limits = readonly [min: number, max: number];

/** A name, or a name with limits that differ from those of its country. */
type SeededName = string | readonly [name: string, ...limits: Limits];

export interface CountrySeed {
  readonly country: string;
  readonly currency: string;
  /** International calling code with its plus. */
  readonly callingCode: string;
  /** The code that a payer dials to start a mobile money payment; absent without mobile money. */
  readonly dialCode?: string;
  readonly bankLimits: Limits;
  readonly mobileLimits: Limits;
  readonly banks: readonly SeededName[];
  readonly mobileMoney: readonly SeededName[];
}

/**
 * Banks and mobile money providers of Africa, Asia and America. Two banks of Nigeria have the same name and are on
 * different pages of the list, so that the name alone does not identify them.
 */
const SEEDS: readonly CountrySeed[] = JSON.parse(
  readFileSync(new URL('./seeds.json', import.meta.url), 'utf8'),
);
const NAMESPACE = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

/** The banks and mobile money providers of all seeded countries; the same in both modes. */
export class SandboxDirectory {
  readonly #byId = new Map<string, SandboxInstitution>();
  readonly #idsByCountry = new Map<string, string[]>();
  readonly #seeds = new Map(SEEDS.map((seed) => [seed.country, seed]));

  constructor() {
    for (const seed of SEEDS) {
      const institutions = institutionsOf(seed);
      for (const institution of institutions) this.#byId.set(institution.id, institution);
      this.#idsByCountry.set(
        seed.country,
        institutions.map(({ id }) => id),
      );
    }
  }

  find(id: string): SandboxInstitution | undefined {
    return this.#byId.get(id);
  }

  /** The codes of the seeded countries. */
  countries(): string[] {
    return [...this.#seeds.keys()];
  }

  /** A page of a country's institutions. An unknown country has an empty list, and so does a page after the last one. */
  page({ country, skipped, itemsPerPage, firstNumber }: PageRequest): InstitutionPage {
    const ids = this.#idsByCountry.get(country) ?? [];
    const items = ids.slice(skipped, skipped + itemsPerPage);
    return {
      items: items.flatMap((id) => this.find(id) ?? []),
      items_per_page: itemsPerPage,
      page: firstNumber + Math.floor(skipped / itemsPerPage),
      total_pages: Math.ceil(ids.length / itemsPerPage),
    };
  }

  /** @returns whether the institution exists */
  setLimits(id: string, [min, max]: Limits): boolean {
    const institution = this.#byId.get(id);
    if (institution === undefined) return false;
    this.#byId.set(id, { ...institution, min_amount: min, max_amount: max });
    return true;
  }

  isPhoneOf(phone: string, institution: SandboxInstitution): boolean {
    const seed = this.#seeds.get(institution.country_iso_code);
    return seed !== undefined && phone.startsWith(seed.callingCode);
  }

  /** The mobile money of a country's payers; undefined without mobile money. */
  mobileMoneyOf(country: string): { currency: string; dialCode: string } | undefined {
    const seed = this.#seeds.get(country);
    if (seed?.dialCode === undefined) return undefined;
    return { currency: seed.currency, dialCode: seed.dialCode };
  }
}

function institutionsOf(seed: CountrySeed): SandboxInstitution[] {
  const namesakes = new Map<string, number>();
  const institution = (
    entry: SeededName,
    accountNumberType: SandboxInstitution['account_number_type'],
    usual: Limits,
  ): SandboxInstitution => {
    const [name, min, max] = typeof entry === 'string' ? [entry, ...usual] : entry;
    const nth = (namesakes.get(name) ?? 0) + 1;
    namesakes.set(name, nth);
    return {
      id: nameBasedUuid(`institution:${seed.country}:${name}${nth === 1 ? '' : `:${nth}`}`),
      name,
      country_iso_code: seed.country,
      currency: seed.currency,
      account_number_type: accountNumberType,
      min_amount: min,
      max_amount: max,
    };
  };
  return [
    ...seed.banks.map((entry) => institution(entry, 'bank_account_number', seed.bankLimits)),
    ...seed.mobileMoney.map((entry) => institution(entry, 'phone_number', seed.mobileLimits)),
  ];
}

/** A UUID of version 5 (RFC 9562). The same name has the same id in every sandbox, so that files can contain it. */
function nameBasedUuid(name: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(NAMESPACE.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/**
 * How a page of institutions is selected, which the specification leaves open. `honoured`: by `page`, from 1; `from_0`: by
 * `page`, from 0; `offset`: by `offset` and, if wanted, `limit`; `limit`: only by `limit`, so that one page has all
 * requested institutions; `ignored`: parameters have no effect, and every page is the first page.
 */
export type PageParameter = 'honoured' | 'ignored' | 'from_0' | 'offset' | 'limit';

/** A request for a page of a country's institutions. */
interface PageRequest {
  readonly country: string;
  /** Number of institutions before the page. */
  readonly skipped: number;
  readonly itemsPerPage: number;
  /** Number of the first page in answers. */
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
