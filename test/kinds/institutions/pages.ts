import type { PageAnswer } from '../../../src/kinds/institutions/fetch-institutions.ts';

/** An institution as the API writes it; amounts are raw JSON. */
export function item(id: string, change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id,
    name: `Bank ${id}`,
    country_iso_code: 'KE',
    currency: 'KES',
    account_number_type: 'bank_account_number',
    min_amount: 10,
    max_amount: 1000,
    ...change,
  };
}

/** An answer with one page. */
export function page(number: number, totalPages: number, items: readonly unknown[]): PageAnswer {
  const data = { items, items_per_page: 50, page: number, total_pages: totalPages };
  return { status: 200, body: JSON.stringify({ data, error: null }) };
}
