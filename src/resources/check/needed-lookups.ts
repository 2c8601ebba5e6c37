import type { Kind } from '../../domain/kind.ts';
import type { CheckedRow, FoundObjects, NeededLookups } from '../definition.ts';
import { countrySourceOf, customersCountry, institutionUseOf } from './institution-country.ts';
import { handlesOf, resolveReferences } from './resolve-references.ts';

const nothing: NeededLookups = { institutionCountries: [], handles: [], customerIds: [] };
const nothingFound: FoundObjects = { object: () => undefined, customerById: () => undefined };

/** What has to be looked up for a row; with `found`, what follows from the objects found so far as well. */
export function neededLookups(row: CheckedRow, found: FoundObjects = nothingFound): NeededLookups {
  const { definition } = row;
  if (definition === null) return nothing;
  const { record } = resolveReferences(row, found, (field) => field);
  const handles: { kind: Kind; handle: string }[] = [];
  for (const reference of definition.references) {
    for (const handle of handlesOf(reference, row, record)) handles.push({ kind: reference.kind, handle });
  }
  const use = institutionUseOf(row);
  const source = use === undefined ? 'nowhere' : countrySourceOf(row, use);
  if (typeof source === 'object') return { institutionCountries: [source.country], handles, customerIds: [] };
  if (source !== 'customer') return { institutionCountries: [], handles, customerIds: [] };
  const country = customersCountry(row, record, found);
  const customer = definition.references.find((reference) => reference.kind === 'customers');
  const customerId = customer === undefined ? undefined : record[customer.fills];
  return {
    institutionCountries: country === undefined ? [] : [country],
    handles,
    customerIds: customerId === undefined ? [] : [customerId],
  };
}
