import type { CheckedRow, FoundObjects, NeededLookups } from '../definition.ts';
import {
  countrySourceOf,
  currencysCountry,
  customersCountry,
  institutionUseOf,
} from './institution-check.ts';
import { fillInReferences, hasFindingOn, noHandles, unresolvedHandles } from './referred-objects.ts';

function needObjects(row: CheckedRow, needed: NeededLookups, found: FoundObjects | undefined): CheckedRow {
  const references = row.definition?.references ?? [];
  const unresolved = found === undefined ? noHandles : unresolvedHandles(row);
  // What is filled in here is only for the names that follow from it: the row is not judged yet.
  const known = found === undefined ? row : { ...row, record: { ...row.record } };
  if (found !== undefined) fillInReferences(known, found, (field) => field);
  let index = -1;
  for (const reference of references) {
    index += 1;
    if (hasFindingOn(row, reference.field)) continue;
    const handle = reference.handle(known.record);
    if (handle !== undefined) needed.object(reference.kind, handle);
    const other = unresolved[index];
    if (other !== undefined && other !== handle) needed.object(reference.kind, other);
  }
  return known;
}

/** Says what has to be looked up for a row: see `RowChecker.needs`. */
export function needLookups(row: CheckedRow, needed: NeededLookups, found?: FoundObjects): boolean {
  const { definition } = row;
  if (definition === null) return false;
  const known = needObjects(row, needed, found);
  const use = institutionUseOf(row);
  const source = use === undefined ? 'nowhere' : countrySourceOf(row, use);
  if (typeof source === 'object') needed.institutions(source.country);
  if (source === 'customer') {
    const country =
      found === undefined ? undefined : (customersCountry(known, found) ?? currencysCountry(known));
    if (country !== undefined) needed.institutions(country);
    const customer = definition.references.find((reference) => reference.kind === 'customers');
    const customerId = customer === undefined ? undefined : known.record[customer.fills];
    if (customerId !== undefined) needed.customerById(customerId);
  }
  return source === 'customer' || definition.references.length > 1;
}
