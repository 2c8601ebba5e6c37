/* Rebuilds the batch of a lost ledger from its run logs and its source file. */

import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { BatchRecord, Environment } from '../domain/batches/batch.ts';
import type { ErrorCode } from '../domain/failures/error-codes.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { Remedies } from '../domain/failures/remedy.ts';
import type { StagedRow } from '../domain/rows/ledger-row.ts';
import type { LoggedCreation } from '../ledger/protocol/late-creations.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { RowEventFiles, readRunLog } from '../output/log/read-run-log.ts';
import { setAside } from '../output/objects/handed-over.ts';
import { ownerOf } from '../pipeline/recovery/compare-log.ts';
import { restedAt, restoreBatch } from '../pipeline/recovery/restore.ts';
import {
  type BatchHistory,
  type LoggedEvent,
  type LoggedRowEvent,
  type RowHistories,
  readHistory,
} from '../pipeline/recovery/run-history.ts';
import { batchIdOf, type InputTable, type LeasedBatch, stageInput } from '../pipeline/staging/stage-input.ts';
import { factColumns } from '../resources/answer.ts';
import { definitionNamed, definitionsOf } from '../resources/registry.ts';
import { openDirectory } from './access/api-access.ts';
import { requireEnded } from './access/batch-logs.ts';
import { LazyApi } from './access/judging-access.ts';
import { referencesIn } from './access/ledger-access.ts';
import { logHead } from './auditing/log-heads.ts';
import { type LedgerAccess, migratedServer } from './connections/connections.ts';
import { statedEnvironment } from './connections/opened-api.ts';
import { existingFiles, writeBatchFiles } from './files/files-of-batch.ts';
import { requireOutFolder } from './files/out-folder.ts';
import { type OpenInputs, openInputs } from './reading/inputs.ts';
import { judgeInputTable, readRules } from './reading/judging.ts';
import { keepReadings } from './reading/known-contents.ts';
import { originalBatchesOf } from './reading/original-batches.ts';
import { notedForSeries } from './reading/series.ts';
import { closeUnsentRows } from './resolving/closed-rows.ts';
import type { CallContext } from './running/context.ts';
import type { WrittenBatches } from './running/result.ts';
import { settleBatch } from './sending/log-of-run.ts';
import { whileLeased } from './sending/planning.ts';

/** The failure of a recovery whose logs or file are not what it needs: nothing was changed. */
function refusedRecovery(code: ErrorCode, message: string, next: Remedies): PaybatchError {
  return new PaybatchError(code, message, next, { kind: 'file_refused' });
}

/**
 * What the run logs of one batch tell of it.
 * @param events where the events of rows are kept meanwhile, since a log may be larger than memory
 * @throws PaybatchError (`file_refused`) when the logs are not those of one batch
 */
export async function historyOf(
  app: CallContext,
  logs: readonly string[],
  events: RowEventFiles<LoggedRowEvent>,
): Promise<BatchHistory> {
  try {
    return await readHistory(eventsOf(app, logs), {
      add: (event) => events.add(event),
      read: (firstRow, lastRow) => events.read(firstRow, lastRow),
    });
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'Error') throw error;
    throw refusedRecovery(
      'log_unusable',
      `The run log cannot be used: ${error.message}.`,
      'give the logs of one batch',
    );
  }
}

async function* eventsOf(app: CallContext, logs: readonly string[]): AsyncGenerator<LoggedEvent> {
  for (const log of logs) {
    const torn: Torn = { count: 0, lines: new Set() };
    const noteTorn = (line: number): void => {
      torn.count += 1;
      if (torn.lines.size < tornShown) torn.lines.add(line);
    };
    for await (const event of readRunLog(log, { onTorn: noteTorn })) {
      switch (event.event) {
        case 'run.started':
        case 'run.finished':
        case 'claim.made':
        case 'batch.closed':
        case 'row.staged':
        case 'row.answered':
        case 'row.final':
        case 'row.resolved':
          yield event;
          break;
        default:
          yield { event: 'other', batch: event.batch };
      }
    }
    reportTorn(app, log, torn);
  }
}

/** Events that were cut off, and the first lines that have one. */
interface Torn {
  count: number;
  readonly lines: Set<number>;
}

const tornShown = 10;

/** A row whose answer was cut off is `unknown`, and sent again under its own key. */
function reportTorn({ report }: CallContext, log: string, torn: Torn): void {
  if (torn.count === 0) return;
  report({
    kind: 'note',
    note: { code: 'log_torn', log, events: torn.count, lines: [...torn.lines] },
  });
}

const answersPerGroup = 1_000;

/**
 * Keeps objects that a run log tells of and no row has, as evidence.
 * @returns how many there are
 */
export async function keepLostObjects(verbs: LedgerVerbs, batch: BatchRecord, path: string): Promise<number> {
  let kept = 0;
  let group: LoggedCreation[] = [];
  const keep = async (): Promise<void> => {
    kept += await verbs.keepLoggedCreations(batch.id, group);
    group = [];
  };
  for await (const event of readRunLog(path)) {
    if (event.event !== 'row.answered' || event.outcome !== 'created' || event.id === null) continue;
    const { row, key: idempotencyKey, attempt: number, status: httpStatus, id: objectId } = event;
    group.push({ row, idempotencyKey, number, httpStatus, objectId });
    if (group.length >= answersPerGroup) await keep();
  }
  await keep();
  return kept;
}

/** A lost ledger's batch. */
interface RecoverRequest {
  /** Path of the very file that was imported. */
  readonly file: string;
  /** Paths of the batch's run logs: several if it ran in several places. */
  readonly logs: readonly string[];
}

/**
 * Stages the file again under its batch and gives every row the key and the end that the log tells of.
 * Nothing is sent; institutions are read if a row names one, for its request cannot be rebuilt without.
 */
export async function recover(app: CallContext, { file, logs }: RecoverRequest): Promise<WrittenBatches> {
  await requireOutFolder(app.settings.output);
  const events = await RowEventFiles.create<LoggedRowEvent>();
  try {
    return await recoverFrom(app, { file, logs }, await historyOf(app, logs, events));
  } finally {
    await events.remove();
  }
}

async function recoverFrom(
  app: CallContext,
  { file, logs }: RecoverRequest,
  history: BatchHistory,
): Promise<WrittenBatches> {
  requireQuiet(app, logs, history);
  const rules = readRules(app.settings.reading.rules);
  const inputs = await openInputs([file], app.settings, rules, originalBatchesOf(app), [], app.ask);
  const api = new LazyApi(app);
  try {
    const environment = await environmentOf(app, api, history);
    const inputTable = matchingInputTable(inputs, history, environment);
    return await recoverInto(app, await app.connections.ledger(), api, {
      history,
      inputTable,
      environment,
      logs,
    });
  } finally {
    await inputs.close();
  }
}

/** What is recovered from a log that a run still writes to lacks the rows that it sends next. */
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

interface Recovery {
  readonly history: BatchHistory;
  readonly inputTable: InputTable;
  readonly environment: Environment;
  readonly logs: readonly string[];
}

/** As the log tells; one whose beginning was cut off does not, so the call has to. */
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

/** The table of the file that the log is about: the same bytes, read in the same way. */
function matchingInputTable(
  { inputTables }: OpenInputs,
  { batch, started }: BatchHistory,
  environment: Environment,
): InputTable {
  const match = inputTables.find((inputTable) => batchIdOf(inputTable, environment) === batch);
  if (match !== undefined) return match;
  const isSameContent = inputTables.some(({ contentHash }) => contentHash === started?.content_hash);
  throw refusedRecovery(
    'other_file',
    isSameContent
      ? 'The file is the one of the run log, but it is read in another way now.'
      : 'The file is not the one that the run log is about.',
    isSameContent
      ? 'give the settings of the import again: mapping, delimiter, encoding and kind'
      : 'give the very file that was imported, unchanged',
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
  const [held] = await stageInput([recovery.inputTable], {
    ledger: access.verbs,
    environment,
    command: 'recover',
    ofClosed: true,
    importId: randomUUID(),
    newRunId: randomUUID,
    actor: app.actor,
    clock: app.clock,
    judge: (inputTable, batch) =>
      notedForSeries(
        access.verbs,
        batch.id,
        inputTable,
        judgeAgain(app, access, api, history, inputTable, batch.environmentId),
      ),
    onRows: () => {},
    // A batch that stood without its keys would be sent under new ones.
    beforeAccepting: async (staged) => {
      await keepReadings(access.verbs, staged, [recovery.inputTable], environment);
      for (const held of staged) await restoreHeld(app, access, held, recovery);
    },
  });
  if (held === undefined) throw new Error('a batch was taken in and is not there');
  return materialize(app, access, held);
}

/**
 * Gives a batch back what the logs tell of it, whether it was staged anew or is in a ledger that was restored from a
 * backup, and notes which logs these were: what they tell from now on, this ledger does not know.
 */
async function restoreHeld(
  app: CallContext,
  access: LedgerAccess,
  held: LeasedBatch,
  { history, logs }: Recovery,
): Promise<void> {
  const { verbs } = access;
  const { batch, run } = held;
  const restored = await whileLeased(app, access, [held], async () => {
    // Before rows that correct others become live, or read them in another way.
    for (const id of await verbs.listRelatives(batch.id)) await verbs.markOrigins(id);
    const rows = await restoreBatch({
      ledger: verbs,
      references: referencesIn(verbs, batch.environmentId, []),
      batchId: batch.id,
      runId: run.id,
      history,
      definitionNamed,
    });
    if (history.isClosed) {
      await verbs.keepLoggedClosing(batch.id);
      await closeUnsentRows(verbs, batch.id);
    }
    for (const log of logs) {
      await verbs.noteRunLog(run.id, resolve(log));
      if (!held.isNew) await keepLostObjects(verbs, batch, log);
    }
    return rows;
  });
  const wasKnown = restored === 0 && !held.isNew;
  app.report({ kind: 'note', note: { code: 'rows_recovered', rows: restored, wasKnown } });
}

async function materialize(
  app: CallContext,
  { verbs }: LedgerAccess,
  own: LeasedBatch,
): Promise<WrittenBatches> {
  const { batch, run } = own;
  const outcome = 'done';
  await settleBatch(app, verbs, batch.id);
  await keepHandedOver(app, batch);
  const summary = await writeBatchFiles(app, verbs, batch, { runId: run.id, outcome: () => outcome });
  await verbs.endRun(run.id, outcome);
  const auditHead = await logHead(app, verbs, own);
  const { mode, origin } = batch;
  return { outcome, batches: [{ ...summary, auditHead }], failure: null, environment: { mode, origin } };
}

/** A run log does not have what the API answered, so the files that still tell of it are not written over. */
async function keepHandedOver(app: CallContext, batch: BatchRecord): Promise<void> {
  if (factColumns(definitionsOf(batch.kind)).length === 0) return;
  const { objects, instructions } = existingFiles(app, batch);
  const kept = await setAside([objects, instructions].flatMap((path) => path ?? []));
  if (kept.length === 0) return;
  app.report({ kind: 'note', note: { code: 'files_kept', paths: kept } });
}

/**
 * Judges a file whose batch was in a ledger before: a row with a key was valid when it was sent, whatever today's
 * rules say of it.
 * @throws PaybatchError (`file_refused`) for a row that was sent and cannot be read now
 */
async function* judgeAgain(
  app: CallContext,
  { verbs }: LedgerAccess,
  api: LazyApi,
  history: BatchHistory,
  inputTable: InputTable,
  environmentId: number,
): AsyncGenerator<StagedRow[]> {
  const client: Parameters<typeof openDirectory>[0] = {
    get: async (path, query) => (await api.client()).get(path, query),
  };
  const directory = openDirectory(client, verbs, environmentId, app);
  const references = referencesIn(verbs, environmentId, []);
  const controls = { ...app.settings.controls, maxInvalid: undefined };
  const unlimited = { ...app, settings: { ...app.settings, controls } };
  const judging = {
    directory,
    corrections: verbs,
    wereSent: async (rows: readonly number[]) =>
      new Set((await history.between(rows[0] ?? 0, rows.at(-1) ?? 0)).rows.keys()),
    // Its rows were sent under this reading; a person hears of it before the others are.
    onContradiction: (error: PaybatchError): void =>
      app.report({ kind: 'note', note: { code: 'reading_contradicted', error } }),
  };
  for await (const rows of judgeInputTable(unlimited, judging, inputTable, references)) {
    const known = await history.between(rows[0]?.row ?? 0, rows.at(-1)?.row ?? 0);
    yield rows.map((row) => (known.rows.has(row.row) ? asStaged(row) : asItRested(row, known)));
  }
}

/**
 * A row that needed no request because of another batch's object, or of a person, needs none now either,
 * whether or not that batch is in this ledger.
 */
function asItRested(row: StagedRow, { resting }: RowHistories): StagedRow {
  const rested = resting.get(row.row);
  if (rested === undefined || (row.state !== 'staged' && row.state !== 'held')) return row;
  return { ...row, ...restedAt(row.row, rested) };
}

function asStaged(row: StagedRow): StagedRow {
  if (row.resource === null) {
    throw refusedRecovery(
      'row_unreadable',
      `Row ${row.row} was sent under a key, and its payee type cannot be read now.`,
      'give the settings of the import again: mapping and rules',
    );
  }
  return { ...row, state: 'staged', sameAs: null, objectId: null, reason: null };
}
