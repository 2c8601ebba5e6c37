import { writeBatchFiles } from '../account/batch-files/files-of-batch.ts';
import { openCountsOf } from '../account/figures.ts';
import { type CallResult, withRefused } from '../account/result.ts';
import { noteAssumedLifetime, openDirectory } from '../call/api-access.ts';
import type { LedgerAccess } from '../call/connections.ts';
import type { CallContext } from '../call/context.ts';
import { statedEnvironment } from '../call/opened-api.ts';
import { LazyApi } from '../check/judging-access.ts';
import { finishedEvent } from '../disk/log/run-event.ts';
import type { RunLog } from '../disk/log/run-log.ts';
import type { BatchAccount, PlannedAccount } from '../domain/batches/account.ts';
import type { LeasedBatch } from '../domain/batches/batch.ts';
import { type CallOutcome, gravest, outcomeOfRows } from '../domain/failures/paybatch-error.ts';
import type { OpenInputs } from '../read/sources/inputs.ts';
import { openInputsOfCall, refusalOfFiles } from '../read/sources/inputs-of-call.ts';
import type { FileReadings } from '../read/sources/stated-reading.ts';
import { headAtEnd } from '../send/batches/log-heads.ts';
import { noteUnsentRows, openLogOfRun, startedEvent, withLog } from '../send/batches/log-of-run.ts';
import { endRuns, type PlannedBatch, planHeld } from '../send/batches/planning.ts';
import { settleLeased } from '../send/batches/settle.ts';
import { stageFiles } from '../send/batches/stage-files.ts';
import { whileLeased } from '../send/lease.ts';

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
  const inputs = await openInputsOfCall(app, files, fileReadings);
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
  try {
    await settleLeased(app, access, held);
    const planned = await whileLeased({ ledger: access.verbs, clock: app.clock }, held, () =>
      planAll(app, access, held),
    );
    return withRefused(planned, refused);
  } catch (error) {
    // If the database is unreachable too, the leases expire; the person needs the original error.
    await endRuns(access, held, error).catch(() => {});
    throw error;
  }
}

async function planAll(
  app: CallContext,
  access: LedgerAccess,
  held: readonly LeasedBatch[],
): Promise<PlanResult> {
  const batches: PlannedAccount[] = [];
  for (const planned of await planHeld(app, access, held))
    batches.push(await endPlannedRun(app, access, planned));
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

/** Keeps the plan, writes the batch's files and log, and ends its run. */
async function endPlannedRun(
  app: CallContext,
  { verbs }: LedgerAccess,
  { own, plan }: PlannedBatch,
): Promise<PlannedAccount> {
  const { batch, run } = own;
  const { planHash, totals } = plan;
  await verbs.savePlan(batch.id, planHash, totals);
  const runLog = await openLogOfRun(app, verbs, own);
  const account = await withLog(runLog, () => writePlanned(app, verbs, own, runLog));
  await verbs.noteLogged([run.id]);
  await verbs.endRun(run.id, planOutcome(account));
  const { own: auditHead } = await verbs.readHeadsOfBatch(batch.id);
  return { ...account, plan: { planHash, totals }, auditHead };
}

async function writePlanned(
  app: CallContext,
  verbs: LedgerAccess['verbs'],
  own: LeasedBatch,
  runLog: RunLog,
): Promise<BatchAccount> {
  const { batch, run } = own;
  runLog.append([await startedEvent(verbs, own, null)]);
  const isFirstEnd = (await verbs.listRuns(batch.id)).every(({ outcome }) => outcome === null);
  const account = await writeBatchFiles(app, verbs, batch, { runId: run.id, outcome: planOutcome }, (rows) =>
    noteUnsentRows(runLog, rows, isFirstEnd ? '' : run.startedAt),
  );
  const { events } = await headAtEnd(verbs, own);
  runLog.append([...events, finishedEvent(run.id, account.counts, planOutcome(account))]);
  await runLog.close();
  return account;
}
