import type { BatchRecord } from '../domain/batches/batch.ts';
import type { BatchSummary } from '../domain/batches/batch-summary.ts';
import { type CallOutcome, gravest, outcomeOfRows } from '../domain/failures/paybatch-error.ts';
import type { StatusCounts } from '../domain/rows/row-state.ts';
import { finishedEvent } from '../output/log/run-event.ts';
import type { RunLog } from '../output/log/run-log.ts';
import type { Plan } from '../pipeline/requests/plan.ts';
import type { LeasedBatch } from '../pipeline/staging/stage-input.ts';
import { noteAssumedLifetime, openDirectory } from './access/api-access.ts';
import { LazyApi } from './access/judging-access.ts';
import { headAtEnd } from './auditing/log-heads.ts';
import type { LedgerAccess } from './connections/connections.ts';
import { statedEnvironment } from './connections/opened-api.ts';
import { openCountsOf, writeBatchFiles } from './files/files-of-batch.ts';
import type { FileReadings } from './reading/file-readings.ts';
import type { OpenInputs } from './reading/inputs.ts';
import { stageFiles } from './reading/stage-files.ts';
import { namingRefused, withInputs } from './reading/with-inputs.ts';
import type { CallContext } from './running/context.ts';
import { type CallResult, withRefused } from './running/result.ts';
import { noteUnsentRows, openLogOfRun, settleLeased, startedEvent, withLog } from './sending/log-of-run.ts';
import { endRuns, type PlannedBatch, planHeld, whileLeased } from './sending/planning.ts';

/** What would be sent of each batch. */
interface PlanResult extends CallResult {
  readonly plans: readonly ShownPlan[];
}

/** A batch, and what would be sent of it. */
export interface ShownPlan {
  readonly batch: BatchRecord;
  readonly summary: BatchSummary;
  readonly totals: Plan['totals'];
  /** Whether the API's address is known, so that the batch can be sent as it is. */
  readonly canBeSent: boolean;
  readonly isLedgerEmbedded: boolean;
}

/** Files to plan. */
interface PlanRequest {
  /** Paths; `-` is standard input. */
  readonly files: readonly string[];
  /** What was said of one of them alone. */
  readonly fileReadings?: FileReadings;
}

/** Nobody can have given another one: an address is never empty of a scheme. */
const noAddress = 'no address';

/**
 * Reads, maps, validates and stages every file, and tells what would be sent. The batches stay in the
 * ledger, for `submit` or `import` to send them. The API is needed only if a row names an institution.
 */
export async function planFiles(app: CallContext, { files, fileReadings }: PlanRequest): Promise<PlanResult> {
  return withInputs(
    app,
    files,
    async (inputs) => {
      if (inputs.inputTables.length === 0) {
        return { outcome: 'done', batches: [], failure: null, plans: [] };
      }
      return namingRefused(inputs, () => planOpened(app, inputs));
    },
    fileReadings,
  );
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
    const planned = await whileLeased(app, access, held, () => planAll(app, access, held));
    return withRefused(planned, refused);
  } catch (error) {
    // Where the database is away too, their leases run out; what was in the way is what a person has to know.
    await endRuns(access, held, error).catch(() => {});
    throw error;
  }
}

async function planAll(
  app: CallContext,
  access: LedgerAccess,
  held: readonly LeasedBatch[],
): Promise<PlanResult> {
  const plans: ShownPlan[] = [];
  for (const planned of await planHeld(app, access, held)) {
    const summary = await materialize(app, access, planned);
    const { batch } = planned.own;
    const canBeSent = batch.origin !== noAddress;
    const { isEmbedded: isLedgerEmbedded } = access.ledger;
    plans.push({ batch, summary, totals: planned.plan.totals, canBeSent, isLedgerEmbedded });
  }
  const batches = plans.map(({ summary }) => summary);
  return {
    outcome: gravest(batches.map((batch) => planOutcome(openCountsOf(batch)))),
    batches,
    failure: null,
    plans,
  };
}

/** Rows that would be sent are what a plan is for: only the others tell how it ended. */
function planOutcome(counts: StatusCounts): CallOutcome {
  return outcomeOfRows({ ...counts, not_sent: 0 });
}

/** Keeps the plan, writes the batch's files and log as it stands, and ends its run. */
async function materialize(
  app: CallContext,
  { verbs }: LedgerAccess,
  { own, plan }: PlannedBatch,
): Promise<BatchSummary> {
  const { batch, run } = own;
  await verbs.savePlan(batch.id, plan.planHash, plan.totals);
  const runLog = await openLogOfRun(app, verbs, own);
  const { summary, outcome } = await withLog(runLog, () => writePlanned(app, verbs, own, runLog));
  await verbs.noteLogged([run.id]);
  await verbs.endRun(run.id, outcome);
  const { own: auditHead } = await verbs.readHeadsOfBatch(batch.id);
  return { ...summary, planHash: plan.planHash, auditHead };
}

async function writePlanned(
  app: CallContext,
  verbs: LedgerAccess['verbs'],
  own: LeasedBatch,
  runLog: RunLog,
): Promise<{ readonly summary: BatchSummary; readonly outcome: CallOutcome }> {
  const { batch, run } = own;
  runLog.append([await startedEvent(verbs, own, null)]);
  const isFirstEnd = (await verbs.listRuns(batch.id)).every(({ outcome }) => outcome === null);
  const summary = await writeBatchFiles(app, verbs, batch, { runId: run.id, outcome: planOutcome }, (rows) =>
    noteUnsentRows(runLog, rows, isFirstEnd ? '' : run.startedAt),
  );
  const outcome = planOutcome(openCountsOf(summary));
  const { events } = await headAtEnd(verbs, own);
  runLog.append([...events, finishedEvent(run.id, summary.counts, outcome)]);
  await runLog.close();
  return { summary, outcome };
}
