/* What validation and preparation look up about other rows of one environment. */

import type { Kind } from '../domain/batches/batch.ts';
import type { KeyOwner, Rival } from '../domain/rows/ledger-row.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import type { KnownObject } from './definition.ts';

/** What validation and preparation may ask of the ledger about other rows, in one environment. */
export interface ReferencePort {
  readonly findByHandles: (
    kind: Kind,
    handles: readonly string[],
  ) => Promise<ReadonlyMap<string, KnownObject>>;
  readonly findCustomersById: (ids: readonly string[]) => Promise<ReadonlyMap<string, KnownObject>>;
  /** By natural key, in hex. */
  readonly findKeyOwners: (kind: Kind, keys: readonly Buffer[]) => Promise<ReadonlyMap<string, KeyOwner>>;
  /** By row, for rows of a batch that have a family. */
  readonly findRivals: (batchId: string, rows: readonly number[]) => Promise<ReadonlyMap<number, Rival>>;
}

/**
 * Look-ups of other rows within one environment.
 * @param importBatches batches of this call, whose rows may be referred to before they are created
 */
export function referencesIn(
  verbs: LedgerVerbs,
  environmentId: number,
  importBatches: readonly string[],
): ReferencePort {
  return {
    findByHandles: (kind, handles) => verbs.findByHandles(environmentId, kind, handles, importBatches),
    findCustomersById: (ids) => verbs.findCustomersById(environmentId, ids),
    findKeyOwners: (kind, keys) => verbs.findKeyOwners(environmentId, kind, keys),
    findRivals: verbs.findRivals,
  };
}
