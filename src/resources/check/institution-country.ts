import type { CheckedRow, FoundObjects, InstitutionUse } from '../definition.ts';
import { countryOfCurrency } from './currency.ts';
import { readPhone } from './phone.ts';
import { hasFindingOn } from './referred-objects.ts';

/** The columns of which either names an institution. */
export const institutionFields: readonly string[] = ['institution_id', 'institution_name'];

/**
 * Where a row's institution is to be looked up: a country; `customer` when only the customer's country can
 * tell; `unclear` when a value that would tell has a finding itself.
 */
type CountrySource = { readonly country: string } | 'customer' | 'nowhere' | 'unclear';

/** The institution use of a row that names an institution; undefined where there is nothing to look up. */
export function institutionUseOf(row: CheckedRow): InstitutionUse | undefined {
  const use = row.definition?.institution;
  if (use === null || use === undefined) return undefined;
  const { institution_id: id, institution_name: name } = row.record;
  if (id === undefined && name === undefined) return undefined;
  return institutionFields.some((field) => hasFindingOn(row, field)) ? undefined : use;
}

/**
 * The first of the columns that tells the country; a phone number tells it by its country code. Where one of them
 * has a finding itself, the currency tells, so that all findings of a row come at once.
 */
export function countrySourceOf(row: CheckedRow, use: InstitutionUse): CountrySource {
  for (const field of use.countryFields) {
    if (hasFindingOn(row, field)) {
      const country = currencysCountry(row);
      return country === undefined ? 'unclear' : { country };
    }
    const value = row.record[field];
    if (value === undefined) continue;
    const country = field === use.phoneField ? (readPhone(value)?.country ?? undefined) : value;
    if (country !== undefined) return { country };
  }
  return use.orCustomersCountry ? 'customer' : 'nowhere';
}

/** The country whose currency the row has, where that is one country's. */
export function currencysCountry({ record }: Pick<CheckedRow, 'record'>): string | undefined {
  const { currency } = record;
  return currency === undefined ? undefined : countryOfCurrency(currency);
}

/** The country in which a row's institution is looked up: what the row says, else its customer's, else its currency's. */
export function countryToLookIn(
  row: CheckedRow,
  use: InstitutionUse,
  found: FoundObjects,
): string | undefined {
  const source = countrySourceOf(row, use);
  if (typeof source === 'object') return source.country;
  return source === 'customer' ? (customersCountry(row, found) ?? currencysCountry(row)) : undefined;
}

/** The country of the row's customer, by either name that the row has for it. */
export function customersCountry(row: CheckedRow, found: FoundObjects): string | undefined {
  const { record } = row;
  for (const reference of row.definition?.references ?? []) {
    if (reference.kind !== 'customers') continue;
    const handle = hasFindingOn(row, reference.field) ? undefined : reference.handle(record);
    const named = handle === undefined ? undefined : found.object('customers', handle)?.country;
    if (named) return named;
    const id = record[reference.fills];
    const country = id === undefined ? undefined : found.customerById(id)?.country;
    if (country) return country;
  }
  return undefined;
}
