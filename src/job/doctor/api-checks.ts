import type { ApiClient } from '../../api/client.ts';
import { exitCodes } from '../../domain/failures/exit-code.ts';
import { openClient, readInstitutionsPage } from '../access/api-access.ts';
import { type ApiTarget, openApiTarget } from '../access/api-target.ts';
import type { JobContext } from '../running/context.ts';
import { type Check, ok, problem, problemOf, warning } from './check.ts';
import { describeSkew } from './database-checks.ts';

/** Any country will do: only whether the API answers, and as whom it knows us, is asked. */
const askedCountry = 'KE';

/** The API: an address and a key are there, it answers, takes the key, and agrees about the time. */
export async function checkApi(app: JobContext): Promise<Check[]> {
  let target: ApiTarget;
  try {
    target = await openApiTarget(app.settings, app.environment);
  } catch (error) {
    return [problemOf(app, 'API', error)];
  }
  const client = openClient(target, app.settings, app.activity);
  try {
    const checks = await askApi(app, target, client);
    return [...checkProxy(target, client.isProxied()), ...checks];
  } finally {
    await client.close();
    await target.close();
  }
}

async function askApi(app: JobContext, { environment }: ApiTarget, client: ApiClient): Promise<Check[]> {
  try {
    const { mode, origin } = environment;
    const { answer, date } = await readInstitutionsPage(client, askedCountry);
    const name = `${mode} at ${origin}`;
    if (answer.status >= 400) {
      const finding = `${name} answers the list of institutions with ${answer.status}`;
      return [problem('API', finding, 'check --base-url', exitCodes.stopped)];
    }
    return [
      ok('API', `${name} answers and takes the key`),
      date === null
        ? warning('clock', 'the API does not tell its time', 'compare the clock yourself: date -u')
        : describeSkew("the API's", date.getTime() - app.clock.now().getTime()),
    ];
  } catch (error) {
    return [problemOf(app, 'API', error)];
  }
}

/** Which way requests take, where the environment names a proxy; its credentials are no part of its host. */
function checkProxy({ proxy }: ApiTarget, isProxied: boolean): Check[] {
  if (proxy === undefined) return [];
  return [
    isProxied
      ? ok('proxy', `requests go through ${proxy.address.host} (HTTPS_PROXY)`)
      : ok('proxy', `requests go to the API directly, since NO_PROXY names it, and not through HTTPS_PROXY`),
  ];
}
