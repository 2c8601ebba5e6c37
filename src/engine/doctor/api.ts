/* Checks the API and its key: the address, the answer to one query, the way to it, and how long keys are kept. */

import { type CallClient, keyLifetimeFor, openClient, readInstitutionsPage } from '../../call/api-access.ts';
import type { CallContext } from '../../call/context.ts';
import { requireKeyOfMode } from '../../call/key-of-mode.ts';
import type { OpenedApi } from '../../call/opened-api.ts';
import { asFailure } from '../../call/start.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { Check } from '../../domain/machine/checks.ts';
import { compareClocks, ok, problem, problemOf, warning } from './judging.ts';

/** Any country will do: the query only shows whether the API answers, and for which account. */
const askedCountry = 'KE';

/** The API: an address and a key are set, it answers, accepts the key, and its clock matches. */
export async function checkApi(app: CallContext): Promise<Check[]> {
  let target: OpenedApi;
  try {
    target = await app.connections.api();
  } catch (error) {
    return [problemOf('API', error)];
  }
  const key = await checkKey(app, target);
  // A key that must not be used there is not sent.
  if (key.some(({ level }) => level === 'problem')) return key;
  const client = await openClient(app);
  const checks = await askApi(app, target, client);
  return [...key, ...checkProxy(target, client.isProxied()), ...checks];
}

/** The API key: whether it may be used in this mode and at this address, and its fingerprint. */
async function checkKey({ connections }: CallContext, target: OpenedApi): Promise<Check[]> {
  const { credential: fingerprint, environment, isBuiltIn, isKeyCompared } = target;
  try {
    const access = connections.isLedgerThere() ? await connections.ledgerToRead() : null;
    const { isNew } =
      access === null
        ? { isNew: true }
        : await requireKeyOfMode({ connections, ask: async () => 'nobody' }, access.verbs, target);
    if (isBuiltIn) return [];
    if (environment.mode === 'sandbox') return [ok('API key', { code: 'sandbox_key', fingerprint })];
    if (isKeyCompared) return [ok('API key', { code: 'live_key_compared', fingerprint })];
    return isNew
      ? [warning('API key', { code: 'live_key_unproven', fingerprint })]
      : [ok('API key', { code: 'live_key_known', fingerprint })];
  } catch (error) {
    const failure = asFailure(error);
    // What is wrong with the ledger is told by its own check.
    const isOfKey = failure instanceof PaybatchError && keyProblems.has(failure.code);
    return isOfKey ? [problemOf('API key', failure)] : [];
  }
}

const keyProblems: ReadonlySet<string> = new Set([
  'api_key_of_other_mode',
  'mode_contradicts',
  'key_at_new_address',
]);

async function askApi(app: CallContext, { environment }: OpenedApi, client: CallClient): Promise<Check[]> {
  try {
    const { mode, origin } = environment;
    const { answer, date } = await readInstitutionsPage(client, askedCountry);
    if (answer.status >= 400) {
      const { status: httpStatus } = answer;
      return [problem('API', { code: 'api_answers_with_error', mode, origin, httpStatus }, 'stopped')];
    }
    return [
      ok('API', { code: 'api_answers', mode, origin }),
      date === null
        ? warning('clock', { code: 'clock_unknown' })
        : compareClocks('API', date.getTime() - app.clock.now().getTime()),
    ];
  } catch (error) {
    return [problemOf('API', error)];
  }
}

/** How requests are routed, where the environment names a proxy; its credentials are not part of its host. */
function checkProxy({ proxy }: OpenedApi, isProxied: boolean): Check[] {
  if (proxy === undefined) return [];
  return [
    isProxied
      ? ok('proxy', { code: 'proxied', proxyHost: proxy.address.host })
      : ok('proxy', { code: 'proxy_passed_by' }),
  ];
}

/** The API does not say how long the provider keeps keys; only live mode needs it stated. */
export function checkKeyLifetime(app: CallContext): Check[] {
  const { mode } = app.settings.api;
  const { isAssumed, durationInMs } = keyLifetimeFor(app, mode);
  if (isAssumed) return [warning('key lifetime', { code: 'key_lifetime_assumed', durationInMs })];
  return mode === 'live' ? [ok('key lifetime', { code: 'key_lifetime_stated', durationInMs })] : [];
}
