import { randomUUID } from 'node:crypto';
import { type BatchRecord, type RunRecord, shortBatchId } from '../domain/batches/batch.ts';
import type { CallOutcome } from '../domain/failures/call-outcome.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { isVerdict, type RowToResolve, verdicts } from '../domain/rows/ledger-row.ts';
import { inScratch } from '../ledger/connection/scratch.ts';
import { bindVerbs, type LedgerVerbs } from '../ledger/verbs.ts';
import { fillInIds, naturalKeyOf } from '../pipeline/requests/request.ts';
import { startHeartbeat } from '../pipeline/run/heartbeat.ts';
import { holdBatch } from '../pipeline/staging/stage-input.ts';
import {
  type DecidedPage,
  type DecidedVerdict,
  decideVerdicts,
  FoundProblems,
  refusedVerdicts,
  resolvedEvent,
} from '../reconcile/verdicts/decide-rows.ts';
import type { GivenVerdict } from '../reconcile/verdicts/decision.ts';
import { noteRepeatedVerdicts } from '../reconcile/verdicts/repeated-verdicts.ts';
import { definitionNamed } from '../resources/registry.ts';
import { requireLedgerOfLogs } from './access/batch-logs.ts';
import { findNamedBatch, referencesIn, requireDurableLedger } from './access/ledger-access.ts';
import type { LedgerAccess } from './connections/connections.ts';
import { writeBatchFiles } from './files/files-of-batch.ts';
import { requireOutFolder } from './files/out-folder.ts';
import { type GivenVerdicts, oneVerdict, openVerdictFile } from './resolving/given.ts';
import type { CallContext } from './running/context.ts';
import type { WrittenBatches } from './running/result.ts';
import { openLogOfRun, settleBatch } from './sending/log-of-run.ts';

export { isVerdict, verdicts };

/** Verdicts of a person on rows of one batch. */
export interface ResolveRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  readonly verdicts: GivenVerdict | { readonly file: string };
}

/** Verdicts that are recorded. */
interface ResolveResult extends WrittenBatches {
  /** How many there are. */
  readonly recorded: number;
}

/** Records verdicts on rows of one batch, all of them or none, and writes its result files again. */
export async function resolveRows(app: CallContext, request: ResolveRequest): Promise<ResolveResult> {
  await requireOutFolder(app.settings.output);
  const { verdicts } = request;
  const given = 'file' in verdicts ? await openVerdictFile(verdicts.file) : oneVerdict(verdicts);
  try {
    return await resolveIn(app, await app.connections.ledger(), request.batch, given);
  } finally {
    await given.close();
  }
}

async function resolveIn(
  app: CallContext,
  access: LedgerAccess,
  named: string,
  given: GivenVerdicts,
): Promise<ResolveResult> {
  const { verbs } = access;
  const batch = await findNamedBatch(verbs, named);
  // A verdict is somebody's word on real money: a power cut must not take it back.
  if (batch.mode === 'live') await requireDurableLedger(access);
  const run = await holdBatch(batch, { ledger: verbs, command: 'resolve', newRunId: randomUUID });
  const heartbeat = startHeartbeat({
    ledger: verbs,
    clock: app.clock,
    runId: run.id,
    batchId: batch.id,
    onLost: () => {},
  });
  let outcome: CallOutcome = 'usage';
  try {
    await requireLedgerOfLogs(app, verbs, [{ batch, run, isNew: false }]);
    await requireSuitable(access, batch, given);
    const recorded = await recordVerdicts(app, access, batch, run, given);
    await settleBatch(app, verbs, batch.id);
    outcome = 'done';
    const summary = await writeBatchFiles(app, verbs, batch, {
      runId: run.id,
      outcome: () => 'done',
    });
    const environment = { mode: batch.mode, origin: batch.origin };
    return { outcome, batches: [summary], failure: null, environment, recorded };
  } finally {
    heartbeat.stop();
    await verbs.endRun(run.id, outcome);
  }
}

/**
 * Looks at all verdicts without a change, page by page.
 * @throws PaybatchError that says that there is none, or lists every row whose verdict does not suit it, by number
 */
async function requireSuitable(
  { ledger, verbs }: LedgerAccess,
  batch: BatchRecord,
  given: GivenVerdicts,
): Promise<void> {
  const problems = new FoundProblems();
  await inScratch(ledger.database, (sql) => noteRepeatedVerdicts(sql, given.pages(problems), problems));
  let count = 0;
  for await (const page of given.pages()) {
    count += page.length;
    const { problems: found } = await decidePage(verbs, batch, page);
    for (const problem of found) problems.add(problem);
  }
  if (problems.count === 0 && count === 0) throw withoutVerdict(given);
  if (problems.count > 0) throw refusedVerdicts(problems, batch, given.source);
}

/** A file that came back as it was sent out is a mistake of whoever calls. */
function withoutVerdict({ source: { name } }: GivenVerdicts): PaybatchError {
  return new PaybatchError(
    'verdicts_missing',
    `${name} has no verdict: its column "verdict" is empty in every line. Nothing was changed.`,
    `fill in its column "verdict": ${verdicts.join(', ')}`,
  );
}

/**
 * Records verdicts that suit their rows, all of them or none. The log has a verdict before the ledger acts on
 * it, as it has a key before its request is sent.
 * @returns how many there are
 */
async function recordVerdicts(
  app: CallContext,
  { verbs }: LedgerAccess,
  batch: BatchRecord,
  run: RunRecord,
  given: GivenVerdicts,
): Promise<number> {
  let recorded = 0;
  const runLog = await openLogOfRun(app, verbs, { batch, run });
  try {
    for await (const decided of decidedPages(verbs, batch, given)) {
      recorded += decided.length;
      runLog.append(decided.map(resolvedEvent));
      await runLog.flush();
    }
    const by = { runId: run.id, user: app.actor.name };
    const isRecorded = await verbs.writeVerdicts(batch.id, by, (transaction) =>
      decidedPages(bindVerbs(transaction), batch, given),
    );
    if (!isRecorded) throw movedOn(batch);
    return recorded;
  } finally {
    await runLog.close();
  }
}

function movedOn(batch: BatchRecord): PaybatchError {
  return new PaybatchError(
    'row_moved_on',
    'A row moved on while the verdicts were being recorded. Nothing was changed.',
    { action: 'reconcile', batch: shortBatchId(batch.id), environment: batch },
  );
}

async function* decidedPages(
  verbs: LedgerVerbs,
  batch: BatchRecord,
  given: GivenVerdicts,
): AsyncGenerator<readonly DecidedVerdict[]> {
  for await (const page of given.pages()) {
    const { decided, problems } = await decidePage(verbs, batch, page);
    if (problems.length > 0) throw movedOn(batch);
    yield decided;
  }
}

function decidePage(
  verbs: LedgerVerbs,
  batch: BatchRecord,
  page: readonly GivenVerdict[],
): Promise<DecidedPage> {
  return decideVerdicts(page, batch, {
    findRows: (rows) => verbs.findRowsToResolve(batch.id, rows),
    findOtherObjects: (rows) => findOtherObjects(verbs, batch, rows),
    findCreators: (ids) => verbs.findCreators(batch.id, ids),
  });
}

/** The objects that other rows created for the same natural keys, or as members of the same families, by row. */
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
  const rivals = await references.findRivals(
    batch.id,
    known.map(({ row }) => row),
  );
  const ofFamilies = [...rivals].flatMap(([row, { objectId }]) =>
    objectId === null ? [] : [[row, objectId] as const],
  );
  return new Map([
    ...ofFamilies,
    ...known.flatMap(({ row }, at) => {
      const owner = owners.get(keys[at]?.toString('hex') ?? '');
      const isOther = owner !== undefined && (owner.batch !== batch.id || owner.row !== row);
      return isOther && owner.objectId !== null ? [[row, owner.objectId] as const] : [];
    }),
  ]);
}
