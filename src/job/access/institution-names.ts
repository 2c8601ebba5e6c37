import type { BatchRecord } from '../../domain/batches/batch.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import type { InstitutionName } from '../../resources/definition.ts';
import { definitionsOf } from '../../resources/registry.ts';

/**
 * The names that institutions have in the ledger's lists, for a batch whose answers name institutions; nothing for
 * every other batch. Ids are looked up without regard to case.
 */
export async function institutionNamesFor(
  verbs: Pick<LedgerVerbs, 'readInstitutionNames'>,
  { kind, environmentId }: Pick<BatchRecord, 'kind' | 'environmentId'>,
): Promise<{ readonly institutionName?: InstitutionName }> {
  const echoes = definitionsOf(kind).flatMap((definition) => definition.echoes);
  if (echoes.every(({ institutionIn }) => institutionIn === undefined)) return {};
  const names = await verbs.readInstitutionNames(environmentId);
  return { institutionName: (id) => names.get(id.toLowerCase()) };
}
