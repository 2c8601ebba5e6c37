import type { InstitutionList } from '../domain/institution.ts';
import type { Kind } from '../domain/kind.ts';
import type { CheckedRow, KnownObject, Lookups, RowChecker } from '../resources/definition.ts';
import type { DirectoryPort, ReferencePort } from './ports.ts';

/**
 * Looks up, for a whole group of rows at once, what their checks will ask for: one query for each kind,
 * and institutions of just the countries in the file.
 */
export async function lookUpForGroup(
  checker: RowChecker,
  rows: readonly CheckedRow[],
  references: ReferencePort,
  directory: DirectoryPort,
): Promise<Lookups> {
  const handles = new Map<Kind, Set<string>>();
  const customerIds = new Set<string>();
  const countries = new Set<string>();
  for (const row of rows) {
    const needs = checker.needs(row);
    for (const { kind, handle } of needs.handles) {
      handles.set(kind, (handles.get(kind) ?? new Set<string>()).add(handle));
    }
    for (const id of needs.customerIds) customerIds.add(id);
    for (const country of needs.institutionCountries) countries.add(country);
  }
  const objects = new Map<Kind, ReadonlyMap<string, KnownObject>>();
  for (const [kind, ofKind] of handles) objects.set(kind, await references.findByHandles(kind, [...ofKind]));
  const customers = customerIds.size === 0 ? new Map() : await references.findCustomersById([...customerIds]);
  const lists = new Map<string, InstitutionList>();
  for (const country of countries) lists.set(country, await directory.list(country));
  return {
    institutions: (country) => lists.get(country),
    object: (kind, handle) => objects.get(kind)?.get(handle),
    customerById: (id) => customers.get(id),
  };
}
