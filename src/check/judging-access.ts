/* What the check of rows may read. */

import { type CallClient, openClient, openDirectory } from '../call/api-access.ts';
import type { LedgerAccess } from '../call/connections.ts';
import type { CallContext } from '../call/context.ts';
import { requireKeyOfMode } from '../call/ledger-access.ts';
import { type OpenedApi, statedEnvironment } from '../call/opened-api.ts';
import type { BatchRecord, Environment } from '../domain/batches/batch.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { InstitutionSnapshot } from '../domain/institution.ts';
import type { InstitutionName } from '../kinds/definition.ts';
import { definitionsOf } from '../kinds/registry.ts';
import type { ReferencePort } from '../kinds/request.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { type CorrectionPort, correctionsIn } from '../read/rows/corrections.ts';
import { type RowAccess, rowAccessIn } from './judging.ts';

/** What the check of rows may read. Reading creates nothing: no ledger, no batch. */
export interface CheckAccess extends RowAccess {
  /** The rows that findings about payees compare with. */
  readonly findEarlierPayees?: LedgerVerbs['findEarlierPayees'];
  /** Handles of accounts that the ledger knows, at most the requested number. */
  readonly accountHandles: (limit: number) => Promise<readonly string[]>;
}

/**
 * Opens the ledger if there is one. The API is opened only when a row names an institution whose country's
 * list is not in the ledger: until then neither its address nor its key is needed.
 */
export async function openCheckAccess(app: CallContext): Promise<CheckAccess> {
  const { settings, connections } = app;
  const api = new LazyApi(app);
  const access = connections.isLedgerThere() ? await connections.ledger() : undefined;
  if (access !== undefined) api.knowsKeysOf(access.verbs);
  const environmentId = access === undefined ? undefined : await environmentIn(access, api, app);
  const client: Pick<CallClient, 'get'> = {
    get: async (path, query) => (await api.client()).get(path, query),
  };
  const environment = { mode: settings.api.mode, origin: statedEnvironment(settings)?.origin };
  if (access === undefined) {
    return {
      references: referencesToNothing(false),
      directory: openDirectory(client, forgottenLists, 0, app),
      corrections: noCorrections,
      findEarlierPayees: async () => [],
      accountHandles: async () => [],
    };
  }
  const { verbs } = access;
  const { findEarlierPayees } = verbs;
  if (typeof environmentId !== 'number') {
    return {
      references: referencesToNothing(environmentId === 'unclear'),
      directory: openDirectory(client, forgottenLists, 0, app),
      corrections: correctionsIn(verbs, environment),
      findEarlierPayees,
      accountHandles: async () => [],
    };
  }
  const directory = openDirectory(client, verbs, environmentId, app);
  return {
    ...rowAccessIn(verbs, { ...environment, environmentId }, directory, []),
    findEarlierPayees,
    accountHandles: (limit) => verbs.listAccountHandles(environmentId, limit),
  };
}

/** The API, opened when it is first needed. */
export class LazyApi {
  readonly #app: CallContext;
  #verbs: LedgerVerbs | undefined;
  #client: Promise<CallClient> | undefined;

  constructor(app: CallContext) {
    this.#app = app;
  }

  /** From now on, a key that this ledger does not let be used there is refused. */
  knowsKeysOf(verbs: LedgerVerbs): void {
    this.#verbs = verbs;
  }

  target(): Promise<OpenedApi> {
    return this.#app.connections.api();
  }

  client(): Promise<CallClient> {
    this.#client ??= this.#open();
    return this.#client;
  }

  async #open(): Promise<CallClient> {
    if (this.#verbs !== undefined) await requireKeyOfMode(this.#app, this.#verbs, await this.target());
    return openClient(this.#app);
  }
}

/**
 * The environment whose objects rows may refer to. Without an API's address it is the only one of this mode in
 * the ledger; with several of them it is unclear which is meant.
 */
async function environmentIn(
  { verbs }: LedgerAccess,
  api: LazyApi,
  { settings }: CallContext,
): Promise<number | 'unclear' | undefined> {
  const stated = settings.api.localSandbox ? (await api.target()).environment : statedEnvironment(settings);
  const batches = await verbs.listBatches(batchesLookedAt);
  const isMeant = (batch: Environment): boolean =>
    batch.mode === settings.api.mode && (stated === undefined || batch.origin === stated.origin);
  const ids = new Set(batches.filter(isMeant).map(({ environmentId }) => environmentId));
  return ids.size > 1 ? 'unclear' : [...ids][0];
}

const batchesLookedAt = 10_000;

/** No row is known. Where the environment of a ledger's rows is unclear, a row that refers to one needs a person's word. */
function referencesToNothing(isUnclear: boolean): ReferencePort {
  return {
    findByHandles: async () => {
      if (isUnclear) throw environmentUnclear();
      return new Map();
    },
    findCustomersById: async () => new Map(),
    findKeyOwners: async () => new Map(),
    findRivals: async () => new Map(),
  };
}

function environmentUnclear(): PaybatchError {
  return new PaybatchError(
    'environment_unclear',
    'The rows refer to objects in the ledger, which has batches of several APIs.',
    {
      action: 'set',
      purpose: 'name the API',
      oneOf: [{ setting: 'baseUrl' }, { setting: 'localSandbox' }],
    },
  );
}

/** Without a ledger there is no earlier round. */
const noCorrections: CorrectionPort = {
  findOriginalBatch: async () => undefined,
  findEarlierRows: async () => new Map(),
};

/** Lists of institutions are stored in a ledger; without one they last as long as the call. */
const forgottenLists = {
  loadInstitutionList: async (): Promise<InstitutionSnapshot | undefined> => undefined,
  saveInstitutionList: async (): Promise<void> => {},
};

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
