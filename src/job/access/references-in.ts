import type { LedgerVerbs } from '../../ledger/verbs.ts';
import type { ReferencePort } from '../../pipeline/ports.ts';

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
  };
}
