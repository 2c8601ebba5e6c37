import type { InstitutionSnapshot } from '../domain/institution.ts';
import { directoriesOf } from './access/api-access.ts';
import { countryOfArgument, type NamedCountry } from './institutions/country-argument.ts';
import type { CallContext } from './running/context.ts';
import type { CallResult } from './running/result.ts';
import { withApi } from './sending/sending.ts';

/** A country's institutions, as old as the settings allow. */
interface InstitutionsResult extends CallResult {
  readonly country: NamedCountry;
  readonly snapshot: InstitutionSnapshot;
}

/** Whether the list is complete is part of the result. */
const unheard: CallContext['report'] = () => {};

/**
 * Lists a country's institutions: those in the ledger, or read anew when these are too old.
 * @param request names the country by its two letters of ISO 3166-1
 */
export async function listInstitutions(
  app: CallContext,
  request: { readonly country: string },
): Promise<InstitutionsResult> {
  const country = countryOfArgument(request.country);
  return withApi(app, async (target, { verbs }) => {
    const environmentId = await verbs.environmentIdOf(target.environment);
    const openDirectory = directoriesOf({ ...app, report: unheard }, verbs);
    const snapshot = await openDirectory(environmentId).snapshot(country.code);
    return { outcome: 'done', batches: [], failure: null, country, snapshot };
  });
}
