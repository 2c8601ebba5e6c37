/*
 * The objects to which a row refers: the look-ups that it needs, the objects' ids in its record, and the check of the found
 * objects.
 */

import type { Finding } from '../../domain/rows/finding.ts';
import { say } from '../../domain/settings/message.ts';
import {
  type ColumnTitles,
  columnTitles,
  type KnownObject,
  type Reference,
  type RuleFinding,
} from '../definition.ts';
import {
  type CheckedRow,
  type FoundObjects,
  hasFindingOn,
  type Lookups,
  type NeededLookups,
} from '../row-check.ts';
import {
  checkInstitution,
  countrySourceOf,
  currencysCountry,
  customersCountry,
  type InstitutionFinding,
  institutionUseOf,
} from './institution-of-row.ts';
import { shownValue } from './value-text.ts';

/** The results about the objects that a row names. */
interface ResolvedReferences {
  readonly findings: readonly RuleFinding[];
  readonly notes: readonly string[];
}

const nothingToSay: ResolvedReferences = { findings: [], notes: [] };
const noHandles: readonly undefined[] = [];

function unknownObject(reference: Reference, record: CheckedRow['record']): RuleFinding {
  const name = shownValue(record[reference.field] ?? '');
  const singular = reference.kind.slice(0, -1);
  const message = say`no ${singular} ${name} was created here before, and none is in the same import`;
  return { field: reference.field, code: reference.unknownCode, message };
}

function conflict(reference: Reference, titles: ColumnTitles): RuleFinding {
  const message = say`names another object than ${titles.named(reference.fills)} does; correct one of them, or leave one empty`;
  return { field: reference.field, code: 'conflicting_values', message };
}

/**
 * The handles of a row's references before any id is filled in. Only the handle of a later reference can depend on an id.
 */
function unresolvedHandles({ definition, record }: CheckedRow): readonly (string | undefined)[] {
  const references = definition?.references ?? [];
  return references.length < 2 ? noHandles : references.map((reference) => reference.handle(record));
}

/**
 * The object that a reference names. If the object's customer was not created yet when the object was staged, its handle
 * contains the customer's external id; otherwise it contains the customer's id.
 */
function findObject(
  { kind }: Reference,
  found: FoundObjects,
  handle: string | undefined,
  unresolved: string | undefined,
): KnownObject | undefined {
  const object = handle === undefined ? undefined : found.object(kind, handle);
  if (object !== undefined || unresolved === undefined || unresolved === handle) return object;
  return found.object(kind, unresolved);
}

/**
 * Writes the ids of named objects into the row's record, in the definition's order, because an account can be looked up only
 * once its customer is known. Checks that depend on a missing object are skipped.
 */
export function fillInReferences(
  row: CheckedRow,
  found: FoundObjects,
  titles: ColumnTitles,
): ResolvedReferences {
  const { record } = row;
  const references = row.definition?.references ?? [];
  const unresolved = unresolvedHandles(row);
  let notes = nothingToSay.notes;
  let index = -1;
  for (const reference of references) {
    index += 1;
    if (hasFindingOn(row, reference.field)) continue;
    const handle = reference.handle(record);
    if (handle === undefined && unresolved[index] === undefined) continue;
    const object = findObject(reference, found, handle, unresolved[index]);
    const ownId = record[reference.fills];
    if (object === undefined) {
      if (ownId === undefined) return { findings: [unknownObject(reference, record)], notes };
      // Without a name, the row does not wait for an object that may never exist.
      delete record[reference.field];
      notes = [
        ...notes,
        `not known here, so ${titles.of(reference.fills)} counts: ${titles.of(reference.field)}`,
      ];
    } else if (ownId === undefined || object.id?.toLowerCase() === ownId) {
      if (object.id !== null) record[reference.fills] = object.id;
    } else {
      // An object that is not created yet has no id. So an id in the row belongs to another object.
      return { findings: [conflict(reference, titles)], notes };
    }
  }
  return notes.length === 0 ? nothingToSay : { findings: nothingToSay.findings, notes };
}

function needObjects(row: CheckedRow, needed: NeededLookups, found: FoundObjects | undefined): CheckedRow {
  const references = row.definition?.references ?? [];
  const unresolved = found === undefined ? noHandles : unresolvedHandles(row);
  // These values are needed only for the look-ups that depend on them. The row is not checked yet.
  const known = found === undefined ? row : { ...row, record: { ...row.record } };
  if (found !== undefined) fillInReferences(known, found, columnTitles(new Map()));
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

/** Collects the look-ups for a row; see `RowChecker.needs`. */
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
 * Checks the customers, accounts and institutions that a row names; see `RowChecker.checkReferences`.
 * @param isFormStated whether a rules file states the form of account numbers
 */
export function checkReferences(
  row: CheckedRow,
  lookups: Lookups,
  titles: ColumnTitles,
  isFormStated = false,
): CheckedRow {
  const { references = [], institution: use = null } = row.definition ?? {};
  if (references.length === 0 && use === null) return row;
  const resolved = fillInReferences(row, lookups, titles);
  const institution = checkInstitution({
    row,
    isReferenceFaulty: resolved.findings.length > 0,
    lookups,
    titles,
    isFormStated,
  });
  const found: readonly InstitutionFinding[] = joined(resolved.findings, institution.findings);
  const notes = joined(row.notes, joined(resolved.notes, institution.notes));
  if (found.length === 0 && notes.length === row.notes.length) return row;
  const findings = found.map(
    ({ severity = 'invalid', field, code, message, nearest }): Finding => ({
      severity,
      field,
      column: titles.of(field),
      code,
      message,
      ...(nearest === undefined ? {} : { nearest }),
    }),
  );
  return { ...row, findings: joined(row.findings, findings), notes };
}
