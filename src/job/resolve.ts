import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { shortBatchId } from '../domain/batch.ts';
import { type ExitCode, exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import type { BatchRecord, RunRecord } from '../domain/ledger-row.ts';
import { InputError } from '../input/input-error.ts';
import { openInput } from '../input/open.ts';
import type { RowToResolve } from '../ledger/after-sending/verdicts.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { openRunLog } from '../output/log/run-log.ts';
import { holdBatch } from '../pipeline/intake/take-in.ts';
import { fillInIds } from '../pipeline/requests/references.ts';
import { naturalKeyOf } from '../pipeline/requests/request.ts';
import { startHeartbeat } from '../pipeline/run/heartbeat.ts';
import type { ResolvePort } from '../reconcile/ports.ts';
import {
  commandLineSource,
  type DecidedVerdict,
  decideVerdicts,
  resolvedEvent,
  type VerdictSource,
} from '../reconcile/resolve.ts';
import { type GivenVerdict, isVerdict, verdicts } from '../reconcile/verdict.ts';
import { type FiledVerdicts, readVerdicts, type VerdictLine } from '../reconcile/verdict-file.ts';
import { definitionNamed } from '../resources/registry.ts';
import { requireDurableLedger } from './access/durability.ts';
import { findNamedBatch } from './access/find-batch.ts';
import { openLedger } from './access/ledger-access.ts';
import { referencesIn } from './access/references-in.ts';
import { userName } from './access/user-name.ts';
import { runLogPath, writeBatchFiles } from './files/files-of-batch.ts';
import { requireOutFolder } from './files/out-folder.ts';
import type { JobContext } from './running/context.ts';
import type { WrittenBatches } from './running/result.ts';

export { isVerdict, verdicts };

/** Verdicts of a person on rows of one batch. */
export interface ResolveRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  readonly verdicts: GivenVerdict | { readonly file: string };
}

/** Verdicts that are recorded. */
export interface ResolveResult extends WrittenBatches {
  /** How many there are. */
  readonly recorded: number;
}

/** Records verdicts on rows of one batch, all of them or none, and writes its result files again. */
export async function resolveRows(app: JobContext, request: ResolveRequest): Promise<ResolveResult> {
  requireOutFolder(app.settings);
  const verdicts = await readRequest(request);
  const access = await openLedger(app.settings, app.environment);
  try {
    const batch = await findNamedBatch(access.verbs, request.batch);
    // A verdict is somebody's word on real money: a power cut must not take it back.
    if (batch.mode === 'live') await requireDurableLedger(access);
    const run = await holdBatch(batch, {
      ledger: access.verbs,
      command: 'resolve',
      newRunId: randomUUID,
    });
    const heartbeat = startHeartbeat({
      ledger: access.verbs,
      clock: app.clock,
      runId: run.id,
      batchId: batch.id,
      onLost: () => {},
    });
    let exitCode: ExitCode = exitCodes.usage;
    try {
      const decided = await decideAll(access.verbs, batch, verdicts);
      await record(app, access.verbs, batch, run, decided);
      exitCode = exitCodes.done;
      const summary = await writeBatchFiles(app, access.verbs, batch, {
        runId: run.id,
        exitCode: () => exitCodes.done,
      });
      const environment = { mode: batch.mode, origin: batch.origin };
      return { exitCode, batches: [summary], failure: null, environment, recorded: decided.length };
    } finally {
      heartbeat.stop();
      await access.verbs.endRun(run.id, exitCode);
    }
  } finally {
    await access.close();
  }
}

/** The verdicts that were asked for, before anything is known about their rows. */
interface AskedVerdicts {
  readonly source: VerdictSource;
  readonly given: readonly GivenVerdict[];
}

async function readRequest({ verdicts }: ResolveRequest): Promise<AskedVerdicts> {
  if (!('file' in verdicts)) return { source: commandLineSource, given: [verdicts] };
  const { verdicts: given, problems } = await readVerdictFile(verdicts.file);
  return { source: { name: basename(verdicts.file), exitCode: exitCodes.fileRefused, problems }, given };
}

async function readVerdictFile(path: string): Promise<FiledVerdicts> {
  try {
    const isHeader = (cells: readonly string[]): boolean =>
      cells.includes('row') && cells.includes('verdict');
    const input = await openInput(path, { isHeader });
    try {
      const [table] = input.tables;
      const lines: VerdictLine[] = [];
      if (table !== undefined) for await (const group of table.rows()) lines.push(...group);
      return readVerdicts(basename(path), table?.header ?? [], lines);
    } finally {
      await input.close();
    }
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new Failure(exitCodes.fileRefused, error.code, `${path}: ${error.message}`, error.advice);
  }
}

async function decideAll(
  verbs: LedgerVerbs,
  batch: BatchRecord,
  { given, source }: AskedVerdicts,
): Promise<DecidedVerdict[]> {
  const standing = await verbs.findRowsToResolve(
    batch.id,
    given.map(({ row }) => row),
  );
  const port: ResolvePort = {
    findRows: async () => standing,
    findOtherObjects: (rows) => findOtherObjects(verbs, batch, rows),
    findCreators: (ids) => verbs.findCreators(batch.id, ids),
  };
  return decideVerdicts(given, batch, port, source);
}

/** The objects that other rows created for the same natural keys, by row. */
async function findOtherObjects(
  verbs: LedgerVerbs,
  batch: BatchRecord,
  rows: readonly Pick<RowToResolve, 'row' | 'resource' | 'record'>[],
): Promise<Map<number, string>> {
  const known = rows.flatMap(({ row, resource, record }) =>
    resource === null ? [] : [{ row, definition: definitionNamed(resource), record }],
  );
  const references = referencesIn(verbs, batch.environmentId, []);
  const resolved = await fillInIds(known, references);
  const keys = known.map(({ definition, record }, at) =>
    naturalKeyOf(definition, resolved[at]?.record ?? record),
  );
  const owners = await references.findKeyOwners(batch.kind, keys);
  return new Map(
    known.flatMap(({ row }, at) => {
      const owner = owners.get(keys[at]?.toString('hex') ?? '');
      const isOther = owner !== undefined && (owner.batch !== batch.id || owner.row !== row);
      return isOther && owner.objectId !== null ? [[row, owner.objectId] as const] : [];
    }),
  );
}

/** The log has a verdict before the ledger acts on it, as it has a key before its request is sent. */
async function record(
  app: JobContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  run: RunRecord,
  decided: readonly DecidedVerdict[],
): Promise<void> {
  const runLog = await openRunLog(runLogPath(app, batch), { batch: batch.id, now: app.clock.now });
  try {
    runLog.append(decided.map(resolvedEvent));
    await runLog.flush();
    const isRecorded = await verbs.writeVerdicts(batch.id, { runId: run.id, user: userName() }, decided);
    if (isRecorded) return;
    throw new Failure(
      exitCodes.stopped,
      'row_moved_on',
      'A row moved on while the verdicts were being recorded. Nothing was changed.',
      `paybatch reconcile ${shortBatchId(batch.id)}`,
    );
  } finally {
    await runLog.close();
  }
}
