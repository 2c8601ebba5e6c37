/* What a row refers to: the needed look-ups, and the check of their results. */

import type { Finding } from '../../domain/rows/finding.ts';
import type { CheckedRow, ColumnTitle, FoundObjects, Lookups, NeededLookups } from '../definition.ts';
import {
  checkInstitution,
  countrySourceOf,
  currencysCountry,
  customersCountry,
  type InstitutionFinding,
  institutionUseOf,
} from './institution-of-row.ts';
import { fillInReferences, hasFindingOn, noHandles, unresolvedHandles } from './referred-objects.ts';

function needObjects(row: CheckedRow, needed: NeededLookups, found: FoundObjects | undefined): CheckedRow {
  const references = row.definition?.references ?? [];
  const unresolved = found === undefined ? noHandles : unresolvedHandles(row);
  // Values filled in here are only for the names that follow from them: the row is not judged yet.
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

/** Lists the look-ups for a row: see `RowChecker.needs`. */
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

function joined<Item>(left: readonly Item[], right: readonly Item[]): readonly Item[] {
  if (left.length === 0) return right;
  return right.length === 0 ? left : [...left, ...right];
}

/**
 * Customers, accounts and institutions that a row names: see `RowChecker.checkReferences`.
 * @param isFormStated whether a rules file states the form of account numbers
 */
export function checkReferences(
  row: CheckedRow,
  lookups: Lookups,
  title: ColumnTitle,
  isFormStated = false,
): CheckedRow {
  const { references = [], institution: use = null } = row.definition ?? {};
  if (references.length === 0 && use === null) return row;
  const resolved = fillInReferences(row, lookups, title);
  const institution = checkInstitution({ row, resolved, lookups, title, isFormStated });
  const found: readonly InstitutionFinding[] = joined(resolved.findings, institution.findings);
  const notes = joined(row.notes, joined(resolved.notes, institution.notes));
  if (found.length === 0 && notes.length === row.notes.length) return row;
  const findings = found.map(
    ({ severity = 'invalid', field, code, message, nearest }): Finding => ({
      severity,
      field,
      column: title(field),
      code,
      message,
      ...(nearest === undefined ? {} : { nearest }),
    }),
  );
  return { ...row, findings: joined(row.findings, findings), notes };
}
