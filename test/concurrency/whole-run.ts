import { asFailure } from '../../src/call/start.ts';
import type { LeasedBatch } from '../../src/domain/batches/batch.ts';
import {
  type CallOutcome,
  gravest,
  outcomeOfRows,
  PaybatchError,
} from '../../src/domain/failures/paybatch-error.ts';
import type { StagedRow } from '../../src/domain/rows/ledger-row.ts';
import type { StatusCounts } from '../../src/domain/rows/row-state.ts';
import { createDirectory } from '../../src/kinds/institutions/directory.ts';
import { referencesIn } from '../../src/kinds/request.ts';
import { holdBatch } from '../../src/send/hold.ts';
import { leaseInMs, startHeartbeat } from '../../src/send/lease.ts';
import { processBatch } from '../../src/send/process-batch.ts';
import { recheckInstitutions } from '../../src/send/recheck.ts';
import { endWithFiles } from '../../src/send/run.ts';
import { Staging } from '../../src/send/staging.ts';
import { judged } from './batch-plan.ts';
import { realMs, withWorldIntervals, worldClock } from './fast-time.ts';
import { resolveAsPerson } from './person.ts';
import type { Program, ProgramVerbs } from './program.ts';
import { historyOf, recoverRows, restoreAll } from './recovery.ts';
import { type MemoryRunLog, type NotedEvent, openRunLog, openSender } from './sending.ts';
import { type FiledRow, type RunEnd, readFiled, violate, type World } from './world.ts';

export type Command = 'import' | 'join' | 'resume' | 'retry' | 'resolve' | 'replay' | 'recover';

export const credential = 'key one';

/** A command as somebody starts it. */
export interface WholeRun {
  readonly command: Command;
  readonly concurrency: number;
  readonly maxAttempts: number;
}

/** What the parts of one whole run share. */
interface Running {
  readonly world: World;
  readonly program: Program;
  readonly run: WholeRun;
  readonly verbs: ProgramVerbs;
  readonly runLog: MemoryRunLog;
  readonly halt: AbortController;
  failure: PaybatchError | null;
  /** Runs that may be in the ledger as this program's. */
  readonly runIds: string[];
}

/**
 * A whole run as `src/cli` puts it together from the product's parts (`continue-batches.ts`, `preflight.ts`, `batch-work.ts`,
 * `resolve.ts`): hold the batch, check the institutions again, move on, decide who writes the files, write them, end.
 */
export async function runWhole(world: World, program: Program, run: WholeRun): Promise<RunEnd> {
  const running: Running = {
    world,
    program,
    run,
    verbs: narrowed(world, program.verbs),
    runLog: openRunLog(world, program),
    halt: new AbortController(),
    failure: null,
    runIds: [],
  };
  world.note(`${program.name} begins ${run.command}`);
  const end = await Promise.race([endOf(running), program.killed.then(() => whenKilled(running))]);
  world.note(`${program.name} ends ${end.outcome ?? 'without a word'}`);
  world.ends.push(end);
  return end;
}

async function endOf(running: Running): Promise<RunEnd> {
  const { world, program, run } = running;
  const named = { program: program.name, command: run.command };
  try {
    return { ...named, ...(await work(running)) };
  } catch (error) {
    const failure = asFailure(error);
    if (!(failure instanceof PaybatchError)) {
      violate(world, `${program.name} ${run.command} ends with 70: ${(error as Error).stack ?? error}`);
    }
    world.note(`${program.name} breaks off: ${error instanceof Error ? error.message : error}`);
    if (failure instanceof PaybatchError && failure.kind === 'busy') {
      return { ...named, outcome: 'busy', hasWrittenFiles: false };
    }
    return whenKilled(running);
  }
}

/** Its process is gone, and a run on the same host sees that. */
async function whenKilled({ world, program, run, runIds }: Running): Promise<RunEnd> {
  world.goneRuns.push(...runIds);
  for (const id of runIds) await world.markProcessGone(id);
  return { program: program.name, command: run.command, outcome: null, hasWrittenFiles: false };
}

type End = Pick<RunEnd, 'outcome' | 'hasWrittenFiles'>;

async function work(running: Running): Promise<End> {
  const { run, verbs, world } = running;
  if (run.command === 'import') return workOn(running, await takeItIn(running), false);
  if (run.command === 'recover')
    return writeAndEnd(
      running,
      await recover(running),
      () => {},
      () => 'done',
    );
  const batch = await verbs.findBatch(world.plan.id);
  if (batch === undefined || batch.rowCount === null) {
    return { outcome: 'usage', hasWrittenFiles: false };
  }
  const join = run.command === 'join';
  const holding = { command: run.command, newRunId: () => newRunId(running), actor, join };
  const own = { batch, run: await holdBatch(verbs, batch, holding), isNew: false };
  return workOn(running, own, join);
}

const actor = { name: 'ana', channel: 'library' };

function newRunId({ runIds, program }: Running): string {
  const id = program.random.uuid();
  runIds.push(id);
  return id;
}

/** With small groups, so that a few rows make several chunks and claims. */
function narrowed(world: World, verbs: ProgramVerbs): ProgramVerbs {
  return {
    ...verbs,
    listRowsToPrepare: (batch, after, limit, delayInMs) =>
      verbs.listRowsToPrepare(batch, after, Math.min(limit, world.rowsPerPreparation), delayInMs),
    writePreparations: (batch, run, preparations) =>
      verbs.writePreparations(batch, run, preparations, Math.ceil(world.rowsPerClaim / 2)),
    claimRows: (request) =>
      verbs.claimRows({ ...request, limit: Math.min(request.limit, world.rowsPerClaim) }),
  };
}

async function takeItIn(running: Running): Promise<LeasedBatch> {
  const { api, plan } = running.world;
  return stageRowsOf(running, 'import', () => plan.rows.map((row) => judged(row, api.banks)), null);
}

/** Rebuilds a lost batch in the ledger: every row with its key and final state in the run log. */
async function recover(running: Running): Promise<LeasedBatch> {
  const history = await historyOf(running.world);
  const rows = await recoverRows(running.world, history);
  return stageRowsOf(running, 'recover', () => rows, history);
}

/** @param history of the batch, which is restored before it is accepted; null for a batch that is new */
async function stageRowsOf(
  running: Running,
  command: Command,
  rowsNow: () => readonly StagedRow[],
  history: Awaited<ReturnType<typeof historyOf>> | null,
): Promise<LeasedBatch> {
  const { world, program, verbs } = running;
  const { identity } = world.plan;
  const columns = { sheet: null, header: ['account_number'], headerRow: 1, notes: [] };
  const inputTable = {
    fileName: 'recipients.csv',
    path: 'recipients.csv',
    contentHash: identity.contentHash,
    readingHash: identity.readingHash,
    table: { ...columns, rows: () => unread() },
    mapping: { kind: identity.kind, columns: [] },
    reading: {},
    rules: {},
    hidden: { count: 0, numbers: '' },
    hiddenChoice: null,
    corrected: { rows: 0 },
    readShare: () => 0,
  };
  const staging = new Staging(verbs, worldClock);
  try {
    const ids = { importId: program.random.uuid(), newRunId: () => newRunId(running) };
    await staging.hold([inputTable], identity.environment, { command, actor, ...ids });
    for (const table of staging.held) {
      if (!table.own.isNew) continue;
      await staging
        .stage(table, judgedRows(running, table.own, rowsNow))
        .catch((error) => staging.refuse(inputTable, error));
    }
    staging.requireNoneRefused();
    const known = history === null ? staging.batches : await restoreAll(verbs, staging.batches, history);
    const [held] = await staging.accept(known);
    if (held === undefined) throw new Error('a batch was taken in and is not there');
    return held;
  } catch (error) {
    await staging.giveUp();
    throw error;
  } finally {
    staging.end();
  }
}

async function* judgedRows(
  running: Running,
  { batch }: LeasedBatch,
  rowsNow: () => readonly StagedRow[],
): AsyncGenerator<readonly StagedRow[]> {
  const list = await directoryOf(running, batch.environmentId).snapshot('KE');
  await running.verbs.pinInstitutionList(batch.id, batch.environmentId, list);
  const rows = rowsNow();
  const half = Math.ceil(rows.length / 2);
  yield rows.slice(0, half);
  if (half < rows.length) yield rows.slice(half);
}

async function* unread(): AsyncGenerator<never[]> {}

/** The API's list of banks as it is now, kept in the ledger. */
function directoryOf({ world, verbs }: Running, environmentId: number): ReturnType<typeof createDirectory> {
  return createDirectory({
    fetchPage: async () => world.api.institutionsPage(),
    store: {
      load: (country) => verbs.loadInstitutionList(environmentId, country),
      save: (list) => verbs.saveInstitutionList(environmentId, list),
    },
    now: worldClock.now,
    maxAgeInMs: 0,
  });
}

async function workOn(running: Running, own: LeasedBatch, join: boolean): Promise<End> {
  const { program, verbs, run, world } = running;
  running.runLog.append([startedEvent(own, run.command)]);
  const heartbeat = withWorldIntervals(program, () =>
    startHeartbeat({
      ledger: verbs,
      clock: worldClock,
      runId: own.run.id,
      batchId: own.batch.id,
      onLost: (failure) => stop(running, failure),
    }),
  );
  try {
    if (run.command === 'resolve') {
      await resolveAsPerson(world, verbs, own, running.runLog);
      return await writeAndEnd(running, own, heartbeat.stop, () => 'done');
    }
    if (run.command === 'retry') await verbs.returnRejected(own.batch.id);
    if (!own.isNew && run.command !== 'replay') await recheck(running, own);
    if (!running.halt.signal.aborted) await processBatchOrStop(running, own, heartbeat.holds, join);
    return await writeAndEnd(running, own, heartbeat.stop);
  } finally {
    heartbeat.stop();
  }
}

function stop(running: Running, failure: PaybatchError): void {
  running.world.note(`${running.program.name} stops: ${failure.message}`);
  running.failure ??= failure;
  running.halt.abort();
}

async function recheck(running: Running, { batch }: LeasedBatch): Promise<void> {
  const { verbs, world, program } = running;
  const { changedCountries, movedRows } = await recheckInstitutions({
    ledger: verbs,
    directory: directoryOf(running, batch.environmentId),
    references: referencesIn(verbs, batch.environmentId, []),
    batch,
    openChecker: () => Promise.reject(new Error('no row of these files has an open payee type')),
  });
  if (changedCountries.length > 0) world.note(`${program.name} rechecks: ${movedRows} rows moved`);
}

async function processBatchOrStop(
  running: Running,
  own: LeasedBatch,
  holdsBatch: () => boolean | Promise<boolean>,
  join: boolean,
): Promise<void> {
  const { world, program, run, verbs, halt } = running;
  try {
    await processBatch({
      ledger: verbs,
      references: referencesIn(verbs, own.batch.environmentId, []),
      ...openSender(world, program, { ...run, stopSignal: halt.signal }),
      runLog: running.runLog,
      clock: worldClock,
      batchId: own.batch.id,
      run: own.run,
      leaseInMs,
      credential,
      keyLifetimeInMs: world.keyLifetimeInMs,
      approvalId: undefined,
      checkContent: undefined,
      payees: undefined,
      concurrency: run.concurrency,
      readAnswer: (definition, json) => definition.readAnswer(json, { customerIdPaths: ['data.id'] }),
      newKey: program.random.uuid,
      gather: () => program.sleep(2),
      rows: run.command === 'replay' ? 'in_doubt' : 'all',
      latestRunWasWhole: false,
      waitingCodes: [],
      waitingDelayInMs: 0,
      holdsBatch,
      halt,
      onNothingLeft: join ? () => awaitOthers(running, own) : undefined,
      onProgress: () => {},
    });
  } catch (error) {
    const failure = asFailure(error);
    if (!(failure instanceof PaybatchError)) throw error;
    stop(running, failure);
  }
}

async function awaitOthers({ verbs, program, halt }: Running, { batch, run }: LeasedBatch): Promise<boolean> {
  if (!(await verbs.hasRowsOfOtherRuns(batch.id, run.id))) return false;
  await program.sleep(realMs(1_000), halt.signal);
  await verbs.takeOverExpired(batch.id);
  return true;
}

/** The files come from the ledger alone; the run ends once they are written. */
async function writeAndEnd(
  running: Running,
  own: LeasedBatch,
  stopBeating: () => void,
  codeOf = (counts: StatusCounts): CallOutcome => outcomeFor(running, counts),
): Promise<End> {
  const { world, verbs } = running;
  const isFirstEnd = (await verbs.listRuns(own.batch.id)).every(({ outcome }) => outcome === null);
  const named = { id: own.run.id, batchId: own.batch.id };
  const { outcome } = await endWithFiles(verbs, named, async (writing) => {
    const rows = await readFiled(verbs, own.batch.id);
    if (writing === 1) running.runLog.append(unsentRows(rows, isFirstEnd ? '' : own.run.startedAt));
    await running.runLog.flush();
    world.files = rows;
    return { outcome: codeOf(countsOf(rows)) };
  });
  stopBeating();
  return { outcome, hasWrittenFiles: true };
}

/** As `endedUnsent` in `src/send/run-log.ts` has them. */
function unsentRows(rows: readonly FiledRow[], changedSince: string): NotedEvent[] {
  return rows.flatMap(({ row, attempts, status, idempotencyKey: key, objectId: id, code, changedAt }) =>
    attempts > 0 || status === 'not_sent' || status === 'unknown' || changedAt < changedSince
      ? []
      : [{ event: 'row.final' as const, row, key, attempt: 0, status, id, code }],
  );
}

function startedEvent({ batch, run }: LeasedBatch, command: Command): NotedEvent {
  return {
    run: run.id,
    host: null,
    process: null,
    event: 'run.started',
    mode: batch.mode,
    origin: batch.origin,
    sheet: batch.sheet,
    content_hash: batch.contentHash,
    reading_hash: batch.readingHash,
    credential: command === 'resolve' ? null : credential,
  };
}

function countsOf(rows: readonly { readonly status: string }[]): StatusCounts {
  const counts: Record<string, number> = {};
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function outcomeFor({ failure, halt }: Running, counts: StatusCounts): CallOutcome {
  const codes: CallOutcome[] = [outcomeOfRows(counts)];
  if (failure !== null) codes.push(failure.kind);
  const undone = (counts.not_sent ?? 0) + (counts.unknown ?? 0) + (counts.waiting ?? 0);
  if (halt.signal.aborted && undone > 0) codes.push('stopped');
  return gravest(codes);
}
