/* In which values a held row differs from the object that another row has created. Messages name only the fields. */

import type { CallResult } from '../account/result.ts';
import type { CallContext } from '../call/context.ts';
import { findNamedBatch } from '../call/ledger-access.ts';
import type { KeyOwner } from '../domain/rows/ledger-row.ts';
import { definitionNamed } from '../kinds/registry.ts';
import {
  type DifferingValue,
  differingValues,
  fillInIds,
  naturalKeyOf,
  referencesIn,
  writeBody,
} from '../kinds/request.ts';

/** A row of a batch. */
interface CreatedValuesRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  readonly row: number;
}

/** What another row has created, beside a row. */
export interface CreatedValues extends CallResult {
  /** Null where no other row has created the object of the row, or that is not known yet. */
  readonly created: {
    readonly by: Pick<KeyOwner, 'batch' | 'row'>;
    /** In the order of the request. */
    readonly values: readonly DifferingValue[];
  } | null;
}

/**
 * Compares the request of a row with that of the row that has created the same object. Read only.
 * @throws PaybatchError (`batch_not_found`)
 */
export async function createdValues(
  app: CallContext,
  { batch: named, row }: CreatedValuesRequest,
): Promise<CreatedValues> {
  const { verbs } = await app.connections.ledgerToRead();
  const batch = await findNamedBatch(verbs, named);
  const nothing = { outcome: 'done', batches: [], failure: null, created: null } as const;
  const [own] = await verbs.findRowsToResolve(batch.id, [row]);
  if (own === undefined || own.resource === null) return nothing;
  const definition = definitionNamed(own.resource);
  const references = referencesIn(verbs, batch.environmentId, []);
  const [resolved] = await fillInIds([{ definition, record: own.record }], references);
  if (resolved === undefined || resolved.missing !== undefined) return nothing;
  const owners = await references.findKeyOwners(batch.kind, [naturalKeyOf(definition, resolved.record)]);
  const [owner] = owners.values();
  if (owner?.state !== 'created' || (owner.batch === batch.id && owner.row === row)) return nothing;
  const values = differingValues(owner.body, writeBody(definition, resolved.record));
  return { ...nothing, created: { by: { batch: owner.batch, row: owner.row }, values } };
}
