import type { Kind } from '../../domain/batches/kind.ts';
import type { NormalisedRecord } from '../../domain/rows/record.ts';
import type { KnownObject, Reference, ResourceDefinition } from '../../resources/definition.ts';
import type { ReferencePort } from '../ports.ts';

/** A record with the ids of the objects that it refers to, as far as they are there. */
export interface RecordWithIds {
  readonly record: NormalisedRecord;
  /** The first reference whose object is not created yet; the row has to wait for it. */
  readonly missing: Reference | undefined;
}

/** A row's record and what it is a record of. */
export interface RecordWithReferences {
  readonly definition: ResourceDefinition;
  readonly record: NormalisedRecord;
}

/**
 * Fills in the ids of referred objects for a group of records. Round by round, since a reference may
 * depend on an earlier one (an account is named by its label within its customer): one look-up for each
 * round and kind, whatever the group's size.
 */
export async function fillInIds(
  rows: readonly RecordWithReferences[],
  port: ReferencePort,
): Promise<RecordWithIds[]> {
  const resolved = rows.map(({ record }): RecordWithIds => ({ record, missing: undefined }));
  const rounds = Math.max(0, ...rows.map(({ definition }) => definition.references.length));
  for (let round = 0; round < rounds; round += 1) {
    const wanted = rows.map(({ definition }, index) =>
      wantedHandle(definition.references[round], resolved[index]),
    );
    const found = await lookUp(wanted, port);
    wanted.forEach((want, index) => {
      const current = resolved[index];
      if (want === undefined || current === undefined) return;
      const id = found.get(want.reference.kind)?.get(want.handle)?.id;
      resolved[index] =
        typeof id === 'string'
          ? { record: { ...current.record, [want.reference.fills]: id }, missing: current.missing }
          : { record: current.record, missing: current.missing ?? want.reference };
    });
  }
  return resolved;
}

interface WantedHandle {
  readonly reference: Reference;
  readonly handle: string;
}

function wantedHandle(
  reference: Reference | undefined,
  row: RecordWithIds | undefined,
): WantedHandle | undefined {
  const handle = row === undefined ? undefined : reference?.handle(row.record);
  return reference === undefined || handle === undefined ? undefined : { reference, handle };
}

async function lookUp(
  wanted: readonly (WantedHandle | undefined)[],
  port: ReferencePort,
): Promise<Map<Kind, ReadonlyMap<string, KnownObject>>> {
  const handles = new Map<Kind, Set<string>>();
  for (const want of wanted) {
    if (want === undefined) continue;
    const ofKind = handles.get(want.reference.kind) ?? new Set<string>();
    handles.set(want.reference.kind, ofKind.add(want.handle));
  }
  const found = new Map<Kind, ReadonlyMap<string, KnownObject>>();
  for (const [kind, ofKind] of handles) found.set(kind, await port.findByHandles(kind, [...ofKind]));
  return found;
}
