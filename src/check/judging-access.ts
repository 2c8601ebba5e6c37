/* What the check of rows may read: the ledger and the API, as far as there are any, and the earlier tables of a call. */

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
 * The objects of a call's earlier tables, by the names under which later tables refer to them, while nothing is staged
 * that a ledger could be queried for. The memory grows with the rows of those tables (about 100 bytes each), so a caller
 * notes only tables that a later one of the call may refer to.
 */
export class ImportHandles {
  readonly #countries = new Map<Kind, Map<string, string | null>>();

  /** Rows that are not valid count too: rows that refer to them have to wait for their correction. */
  note(kind: Kind, rows: readonly StagedRow[]): void {
    const ofKind = this.#countries.get(kind) ?? new Map<string, string | null>();
    this.#countries.set(kind, ofKind);
    for (const { handle, record } of rows) {
      if (handle !== null && !ofKind.has(handle)) ofKind.set(handle, record['country'] ?? null);
    }
  }

  /** Look-ups that know these objects and those of `references`, which take precedence. */
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

/** What the rows of a call's tables are compared with. */
export interface RowAccess {
  readonly references: ReferencePort;
  readonly directory: DirectoryPort;
  readonly corrections: CorrectionPort;
  /** Undefined where no payee is known. */
  readonly payees?: PayeesOf | undefined;
  /** Whether the earlier files of a table's header end with a line end; undefined where no earlier file is known. */
  readonly endedBefore?:
    | ((inputTable: Pick<InputTable, 'contentHash' | 'mapping' | 'table'>) => Promise<boolean>)
    | undefined;
  /** Finds the last file of a table's series; undefined where there is none. */
  readonly findSeries?: FindSeries | undefined;
  /** Finds the last files of a table's layout; undefined where no earlier file is known. */
  readonly findDrift?: FindDrift | undefined;
}

/**
 * What the ledger knows of one environment.
 * @param importBatches the batches of this call, whose rows may be referred to before they are created
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
