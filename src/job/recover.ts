import { randomUUID } from 'node:crypto';
import type { BatchRecord } from '../domain/batches/batch.ts';
import { shortBatchId } from '../domain/batches/batch.ts';
import { exitCodes } from '../domain/failures/exit-code.ts';
import { Failure } from '../domain/failures/failure.ts';
import type { StagedRow } from '../domain/rows/ledger-row.ts';
import { RowEventFiles } from '../output/log/row-events.ts';
import { readRunLog } from '../output/log/run-log.ts';
import { setAside } from '../output/objects/set-aside.ts';
import { countOf } from '../output/words/wording.ts';
import { batchIdOf, type HeldBatch, type Intake, takeIn } from '../pipeline/intake/take-in.ts';
import { restoreBatch } from '../pipeline/recovery/restore.ts';
import {
  type BatchHistory,
  type LoggedEvent,
  type RowEvent,
  type RowHistories,
  readHistory,
} from '../pipeline/recovery/run-history.ts';
import { factColumns } from '../resources/facts.ts';
import { definitionNamed, definitionsOf } from '../resources/registry.ts';
import { openDirectory } from './access/api-access.ts';
import { LazyApi } from './access/judging-access.ts';
import { type LedgerAccess, openLedger } from './access/ledger-access.ts';
import { referencesIn } from './access/references-in.ts';
import { existingFiles, writeBatchFiles } from './files/files-of-batch.ts';
import { requireOutFolder } from './files/out-folder.ts';
import { firstRoundsOf } from './reading/first-rounds.ts';
import { type OpenInputs, openInputs } from './reading/inputs.ts';
import { judgeIntake, readRules } from './reading/judging.ts';
import { keepReadings } from './reading/kept-readings.ts';
import type { JobContext } from './running/context.ts';
import type { WrittenBatches } from './running/result.ts';
import { whileHeld } from './sending/planning.ts';

/** A lost ledger's batch. */
export interface RecoverRequest {
  /** Path of the very file that was imported. */
  readonly file: string;
  /** Paths of the batch's run logs: several if it ran in several places. */
  readonly logs: readonly string[];
}

/**
 * Stages the file again under its batch and gives every row the key and the end that the log tells of.
 * Nothing is sent; institutions are read if a row names one, for its request cannot be rebuilt without.
 */
export async function recover(app: JobContext, { file, logs }: RecoverRequest): Promise<WrittenBatches> {
  requireOutFolder(app.settings);
  const events = await RowEventFiles.create<RowEvent>();
  try {
    return await recoverFrom(app, file, await historyOf(app, logs, events));
  } finally {
    await events.remove();
  }
}

async function recoverFrom(app: JobContext, file: string, history: BatchHistory): Promise<WrittenBatches> {
  const rules = readRules(app.settings.rules);
  const inputs = await openInputs([file], app.settings, rules, firstRoundsOf(app));
  const api = new LazyApi(app);
  try {
    const intake = matchingIntake(inputs, history);
    const access = await openLedger(app.settings, app.environment);
    try {
      return await recoverInto(app, access, api, { history, intake });
    } finally {
      await access.close();
    }
  } finally {
    await api.close();
    await inputs.close();
  }
}

interface Recovery {
  readonly history: BatchHistory;
  readonly intake: Intake;
}

async function historyOf(
  app: JobContext,
  logs: readonly string[],
  events: RowEventFiles<RowEvent>,
): Promise<BatchHistory> {
  try {
    return await readHistory(eventsOf(app, logs), {
      add: (event) => events.add(event),
      read: (firstRow, lastRow) => events.read(firstRow, lastRow),
    });
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'Error') throw error;
    throw refused(
      'log_unusable',
      `The run log cannot be used: ${error.message}.`,
      'give the logs of one batch',
    );
  }
}

async function* eventsOf(app: JobContext, logs: readonly string[]): AsyncGenerator<LoggedEvent> {
  for (const log of logs) {
    const torn: Torn = { count: 0, lines: new Set() };
    const noteTorn = (line: number): void => {
      torn.count += 1;
      if (torn.lines.size < tornShown) torn.lines.add(line);
    };
    for await (const event of readRunLog(log, noteTorn)) {
      switch (event.event) {
        case 'run.started':
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
function reportTorn({ report }: JobContext, log: string, torn: Torn): void {
  if (torn.count === 0) return;
  const lines = [...torn.lines].join(', ');
  report({
    kind: 'note',
    text: `${log}: passed over ${countOf(torn.count, 'event')} that a full disk or the end of a run cut off (line ${lines}).`,
  });
}

/** The table of the file that the log is about: the same bytes, read in the same way. */
function matchingIntake({ intakes }: OpenInputs, { batch, started }: BatchHistory): Intake {
  const environment = { mode: started.mode, origin: started.origin };
  const match = intakes.find((intake) => batchIdOf(intake, environment) === batch);
  if (match !== undefined) return match;
  const isSameContent = intakes.some(({ contentHash }) => contentHash === started.content_hash);
  throw refused(
    'other_file',
    isSameContent
      ? 'The file is the one of the run log, but it is read in another way now.'
      : 'The file is not the one that the run log is about.',
    isSameContent
      ? 'give the --mapping, --delimiter, --encoding and --kind of the import'
      : 'give the very file that was imported, unchanged',
  );
}

async function recoverInto(
  app: JobContext,
  access: LedgerAccess,
  api: LazyApi,
  recovery: Recovery,
): Promise<WrittenBatches> {
  const { history } = recovery;
  const { mode, origin } = history.started;
  if (mode === 'live' && access.ledger.isEmbedded) {
    throw new Failure(
      exitCodes.usage,
      'database_missing',
      'This is a live batch, which belongs on a PostgreSQL server.',
      { before: 'set DATABASE_URL, then: ', words: ['migrate'], needs: 'no_options' },
    );
  }
  const [held] = await takeIn([recovery.intake], {
    ledger: access.verbs,
    environment: { mode, origin },
    command: 'recover',
    importId: randomUUID(),
    newRunId: randomUUID,
    clock: app.clock,
    judge: (intake, batch) => judgeKnowing(app, access, api, recovery, intake, batch.environmentId),
    onRows: () => {},
    // A batch that stood without its keys would be sent under new ones.
    beforeAccepting: async (staged) => {
      await keepReadings(access.verbs, staged, [recovery.intake], { mode, origin });
      await restoreStaged(app, access, staged, history);
    },
  });
  if (held === undefined) throw new Error('a batch was taken in and is not there');
  return writeOut(app, access, held);
}

function stillThere({ batch }: HeldBatch): Failure {
  const id = shortBatchId(batch.id);
  return new Failure(
    exitCodes.usage,
    'batch_not_lost',
    `Batch ${id} is in this ledger: there is nothing to recover.`,
    { words: ['resume', id], needs: 'place', environment: batch },
  );
}

/** A row with a key was valid when it was sent, whatever today's rules say of it. */
async function* judgeKnowing(
  app: JobContext,
  { verbs }: LedgerAccess,
  api: LazyApi,
  { history }: Recovery,
  intake: Intake,
  environmentId: number,
): AsyncGenerator<StagedRow[]> {
  const client: Parameters<typeof openDirectory>[0] = {
    get: async (path, query) => (await api.client()).get(path, query),
  };
  const directory = openDirectory(client, verbs, environmentId, app);
  const references = referencesIn(verbs, environmentId, []);
  const unlimited = { ...app, settings: { ...app.settings, 'max-invalid': undefined } };
  for await (const rows of judgeIntake(unlimited, { directory, corrections: verbs }, intake, references)) {
    const [first, last] = [rows[0]?.row ?? 0, rows.at(-1)?.row ?? 0];
    const known = await history.between(first, last);
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
  const objectId = rested.state === 'existing' ? rested.objectId : null;
  const code = rested.state === 'existing' ? 'existing' : (rested.code ?? 'recovered');
  const reason = { code, field: null, message: 'As the run log has it.' };
  return { ...row, state: rested.state, objectId, reason };
}

function asStaged(row: StagedRow): StagedRow {
  if (row.resource === null) {
    throw refused(
      'row_unreadable',
      `Row ${row.row} was sent under a key, and its payee type cannot be read now.`,
      'give the --mapping and --rules of the import',
    );
  }
  return { ...row, state: 'staged', sameAs: null, objectId: null, reason: null };
}

async function restoreStaged(
  app: JobContext,
  access: LedgerAccess,
  staged: readonly HeldBatch[],
  history: BatchHistory,
): Promise<void> {
  for (const held of staged) {
    if (!held.isNew) throw stillThere(held);
    const { batch, run } = held;
    const restored = await whileHeld(app, access, staged, () =>
      restoreBatch({
        ledger: access.verbs,
        references: referencesIn(access.verbs, batch.environmentId, []),
        batchId: batch.id,
        runId: run.id,
        history,
        definitionNamed,
      }),
    );
    const text = `${countOf(restored, 'row')} ${restored === 1 ? 'has its key and answer' : 'have their keys and answers'} back; nothing was sent.`;
    app.report({ kind: 'note', text });
  }
}

async function writeOut(
  app: JobContext,
  { verbs }: LedgerAccess,
  { batch, run }: HeldBatch,
): Promise<WrittenBatches> {
  const exitCode = exitCodes.done;
  await keepHandedOver(app, batch);
  const summary = await writeBatchFiles(app, verbs, batch, { runId: run.id, exitCode: () => exitCode });
  await verbs.endRun(run.id, exitCode);
  const { mode, origin } = batch;
  return { exitCode, batches: [summary], failure: null, environment: { mode, origin } };
}

/** A run log does not have what the API answered, so the files that still tell of it are not written over. */
async function keepHandedOver(app: JobContext, batch: BatchRecord): Promise<void> {
  if (factColumns(definitionsOf(batch.kind)).length === 0) return;
  const { objects, instructions } = existingFiles(app, batch);
  const kept = await setAside([objects, instructions].flatMap((path) => path ?? []));
  if (kept.length === 0) return;
  app.report({ kind: 'note', text: `What was handed over before is kept: ${kept.join(', ')}.` });
}

function refused(code: string, message: string, next: string): Failure {
  return new Failure(exitCodes.fileRefused, code, message, next);
}
