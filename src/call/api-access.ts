/* How use cases access the API: its client, the sender, institutions, and the lifetime of idempotency keys. */

import type { LimitFunction } from 'p-limit';
import pRetry from 'p-retry';
import type { ApiClient } from '../api/client.ts';
import type { Reply } from '../api/exchange.ts';
import {
  createConcurrencyLimit,
  createRateLimiter,
  type ReserveInterval,
  systemTiming,
} from '../api/limiters.ts';
import { createSender, type Sender } from '../api/sender.ts';
import type { Mode } from '../domain/batches/batch.ts';
import { classifyAnswer, stopCauseOf } from '../domain/sending/answer.ts';
import { type KeyLifetime, keyLifetimeOf } from '../domain/sending/retry-policy.ts';
import { RunStop } from '../domain/sending/stops.ts';
import type { Settings } from '../domain/settings/definitions.ts';
import { say } from '../domain/settings/message.ts';
import { createDirectory, type Directory } from '../kinds/institutions/directory.ts';
import type { PageAnswer } from '../kinds/institutions/fetch-institutions.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import type { CallContext } from './context.ts';
import { requireKeyOfMode } from './ledger-access.ts';
import type { OpenedApi } from './opened-api.ts';

/**
 * How long the keys of a batch may be sent again, by the mode of the batch. For read-only commands it does not have to be
 * stated.
 */
export function keyLifetimeFor({ settings }: Pick<CallContext, 'settings'>, mode: Mode): KeyLifetime {
  return keyLifetimeOf(mode, settings.keys.keyLifetime);
}

/** The lifetimes by mode, in milliseconds. */
export function keyLifetimesFor(app: Pick<CallContext, 'settings'>): Readonly<Record<Mode, number>> {
  return {
    live: keyLifetimeFor(app, 'live').durationInMs,
    sandbox: keyLifetimeFor(app, 'sandbox').durationInMs,
  };
}

/** Reports the lifetime if it is only assumed. */
export function noteAssumedLifetime(app: Pick<CallContext, 'settings' | 'report'>, mode: Mode): void {
  const lifetime = keyLifetimeFor(app, mode);
  if (!lifetime.isAssumed) return;
  app.report({
    kind: 'note',
    note: { code: 'key_lifetime_assumed', durationInMs: lifetime.durationInMs },
  });
}

/** The client, which a call shares with other calls of its engine. It counts the requests of this call. */
export async function openClient({ connections, settings, activity }: ClientOfCall): Promise<CallClient> {
  const client = await connections.client(settings.sending);
  const counted = async <Reply>(request: () => Promise<Reply>): Promise<Reply> => {
    activity.requests += 1;
    try {
      return await request();
    } finally {
      activity.requests -= 1;
    }
  };
  return {
    // All arguments are passed on: `post` needs `mayLeave`, which it calls again right before the first byte.
    post: (...request) => counted(() => client.post(...request)),
    get: (...request) => counted(() => client.get(...request)),
    isProxied: client.isProxied,
  };
}

/** A client that the call must not close. */
export type CallClient = Omit<ApiClient, 'close'>;

type ClientOfCall = Pick<CallContext, 'connections' | 'settings' | 'activity'>;

/** The sender that all batches of one call share, and the limiter that it lowers and raises. */
export interface SharedSender {
  readonly sender: Sender;
  /** Sets the limiter of the batch that is being sent. */
  readonly useLimiter: (limiter: LimitFunction) => void;
}

/**
 * Opens the sender of a call.
 * @param isApiProven whether this API has created or refused an object before, which shows that its base address is right
 */
export function openSender(options: {
  readonly client: CallClient;
  readonly settings: Settings;
  readonly report: CallContext['report'];
  readonly stopSignal: AbortSignal;
  readonly isApiProven: boolean;
  /** Set if other processes share the same rate. */
  readonly reserveRate?: ReserveInterval | undefined;
}): SharedSender {
  const { client, settings, report, stopSignal, isApiProven, reserveRate } = options;
  const { rate } = settings.sending;
  let limiter: LimitFunction | undefined;
  const concurrency = createConcurrencyLimit({
    maximum: settings.sending.concurrency,
    onLimitChange: (limit) => {
      if (limiter !== undefined) limiter.concurrency = limit;
      report({ kind: 'detail', text: `requests in flight: at most ${limit}` });
    },
  });
  const sender = createSender({
    client,
    timing: systemTiming,
    maxAttempts: settings.sending.maxAttempts,
    concurrency,
    stopSignal,
    isPathProven: () => isApiProven,
    onPause: (waitInMs) => {
      report({ kind: 'api.paused', waitInMs });
      report({ kind: 'detail', text: `the API asked for a pause of ${waitInMs} ms` });
    },
    ...(rate === undefined ? {} : { rate: createRateLimiter(rate, systemTiming, reserveRate) }),
  });
  return {
    sender,
    useLimiter: (next) => {
      limiter = next;
      next.concurrency = concurrency.current();
    },
  };
}

const institutionsPath = '/v1/external-accounts/institutions';

type ListVerbs = Pick<LedgerVerbs, 'loadInstitutionList' | 'saveInstitutionList'>;

/** The API, which is opened when it is first needed. */
export class LazyApi {
  readonly #app: CallContext;
  #verbs: LedgerVerbs | undefined;
  #client: Promise<CallClient> | undefined;

  constructor(app: CallContext) {
    this.#app = app;
  }

  /** From now on, keys are checked with this ledger. A key that it does not allow at this API is refused. */
  knowsKeysOf(verbs: LedgerVerbs): void {
    this.#verbs = verbs;
  }

  target(): Promise<OpenedApi> {
    return this.#app.connections.api();
  }

  /**
   * The API's institutions, stored in the ledger. If a list cannot be read completely, that is reported once for each
   * country.
   */
  directory(verbs: ListVerbs, environmentId: number): Directory {
    const { settings, report } = this.#app;
    return createDirectory({
      fetchPage: async (country, query) =>
        getPage(await this.#opened(), { country_iso_code: country, ...query }),
      paging: {
        parameter: settings.api.institutionsPageParameter,
        firstPage: settings.api.institutionsFirstPage,
      },
      onIncomplete: ({ country, institutions }) =>
        report({
          kind: 'note',
          note: { code: 'institutions_incomplete', country, institutions: institutions.length },
        }),
      store: {
        load: (country) => verbs.loadInstitutionList(environmentId, country),
        save: (list) => verbs.saveInstitutionList(environmentId, list),
      },
      now: () => new Date(),
      maxAgeInMs: settings.api.institutionsMaxAge,
    });
  }

  #opened(): Promise<CallClient> {
    this.#client ??= this.#open();
    return this.#client;
  }

  async #open(): Promise<CallClient> {
    if (this.#verbs !== undefined) await requireKeyOfMode(this.#app, this.#verbs, await this.target());
    return openClient(this.#app);
  }
}

/** Returns the directory of an environment, always the same one within a call of the engine. */
export type DirectoryOf = (environmentId: number) => Directory;

/** The directories of a call that looks up institutions. */
export function directoriesOf(app: CallContext, verbs: ListVerbs): DirectoryOf {
  const api = new LazyApi(app);
  const opened = new Map<number, Directory>();
  return (environmentId) => {
    const directory = opened.get(environmentId) ?? api.directory(verbs, environmentId);
    opened.set(environmentId, directory);
    return directory;
  };
}

/**
 * Reads a country's first page once. This shows whether the API answers, whether it accepts the key, and the time of its
 * clock.
 * @throws RunStop as `readPage` does
 */
export async function readInstitutionsPage(
  client: Pick<ApiClient, 'get'>,
  country: string,
): Promise<{ readonly answer: PageAnswer; readonly date: Date | null }> {
  const reply = await client.get(institutionsPath, { country_iso_code: country });
  const answer = readPage(reply);
  const text = reply.kind === 'answer' ? reply.headers.date : null;
  const date = new Date(text ?? Number.NaN);
  return { answer, date: Number.isNaN(date.getTime()) ? null : date };
}

/** Reads a page. Reading can be repeated safely, so a short failure of the API does not stop a whole import. */
function getPage(client: Pick<ApiClient, 'get'>, query: Record<string, string>): Promise<PageAnswer> {
  return pRetry(async () => readPage(await client.get(institutionsPath, query)), {
    retries: 3,
    minTimeout: 500,
    shouldRetry: ({ error }) => error instanceof RunStop && error.reason === 'unavailable',
  });
}

/**
 * Checks the answer for a page.
 * @throws RunStop when credentials are refused, or when the address cannot be reached or does not answer like the API
 */
function readPage(reply: Reply): PageAnswer {
  if (reply.kind !== 'answer') {
    const why =
      reply.reason === 'proxy_refused'
        ? say`the proxy of ${{ setting: 'httpsProxy' }} did not let the connection through`
        : 'the API could not be reached';
    throw new RunStop('unavailable', say`the institutions could not be read: ${why}`);
  }
  const outcome = classifyAnswer(reply, () => ({ id: 'institutions' }), new Date());
  const cause = stopCauseOf(outcome);
  if (cause !== null) throw new RunStop(cause.reason, cause.message);
  if (reply.status >= 500 || outcome.kind === 'throttled') {
    throw new RunStop('unavailable', `the institutions could not be read: the API answered ${reply.status}`);
  }
  return { status: reply.status, body: reply.body.state === 'whole' ? reply.body.text : '' };
}
