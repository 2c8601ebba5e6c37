import { openCountsOf } from '../account/figures.ts';
import { type CallResult, withLeftOut, withRefused } from '../account/result.ts';
import { noteAssumedLifetime, openDirectory } from '../call/api-access.ts';
import type { LedgerAccess } from '../call/connections.ts';
import type { CallContext } from '../call/context.ts';
import { statedEnvironment } from '../call/opened-api.ts';
import { LazyApi } from '../check/judging-access.ts';
import type { BatchAccount, PlannedAccount } from '../domain/batches/account.ts';
import type { LeasedBatch } from '../domain/batches/batch.ts';
import { type CallOutcome, gravest, outcomeOfRows } from '../domain/failures/paybatch-error.ts';
import type { OpenInputs } from '../read/sources/inputs.ts';
import { openConfirmedInputs, refusalOfFiles } from '../read/sources/inputs-of-call.ts';
import type { FileReadings } from '../read/sources/stated-reading.ts';
import { settleLeased } from '../send/batches/settle.ts';
import type { Leases } from '../send/lease.ts';
import { planHeld } from '../send/plan.ts';
import { whileHeld, withRun } from '../send/run.ts';
import { stageFiles } from '../send/stage-files.ts';

/** What would be sent of each batch. */
interface PlanResult extends CallResult {
  readonly batches: readonly PlannedAccount[];
  /** Whether the API's address is known, so that the batches can be sent as they are. */
  readonly canBeSent: boolean;
  readonly isLedgerEmbedded: boolean;
}

/** Files to plan. */
interface PlanRequest {
  /** Paths; `-` is standard input. */
  readonly files: readonly string[];
  /** The options for single files. */
  readonly fileReadings?: FileReadings;
}

/** Not a possible setting: an address always has a scheme. */
const noAddress = 'no address';

/**
 * Reads, maps, validates and stages every file, and returns what would be sent. The batches stay in the ledger, for
 * `submit` or `import` to send them. The API is needed only if a row names an institution.
 */
export async function planFiles(app: CallContext, { files, fileReadings }: PlanRequest): Promise<PlanResult> {
  const inputs = await openConfirmedInputs(app, files, fileReadings);
  try {
    if (inputs.inputTables.length === 0) {
      return { outcome: 'done', batches: [], failure: null, canBeSent: false, isLedgerEmbedded: false };
    }
    return await planOpened(app, inputs);
  } catch (error) {
    throw refusalOfFiles(inputs, error);
  } finally {
    await inputs.close();
  }
}

async function planOpened(app: CallContext, inputs: OpenInputs): Promise<PlanResult> {
  const { settings } = app;
  noteAssumedLifetime(app, settings.api.mode);
  const api = new LazyApi(app);
  const environment = settings.api.localSandbox
    ? (await api.target()).environment
    : (statedEnvironment(settings) ?? { mode: settings.api.mode, origin: noAddress });
  const access = await app.connections.ledger();
  api.knowsKeysOf(access.verbs);
  const client: Parameters<typeof openDirectory>[0] = {
    get: async (path, query) => (await api.client()).get(path, query),
  };
  const { held, refused } = await stageFiles(app, access, {
    command: 'plan',
    inputs,
    environment,
    openDirectory: (environmentId) => openDirectory(client, access.verbs, environmentId, app),
  });
  return whileHeld(app, access, held, async (leases) => {
    await settleLeased(app, access, held);
    const planned = await planAll(app, access, held, leases);
    leases.requireHeld();
    return withLeftOut(withRefused(planned, refused), inputs.leftOut);
  });
}

async function planAll(
  app: CallContext,
  access: LedgerAccess,
  held: readonly LeasedBatch[],
  leases: Leases,
): Promise<PlanResult> {
  const batches: PlannedAccount[] = [];
  for (const { own, plan } of await planHeld(app, access, held)) {
    const { planHash, totals } = plan;
    await access.verbs.savePlan(own.batch.id, planHash, totals);
    const { account } = await withRun(
      app,
      access,
      own,
      { kind: 'plans', outcomeOf: planOutcome, leases },
      async () => {},
    );
    batches.push({ ...account, plan: { planHash, totals } });
  }
  return {
    outcome: gravest(batches.map((account) => planOutcome(account))),
    batches,
    failure: null,
    canBeSent: batches.every(({ environment }) => environment.origin !== noAddress),
    isLedgerEmbedded: access.ledger.isEmbedded,
  };
}

/** Rows that would be sent are the purpose of a plan, so only the other rows decide the outcome. */
function planOutcome(account: Pick<BatchAccount, 'counts' | 'superseded'>): CallOutcome {
  return outcomeOfRows({ ...openCountsOf(account), not_sent: 0 });
}
