/* Puts the ids of the objects that a row names into its record. */

import type {
  CheckedRow,
  ColumnTitle,
  FoundObjects,
  KnownObject,
  Reference,
  RuleFinding,
} from '../definition.ts';
import { shorten } from './value-text.ts';

/** The results for the objects that a row names. */
export interface ResolvedReferences {
  readonly findings: readonly RuleFinding[];
  readonly notes: readonly string[];
}

const nothingToSay: ResolvedReferences = { findings: [], notes: [] };
export const noHandles: readonly undefined[] = [];

/** Whether a field of the row has a finding, so that its value is not used. */
export function hasFindingOn(row: CheckedRow, field: string): boolean {
  return row.findings.length > 0 && row.findings.some((finding) => finding.field === field);
}

function unknownObject(reference: Reference, record: CheckedRow['record']): RuleFinding {
  const name = shorten(record[reference.field] ?? '');
  const singular = reference.kind.slice(0, -1);
  const message = `no ${singular} ${name} was created here before, and none is in the same import`;
  return { field: reference.field, code: reference.unknownCode, message };
}

function conflict(reference: Reference, title: ColumnTitle): RuleFinding {
  const message = `names another object than ${title(reference.fills)} does; correct one of them, or leave one empty`;
  return { field: reference.field, code: 'conflicting_values', message };
}

/** The handles of a row's references before any id is filled in; only a later reference's handle can depend on an id. */
export function unresolvedHandles({ definition, record }: CheckedRow): readonly (string | undefined)[] {
  const references = definition?.references ?? [];
  return references.length < 2 ? noHandles : references.map((reference) => reference.handle(record));
}

/**
 * The object that a reference names. One whose own customer was not created yet when it was staged is known
 * by the customer's external id, later ones by the customer's id.
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
 * Puts the ids of named objects into the row's record, in the definition's order: an account can be looked
 * up only once its customer is known. Checks that depend on a missing object are left out.
 */
export function fillInReferences(
  row: CheckedRow,
  found: FoundObjects,
  title: ColumnTitle,
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
    const given = record[reference.fills];
    if (object === undefined) {
      if (given === undefined) return { findings: [unknownObject(reference, record)], notes };
      // Without a name the row does not wait for an object that may never exist.
      delete record[reference.field];
      notes = [...notes, `not known here, so ${title(reference.fills)} counts: ${title(reference.field)}`];
    } else if (given === undefined || object.id?.toLowerCase() === given) {
      if (object.id !== null) record[reference.fills] = object.id;
    } else {
      // An object that is not created yet has no id, so an id in the row is another object's.
      return { findings: [conflict(reference, title)], notes };
    }
  }
  return notes.length === 0 ? nothingToSay : { findings: nothingToSay.findings, notes };
}
