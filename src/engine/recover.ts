/* Rebuilds the batch of a lost ledger from its run logs and its source file. */

import { resolve } from 'node:path';
import { setAside } from '../account/objects/handed-over.ts';
import { existingFiles } from '../account/read-accounts.ts';
import type { WrittenBatches } from '../account/result.ts';
import { LazyApi } from '../call/api-access.ts';
import { type LedgerAccess, migratedServer } from '../call/connections.ts';
import type { CallContext } from '../call/context.ts';
import { statedEnvironment } from '../call/opened-api.ts';
import { requireOutFolder } from '../disk/file-system.ts';
import { RowEventFiles } from '../disk/log/read-run-log.ts';
import type { BatchRecord, Environment, LeasedBatch } from '../domain/batches/batch.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { factColumns } from '../kinds/answer.ts';
import { definitionsOf } from '../kinds/registry.ts';
import { referencesIn } from '../kinds/request.ts';
import * as restoring from '../ledger/after-sending/restore.ts';
import type { InputTable } from '../read/rows/input-table.ts';
import { openInputs } from '../read/sources/inputs.ts';
import { originalBatchesOf } from '../read/sources/inputs-of-call.ts';
import { keepReadings, readRules } from '../read/sources/stated-reading.ts';
import { requireEnded } from '../recover/batch-logs.ts';
import { ownerOf } from '../recover/compare-log.ts';
import {
  damagedLogs,
  keepLostObjects,
  knowsAllOf,
  type LogEvidence,
  type RecoveryLogs,
  readLogs,
  refusedRecovery,
  reportProofs,
} from '../recover/log-evidence.ts';
import type { LoggedRowEvent } from '../recover/logged-rows.ts';
import { type RestoredRows, restoreBatch } from '../recover/restore.ts';
import type { BatchHistory } from '../recover/run-history.ts';
import { closeUnsentRows, settleBatch } from '../send/batches/settle.ts';
import { whileHeld } from '../send/hold.ts';
import { withRun } from '../send/run.ts';
import { type HeldTable, Staging } from '../send/staging.ts';
import { notedForSeries } from '../watch/series.ts';
import { judgeAgain, matchingInputTable } from './recovered-file.ts';

/** A batch of a lost ledger. */
interface RecoverRequest extends RecoveryLogs {
  /** Path of the same file that was imported. */
  readonly file: string;
}

/**
 * Stages the file again under its batch, and restores the key and the result of every row from the log. If the log is
 * damaged, rows that may have been sent are held. Nothing is sent. Institutions are read from the API if a row names an
 * institution, since its request cannot be rebuilt without them.
 */
export async function recover(app: CallContext, request: RecoverRequest): Promise<WrittenBatches> {
  await requireOutFolder(app.settings.output);
  const events = await RowEventFiles.create<LoggedRowEvent>();
  try {
    return await recoverFrom(app, request, await readLogs(app, request, events));
  } finally {
    await events.remove();
  }
}

async function recoverFrom(
  app: CallContext,
  request: RecoverRequest,
  evidence: LogEvidence,
): Promise<WrittenBatches> {
  const { file, logs } = request;
  const { history } = evidence;
  requireQuiet(app, logs, history);
  reportProofs(app, request, evidence);
  const { settings, ask } = app;
  const rules = readRules(settings.reading.rules);
  const inputs = await openInputs([file], {
    settings,
    rules,
    ask,
    findOriginalBatch: originalBatchesOf(app),
  });
  const api = new LazyApi(app);
  try {
    const environment = await environmentOf(app, api, history);
    const inputTable = matchingInputTable(inputs, history, environment);
    return await recoverInto(app, await app.connections.ledger(), api, {
      ...evidence,
      inputTable,
      environment,
      logs,
    });
  } finally {
    await inputs.close();
  }
}

/**
 * Requires that no run still writes to the logs. A batch that is recovered from such a log would lack the rows that the run
 * sends next.
 */
function requireQuiet(
  app: CallContext,
  logs: readonly string[],
  { started, unfinished }: BatchHistory,
): void {
  for (const log of logs) {
    for (const run of unfinished) requireEnded(app, log, ownerOf(run));
    if (started === null) requireEnded(app, log, null);
  }
}

interface Recovery extends LogEvidence {
  readonly inputTable: InputTable;
  readonly environment: Environment;
  readonly logs: readonly string[];
}

/** The environment from the log. If the beginning of the log was cut off, the settings of the call have to state it. */
async function environmentOf(
  { settings }: CallContext,
  api: LazyApi,
  { started }: BatchHistory,
): Promise<Environment> {
  if (started !== null) return { mode: started.mode, origin: started.origin };
  const stated = settings.api.localSandbox ? (await api.target()).environment : statedEnvironment(settings);
  if (stated !== undefined) return stated;
  throw refusedRecovery(
    'environment_unclear',
    'The run log does not say which API its batch was sent to: its beginning was cut off.',
    { action: 'set', oneOf: [{ setting: 'mode' }, { setting: 'baseUrl' }], effect: 'as at the import' },
  );
}

async function recoverInto(
  app: CallContext,
  access: LedgerAccess,
  api: LazyApi,
  recovery: Recovery,
): Promise<WrittenBatches> {
  const { history, environment } = recovery;
  if (environment.mode === 'live' && access.ledger.isEmbedded) {
    throw new PaybatchError(
      'database_missing',
      'This is a live batch, which belongs on a PostgreSQL server.',
      migratedServer,
    );
  }
  const staging = new Staging(access.verbs, app.clock);
  let own: LeasedBatch | undefined;
  let rows: RestoredRows = { restored: 0, held: 0, shown: 0 };
  try {
    const holding = { command: 'recover', actor: app.actor, ofClosed: true };
    await staging.hold([recovery.inputTable], environment, holding);
    for (const table of staging.held) await stageAgain(app, access, api, staging, table, history);
    staging.requireNoneRefused();
    await keepReadings(access.verbs, staging.batches, [recovery.inputTable], environment);
    // Restored before the batch is accepted: a batch that is accepted without its keys would be sent under new ones.
    for (const held of staging.batches) rows = await restoreHeld(app, access, held, recovery);
    staging.requireHeld();
    [own] = await staging.accept(staging.batches);
  } catch (error) {
    await staging.giveUp();
    throw error;
  } finally {
    staging.end();
  }
  if (own === undefined) throw new Error('a batch was taken in and is not there');
  return endRecoveredRun(app, access, own, { ...recovery, rows });
}

/** Writes the rows of a batch that the ledger has lost. */
async function stageAgain(
  app: CallContext,
  { verbs }: LedgerAccess,
  api: LazyApi,
  staging: Staging,
  table: HeldTable,
  history: BatchHistory,
): Promise<void> {
  const { own, inputTable } = table;
  const { id } = own.batch;
  if (!own.isNew) return;
  const judged = judgeAgain(app, verbs, api, history, { batch: own.batch, inputTable });
  try {
    await staging.stage(table, notedForSeries(verbs, id, inputTable, judged));
  } catch (error) {
    staging.refuse(inputTable, error);
  }
}

/**
 * Restores a batch from its logs. The batch was either staged again, or is in a ledger that was restored from a backup.
 * Also records which logs were used, since this ledger does not know what others write to them from now on.
 */
async function restoreHeld(
  app: CallContext,
  access: LedgerAccess,
  held: LeasedBatch,
  recovery: Recovery,
): Promise<RestoredRows> {
  const { history, logs } = recovery;
  const verbs = access.verbsWith(restoring);
  const { batch, run } = held;
  // Done before the rows get their states: rows that correct others, or are other readings of them, must be marked first.
  for (const id of await verbs.listRelatives(batch.id)) await verbs.markOrigins(id);
  const restored = await restoreBatch({
    ledger: verbs,
    references: referencesIn(verbs, batch.environmentId, []),
    batchId: batch.id,
    runId: run.id,
    history,
    isLedgerWhole: !held.isNew && (await knowsAllOf(verbs, batch, recovery)),
  });
  if (history.isClosed) {
    await verbs.keepLoggedClosing(batch.id);
    await closeUnsentRows(verbs, batch.id);
  }
  for (const log of logs) {
    await verbs.noteRunLog(run.id, resolve(log));
    if (!held.isNew) await keepLostObjects(verbs, batch, log);
  }
  const wasKnown = restored.restored === 0 && !held.isNew;
  app.report({ kind: 'note', note: { code: 'rows_recovered', rows: restored.restored, wasKnown } });
  if (restored.shown > 0) app.report({ kind: 'note', note: { code: 'rows_shown', rows: restored.shown } });
  return restored;
}

async function endRecoveredRun(
  app: CallContext,
  access: LedgerAccess,
  own: LeasedBatch,
  recovered: Recovery & { readonly rows: RestoredRows },
): Promise<WrittenBatches> {
  const { batch } = own;
  const failure = damagedLogs(batch, recovered);
  const outcome = failure?.kind ?? 'done';
  const { account } = await whileHeld(app, access, [own], (leases) =>
    withRun(app, access, own, { kind: 'decides', outcomeOf: () => outcome, leases }, async () => {
      await settleBatch(app, access.verbs, batch.id);
      await keepHandedOver(app, batch, recovered.rows.shown > 0);
    }),
  );
  const { mode, origin } = batch;
  return { outcome, batches: [account], failure, environment: { mode, origin } };
}

/**
 * Keeps result files that must not be overwritten. A run log lacks the API's answers, so files that still have them are
 * kept. Results that are evidence against the log are kept as well.
 */
async function keepHandedOver(app: CallContext, batch: BatchRecord, hasEvidence: boolean): Promise<void> {
  const { results, objects, instructions } = existingFiles(app.settings.output.out, batch);
  const handedOver = factColumns(definitionsOf(batch.kind)).length === 0 ? [] : [objects, instructions];
  const kept = await setAside([...handedOver, hasEvidence ? results : null].flatMap((path) => path ?? []));
  if (kept.length === 0) return;
  app.report({ kind: 'note', note: { code: 'files_kept', paths: kept } });
}
