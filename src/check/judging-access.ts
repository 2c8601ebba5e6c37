/* The data that the check of rows may read: the ledger and the API, if they exist, and the earlier tables of a call. */

import { LazyApi } from '../call/api-access.ts';
import type { LedgerAccess } from '../call/connections.ts';
import type { CallContext } from '../call/context.ts';
import { statedEnvironment } from '../call/opened-api.ts';
import type { BatchRecord, Environment, Kind } from '../domain/batches/batch.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { InstitutionSnapshot } from '../domain/institution.ts';
import type { StagedRow } from '../domain/rows/ledger-row.ts';
import type { InstitutionName, KnownObject } from '../kinds/definition.ts';
import type { DirectoryPort } from '../kinds/institutions/directory.ts';
import { definitionsOf } from '../kinds/registry.ts';
import { type ReferencePort, referencesIn } from '../kinds/request.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { type CorrectionPort, correctionsIn } from '../read/rows/corrections.ts';
import type { InputTable } from '../read/rows/input-table.ts';
import { driftIn, type FindDrift } from '../watch/drift/drift-watch.ts';
import { type PayeesOf, payeesIn } from '../watch/payee.ts';
import { type FindSeries, seriesIn } from '../watch/series.ts';

/**
 * The objects of a call's earlier tables, by the names with which later tables refer to them. It is needed for a check,
 * which stages nothing, so that the ledger cannot be queried for these rows. Memory use grows with the rows of these tables
 * (about 100 bytes each), so a caller notes only tables to which a later table may refer.
 */
export class ImportHandles {
  readonly #countries = new Map<Kind, Map<string, string | null>>();

  /** Notes rows. Invalid rows are noted too: rows that refer to them have to wait for their correction. */
  note(kind: Kind, rows: readonly StagedRow[]): void {
    const ofKind = this.#countries.get(kind) ?? new Map<string, string | null>();
    this.#countries.set(kind, ofKind);
    for (const { handle, record } of rows) {
      if (handle !== null && !ofKind.has(handle)) ofKind.set(handle, record['country'] ?? null);
    }
  }

  /** Look-ups that find these objects and those of `references`. The latter take precedence. */
  before(references: ReferencePort): ReferencePort {
    return {
      ...references,
      findByHandles: async (kind, handles) => {
        const found = new Map<string, KnownObject>();
        for (const handle of handles) {
          const country = this.#countries.get(kind)?.get(handle);
          if (country !== undefined) found.set(handle, { id: null, country });
        }
        const known = await references.findByHandles(kind, handles);
        return new Map([...found, ...known]);
      },
    };
  }
}

/** The data that the check of rows may read. Reading creates neither a ledger nor a batch. */
export interface CheckAccess extends RowAccess {
  /** Finds the earlier rows that findings about payees compare with. */
  readonly findEarlierPayees?: LedgerVerbs['findEarlierPayees'];
  /** Lists handles of accounts that the ledger knows, at most `limit` of them. */
  readonly accountHandles: (limit: number) => Promise<readonly string[]>;
}

/**
 * Opens the ledger if one exists. The API is opened only when a row names an institution and the list of its country is not
 * in the ledger. Until then, neither the API's address nor its key is needed.
 */
export async function openCheckAccess(app: CallContext): Promise<CheckAccess> {
  const { settings, connections } = app;
  const api = new LazyApi(app);
  const access = connections.isLedgerThere() ? await connections.ledger() : undefined;
  if (access !== undefined) api.knowsKeysOf(access.verbs);
  const environmentId = access === undefined ? undefined : await environmentIn(access, api, app);
  const environment = { mode: settings.api.mode, origin: statedEnvironment(settings)?.origin };
  if (access === undefined || typeof environmentId !== 'number') {
    return {
      references: referencesToNothing(environmentId === 'unclear'),
      directory: api.directory(forgottenLists, 0),
      corrections: access === undefined ? noCorrections : correctionsIn(access.verbs, environment),
      findEarlierPayees: access?.verbs.findEarlierPayees ?? (async () => []),
      accountHandles: async () => [],
    };
  }
  const { verbs } = access;
  const directory = api.directory(verbs, environmentId);
  return {
    ...rowAccessIn(verbs, { ...environment, environmentId }, directory, []),
    findEarlierPayees: verbs.findEarlierPayees,
    accountHandles: (limit) => verbs.listAccountHandles(environmentId, limit),
  };
}

/**
 * The environment with the objects to which rows may refer. If no address of an API is stated, it is the only environment
 * of this mode in the ledger. If the ledger has several, it is unclear which one is intended.
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

/**
 * Look-ups without any known row. If the environment is unclear and a row refers to another row, a person has to state the
 * API.
 */
function referencesToNothing(isUnclear: boolean): ReferencePort {
  return {
    findByHandles: async () => {
      if (!isUnclear) return new Map();
      const message = 'The rows refer to objects in the ledger, which has batches of several APIs.';
      const oneOf = [{ setting: 'baseUrl' }, { setting: 'localSandbox' }] as const;
      throw new PaybatchError('environment_unclear', message, {
        action: 'set',
        purpose: 'name the API',
        oneOf,
      });
    },
    findCustomersById: async () => new Map(),
    findKeyOwners: async () => new Map(),
    findRivals: async () => new Map(),
  };
}

/** Used without a ledger, which means that no earlier round is known. */
const noCorrections: CorrectionPort = {
  findOriginalBatch: async () => undefined,
  findEarlierRows: async () => new Map(),
};

/** Used without a ledger: lists of institutions are not stored, and last only as long as the call. */
const forgottenLists = {
  loadInstitutionList: async (): Promise<InstitutionSnapshot | undefined> => undefined,
  saveInstitutionList: async (): Promise<void> => {},
};

/**
 * The names of institutions in the ledger's lists, for a batch whose answers name institutions; nothing for other batches.
 * Ids are looked up without regard to upper and lower case.
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

/** The data that the rows of a call's tables are compared with. */
export interface RowAccess {
  readonly references: ReferencePort;
  readonly directory: DirectoryPort;
  readonly corrections: CorrectionPort;
  /** Undefined if no payee is known. */
  readonly payees?: PayeesOf | undefined;
  /** Whether the earlier files of a table's header end with a line end; undefined if no earlier file is known. */
  readonly endedBefore?:
    | ((inputTable: Pick<InputTable, 'contentHash' | 'mapping' | 'table'>) => Promise<boolean>)
    | undefined;
  /** Finds the last file of a table's series; undefined if no earlier file is known. */
  readonly findSeries?: FindSeries | undefined;
  /** Finds the last files of a table's layout; undefined if no earlier file is known. */
  readonly findDrift?: FindDrift | undefined;
}

/**
 * The data of the ledger about one environment.
 * @param importBatches the batches of this call; other rows may refer to their rows before these are created
 */
export function rowAccessIn(
  verbs: LedgerVerbs,
  { environmentId, ...environment }: Parameters<typeof correctionsIn>[1] & { readonly environmentId: number },
  directory: DirectoryPort,
  importBatches: readonly string[],
): RowAccess {
  return {
    references: referencesIn(verbs, environmentId, importBatches),
    directory,
    corrections: correctionsIn(verbs, environment),
    payees: payeesIn(verbs, environmentId),
    endedBefore: ({ contentHash, mapping: { kind }, table: { header } }) =>
      verbs.endedBefore({ environmentId, kind, header, contentHash }),
    findSeries: seriesIn(verbs, environmentId),
    findDrift: driftIn(verbs, environmentId),
  };
}
