import type { NormalisedRecord } from '../../domain/record.ts';
import type { CheckedRow, FoundObjects, InstitutionUse } from '../definition.ts';
import { readPhone } from './phone.ts';
import { handlesOf, hasFindingOn } from './resolve-references.ts';

export const institutionFields = ['institution_id', 'institution_name'] as const;

/**
 * Where a row's institution is to be looked up: a country; `customer` when only the customer's country can
 * tell; `unclear` when a value that would tell has a finding itself.
 */
export type CountrySource = { readonly country: string } | 'customer' | 'nowhere' | 'unclear';

/** The institution use of a row that names an institution; undefined where there is nothing to look up. */
export function institutionUseOf(row: CheckedRow): InstitutionUse | undefined {
  const use = row.definition?.institution ?? undefined;
  const isNamed = institutionFields.some((field) => row.record[field] !== undefined);
  const isBroken = institutionFields.some((field) => hasFindingOn(row, field));
  return isNamed && !isBroken ? use : undefined;
}

/** The first of the columns that tells the country; a phone number tells it by its country code. */
export function countrySourceOf(row: CheckedRow, use: InstitutionUse): CountrySource {
  for (const field of use.countryFields) {
    if (hasFindingOn(row, field)) return 'unclear';
    const value = row.record[field];
    if (value === undefined) continue;
    const country = field === use.phoneField ? (readPhone(value)?.country ?? undefined) : value;
    if (country !== undefined) return { country };
  }
  return use.orCustomersCountry ? 'customer' : 'nowhere';
}

/** The country of the row's customer, by either name that the row has for it. */
export function customersCountry(
  row: CheckedRow,
  record: NormalisedRecord,
  found: FoundObjects,
): string | undefined {
  for (const reference of row.definition?.references ?? []) {
    if (reference.kind !== 'customers') continue;
    for (const handle of handlesOf(reference, row, record)) {
      const country = found.object('customers', handle)?.country;
      if (country) return country;
    }
    const id = record[reference.fills];
    const country = id === undefined ? undefined : found.customerById(id)?.country;
    if (country) return country;
  }
  return undefined;
}
