import { type ExitCode, exitCodeOf, gravest } from '../../domain/exit-code.ts';
import type { StatusCounts } from '../../domain/row-state.ts';
import type { BatchSummary } from '../../output/json-summary.ts';
import { planTable } from '../../output/plan-table.ts';
import { openRunLog } from '../../output/run-log.ts';
import { printable } from '../../output/terminal-text.ts';
import type { HeldBatch } from '../../pipeline/take-in.ts';
import { openDirectory } from '../api-access.ts';
import { statedEnvironment } from '../api-target.ts';
import type { App } from '../app.ts';
import { repeatedOptions, runLogPath, writeBatchFiles } from '../batch-files.ts';
import { LazyApi } from '../check-access.ts';
import { type Command, textsOf } from '../command.ts';
import { takeInFiles } from '../file-batches.ts';
import { firstRoundsOf } from '../first-rounds.ts';
import { openInputs } from '../inputs.ts';
import { readRules } from '../judging.ts';
import { type LedgerAccess, openLedger } from '../ledger-access.ts';
import { requireOutFolder } from '../out-folder.ts';
import type { CommandEnd } from '../outcome.ts';
import { type PlannedBatch, planHeld, whileHeld } from '../planning.ts';
import { noteUnsentRows, startedEvent } from '../run-events.ts';

export const planCommand: Command = {
  build: (program) =>
    program.positional('file', { type: 'string', array: true, description: 'Paths; - is standard input' }),
  work: (app, parsed) => planFiles(app, textsOf(parsed, 'file')),
};

/** Nobody can have given another one: an address is never empty of a scheme. */
const noAddress = 'no address';

/**
 * Reads, maps, validates and stages every file, and shows what would be sent. The batches stay in the
 * ledger, for `submit` or `import` to send them. The API is needed only if a row names an institution.
 */
async function planFiles(app: App, paths: readonly string[]): Promise<CommandEnd> {
  requireOutFolder(app.settings);
  const { settings, terminal } = app;
  const rules = readRules(settings.rules);
  const inputs = await openInputs(paths, settings, rules, firstRoundsOf(app));
  for (const note of inputs.notes) terminal.say(printable(note));
  const api = new LazyApi(app);
  try {
    const environment = settings['local-sandbox']
      ? (await api.target()).environment
      : (statedEnvironment(settings) ?? { mode: settings.mode, origin: noAddress });
    const access = await openLedger(settings, app.environment);
    api.knowsKeysOf(access.verbs);
    try {
      const client: Parameters<typeof openDirectory>[0] = {
        get: async (path, query) => (await api.client()).get(path, query),
      };
      const held = await takeInFiles(app, access, {
        ...{ command: 'plan', inputs, environment },
        openDirectory: (environmentId) => openDirectory(client, access.verbs, environmentId, settings),
      });
      return await whileHeld(app, access, held, () => showPlans(app, access, held));
    } finally {
      await access.close();
    }
  } finally {
    await api.close();
    await inputs.close();
  }
}

async function showPlans(app: App, access: LedgerAccess, held: readonly HeldBatch[]): Promise<CommandEnd> {
  const batches: BatchSummary[] = [];
  for (const planned of await planHeld(app, access, held)) {
    const summary = await writeOut(app, access, planned);
    batches.push(summary);
    const { mode, origin } = planned.own.batch;
    const table = planTable(summary, planned.plan.totals, {
      environment: { mode, origin },
      useColour: app.terminal.useColour,
      commandOptions: repeatedOptions(app, planned.own.batch),
      canBeSent: origin !== noAddress,
    });
    app.terminal.print(`${table}\n`);
  }
  return { exitCode: gravest(batches.map(({ counts }) => planExitCode(counts))), batches, failure: null };
}

/** Rows that would be sent are what a plan is for: only the others tell how it ended. */
function planExitCode(counts: StatusCounts): ExitCode {
  return exitCodeOf({ ...counts, not_sent: 0 });
}

/** Keeps the plan, writes the batch's files and log as it stands, and ends its run. */
async function writeOut(
  app: App,
  { verbs }: LedgerAccess,
  { own, plan }: PlannedBatch,
): Promise<BatchSummary> {
  const { batch, run } = own;
  await verbs.savePlan(batch.id, plan.planHash, plan.totals);
  const runLog = await openRunLog(runLogPath(app, batch), { batch: batch.id, now: app.clock.now });
  runLog.append([await startedEvent(verbs, own, null)]);
  const isFirstEnd = (await verbs.listRuns(batch.id)).every(({ exitCode }) => exitCode === null);
  const summary = await writeBatchFiles(
    app,
    verbs,
    batch,
    { runId: run.id, exitCode: planExitCode },
    (rows) => noteUnsentRows(runLog, rows, isFirstEnd ? '' : run.startedAt),
  );
  const exitCode = planExitCode(summary.counts);
  runLog.append([{ event: 'run.finished', run: run.id, counts: summary.counts, exit_code: exitCode }]);
  await runLog.close();
  await verbs.endRun(run.id, exitCode);
  return { ...summary, planHash: plan.planHash };
}
