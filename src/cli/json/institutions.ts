import type { InstitutionSnapshot } from '../../domain/institution.ts';
import { exitCodes } from '../../output/words/exit-codes.ts';
import { sortedInstitutions, typeOf } from '../views/institutions-table.ts';

/** The institutions for programs, as `--json` prints them; amounts are decimal strings. */
export function institutionsDocument(snapshot: InstitutionSnapshot): object {
  const institutions = sortedInstitutions(snapshot.institutions).map((institution) => ({
    id: institution.id,
    name: institution.name,
    country: institution.country,
    type: typeOf(institution).replace(' ', '_'),
    account_number_type: institution.accountNumberType,
    currency: institution.currency,
    min_amount: institution.minAmount,
    max_amount: institution.maxAmount,
  }));
  const { country, isComplete, fetchedAt } = snapshot;
  return {
    exit_code: exitCodes.done,
    country,
    is_complete: isComplete,
    fetched_at: fetchedAt.toISOString(),
    institutions,
  };
}
