import { randomUUID } from 'node:crypto';
import { type BatchRecord, shortBatchId } from '../domain/batches/batch.ts';
import { exitCodes } from '../domain/failures/exit-code.ts';
import { Failure } from '../domain/failures/failure.ts';
import { RowEventFiles } from '../output/log/row-events.ts';
import { setAside } from '../output/objects/set-aside.ts';
import { countOf } from '../output/words/wording.ts';
import { batchIdOf, type HeldBatch, type Intake, takeIn } from '../pipeline/intake/take-in.ts';
import { restoreBatch } from '../pipeline/recovery/restore.ts';
import type { BatchHistory, RowEvent } from '../pipeline/recovery/run-history.ts';
import { factColumns } from '../resources/facts.ts';
import { definitionNamed, definitionsOf } from '../resources/registry.ts';
import { LazyApi } from './access/judging-access.ts';
import { type LedgerAccess, withLedger } from './access/ledger-access.ts';
import { referencesIn } from './access/references-in.ts';
import { existingFiles, writeBatchFiles } from './files/files-of-batch.ts';
import { requireOutFolder } from './files/out-folder.ts';
import { firstRoundsOf } from './reading/first-rounds.ts';
import { type OpenInputs, openInputs } from './reading/inputs.ts';
import { readRules } from './reading/judging.ts';
import { keepReadings } from './reading/kept-readings.ts';
import { judgeAgain } from './recovering/judge-again.ts';
import { historyOf } from './recovering/read-logs.ts';
import { refusedRecovery } from './recovering/refusal.ts';
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
  await requireOutFolder(app.settings);
  const events = await RowEventFiles.create<RowEvent>();
  try {
    return await recoverFrom(app, file, await historyOf(app, logs, events));
  } finally {
    await events.remove();
  }
}

async function recoverFrom(app: JobContext, file: string, history: BatchHistory): Promise<WrittenBatches> {
  const rules = readRules(app.settings.rules);
  return withLedger(app, async (ledger) => {
    const inputs = await openInputs([file], app.settings, rules, firstRoundsOf(app, ledger));
    const api = new LazyApi(app);
    try {
      const intake = matchingIntake(inputs, history);
      return await recoverInto(app, await ledger.open(), api, { history, intake });
    } finally {
      await api.close();
      await inputs.close();
    }
  });
}

interface Recovery {
  readonly history: BatchHistory;
  readonly intake: Intake;
}

/** The table of the file that the log is about: the same bytes, read in the same way. */
function matchingIntake({ intakes }: OpenInputs, { batch, started }: BatchHistory): Intake {
  const environment = { mode: started.mode, origin: started.origin };
  const match = intakes.find((intake) => batchIdOf(intake, environment) === batch);
  if (match !== undefined) return match;
  const isSameContent = intakes.some(({ contentHash }) => contentHash === started.content_hash);
  throw refusedRecovery(
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
    judge: (intake, batch) => judgeAgain(app, access, api, history, intake, batch.environmentId),
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
