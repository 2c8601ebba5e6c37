import type { NormalisedRecord } from '../../domain/record.ts';
import type { CheckedRow, ColumnTitle, FoundObjects, Reference, RuleFinding } from '../definition.ts';
import { shorten } from './wording.ts';

/** A row's record with the ids of the objects that it names, as far as they are known. */
export interface ResolvedReferences {
  readonly record: NormalisedRecord;
  readonly findings: readonly RuleFinding[];
  readonly notes: readonly string[];
}

/** Whether a field of the row has a finding, so that nothing follows from its value. */
export function hasFindingOn(row: CheckedRow, field: string): boolean {
  return row.findings.some((finding) => finding.field === field);
}

/**
 * The handles under which a named object may be known. An object whose own customer was not created yet
 * when it was staged is known by the customer's external id, later ones by the customer's id.
 */
export function handlesOf(
  reference: Reference,
  row: CheckedRow,
  record: NormalisedRecord,
): readonly string[] {
  if (hasFindingOn(row, reference.field)) return [];
  const handles = [reference.handle(record), reference.handle(row.record)];
  return [...new Set(handles.filter((handle) => handle !== undefined))];
}

function unknownObject(reference: Reference, record: NormalisedRecord): RuleFinding {
  const name = shorten(record[reference.field] ?? '');
  const singular = reference.kind.slice(0, -1);
  const message = `no ${singular} ${name} was created here before, and none is in the same import`;
  return { field: reference.field, code: reference.unknownCode, message };
}

function conflict(reference: Reference, title: ColumnTitle): RuleFinding {
  const message = `names another object than ${title(reference.fills)} does; correct one of them, or leave one empty`;
  return { field: reference.field, code: 'conflicting_values', message };
}

/**
 * Puts the ids of named objects into the record, in the definition's order: an account can be looked up
 * only once its customer is known. What depends on an object that is not there is not judged.
 */
export function resolveReferences(
  row: CheckedRow,
  found: FoundObjects,
  title: ColumnTitle,
): ResolvedReferences {
  let record = row.record;
  const notes: string[] = [];
  for (const reference of row.definition?.references ?? []) {
    const handles = handlesOf(reference, row, record);
    if (handles.length === 0) continue;
    const object = handles
      .map((handle) => found.object(reference.kind, handle))
      .find((candidate) => candidate !== undefined);
    const given = record[reference.fills];
    if (object === undefined) {
      if (given === undefined) return { record, findings: [unknownObject(reference, record)], notes };
      // Without the name, nobody waits for an object that may never come.
      const { [reference.field]: _unknown, ...rest } = record;
      record = rest;
      notes.push(`not known here, so ${title(reference.fills)} counts: ${title(reference.field)}`);
    } else if (given === undefined) {
      if (object.id !== null) record = { ...record, [reference.fills]: object.id };
    } else if (object.id?.toLowerCase() !== given) {
      // An object that is not created yet has no id, so an id that the row gives is another's.
      return { record, findings: [conflict(reference, title)], notes };
    }
  }
  return { record, findings: [], notes };
}
