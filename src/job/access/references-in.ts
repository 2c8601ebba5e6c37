import type { Environment } from '../../domain/batches/environment.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import type { CorrectionPort } from '../../pipeline/intake/corrections.ts';
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
    findRivals: verbs.findRivals,
  };
}

/**
 * The earlier rounds of one environment: a failed file of the sandbox says nothing of live rows.
 * @param environment its origin is undefined while nobody has said which API is meant
 */
export function correctionsIn(
  verbs: Pick<LedgerVerbs, 'findFirstRound' | 'findEarlierRows'>,
  { mode, origin }: Pick<Environment, 'mode'> & { readonly origin: string | undefined },
): CorrectionPort {
  return {
    findEarlierRows: verbs.findEarlierRows,
    findFirstRound: async (batchId) => {
      const first = await verbs.findFirstRound(batchId);
      const isThere = first?.mode === mode && (origin === undefined || first.origin === origin);
      return isThere ? first : undefined;
    },
  };
}
