/*
 * The use cases of reconciliation. One reconciles a batch, with an export if one is stated; if the request asks for it,
 * rows are sent again or differences are accepted first. The other compares two files with each other.
 */

import { createHash } from 'node:crypto';
import { keyLifetimeFor } from '../call/api-access.ts';
import type { LedgerAccess } from '../call/connections.ts';
import type { CallContext } from '../call/context.ts';
import {
  findNamedBatch,
  noteKeyAccepted,
  requireDurableLedger,
  requireSameEnvironment,
} from '../call/ledger-access.ts';
import type { OpenedApi } from '../call/opened-api.ts';
import { requireOutFolder } from '../disk/file-system.ts';
import { type BatchRecord, shortBatchId } from '../domain/batches/batch.ts';
import {
  AcceptedDifferences,
  type DecisionRecord,
  fingerprintOf,
  mostFingerprints,
  needsVerdict,
} from '../domain/batches/difference-decisions.ts';
import { PaybatchError, type Remedies } from '../domain/failures/paybatch-error.ts';
import type { FactsObstacle, RefilledFacts } from '../domain/rows/result-row.ts';
import type { DifferenceKind, FoundDifference, TakeDifferences } from '../domain/rows/row-state.ts';
import { repeatableAgeInMs } from '../domain/sending/retry-policy.ts';
import { factColumns } from '../kinds/answer.ts';
import { definitionsOf } from '../kinds/registry.ts';
import {
  type ComparedFiles,
  compareTwoFiles,
  type ReconcileResult,
  reconcileBatch,
} from '../reconcile/batches/batch.ts';
import type { BatchRequest, SidesRequest } from '../reconcile/batches/reconciliation.ts';
import { countOrigins, judgeReplay, nothingReplayed, type ReplayResult } from '../reconcile/replay.ts';
import { workOn } from '../send/batches/batch-work.ts';
import { openApi } from '../send/batches/continue-batches.ts';
import { readPermissions } from '../send/batches/permissions.ts';
import { holdBatch, requireKnownLogs } from '../send/hold.ts';
import type { ProcessBatchContext } from '../send/process-batch.ts';
import { refillFacts } from '../send/refill-facts.ts';
import { decideDifferences, differenceDecisions } from './difference-decisions.ts';

/** The result of a reconciliation, with the differences that were accepted. */
export interface ReconcileEnd extends ReconcileResult {
  /** Null if the request accepts nothing. */
  readonly accepting: AcceptedSelection | null;
}

/** Differences that are accepted, or would be. */
interface AcceptedSelection {
  readonly hash: string;
  readonly differences: number;
  /** Whether they were accepted, which requires their hash. */
  readonly isRecorded: boolean;
}

/** Accounts for every row of a batch; first sends unknown rows again if the request asks for that. */
export async function reconcile(app: CallContext, request: BatchRequest): Promise<ReconcileEnd> {
  await requireOutFolder(app.settings.output);
  if (request.accept !== undefined) return reconcileAndAccept(app, { ...request, accept: request.accept });
  const result = await (request.replay
    ? reconcileAfterReplay(app, request)
    : reconcileWithoutReplay(app, request));
  return { ...result, accepting: null };
}

/** Accepts differences that a person has seen, and reconciles again so that they are not reported any more. */
async function reconcileAndAccept(
  app: CallContext,
  request: BatchRequest & { readonly accept: NonNullable<BatchRequest['accept']> },
): Promise<ReconcileEnd> {
  const { accept, batch } = request;
  const { decisions } = await differenceDecisions(app, { batch });
  const open = new OpenDifferences(accept.kinds, decisions);
  const first = await reconcileWithoutReplay(app, { ...request, onDifferences: open.take });
  const hash = open.hash();
  const selection = { hash, differences: open.found.length };
  if (open.found.length === 0 || accept.selection?.toLowerCase() !== hash) {
    return { ...first, accepting: { ...selection, isRecorded: false } };
  }
  await decideDifferences(app, {
    batch,
    decision: 'accepted',
    assignedTo: null,
    note: accept.note,
    differences: open.found,
  });
  const again = await reconcileWithoutReplay(app, request);
  return { ...again, accepting: { ...selection, isRecorded: true } };
}

/** Compares two files with each other, without a ledger. */
export async function compareFiles(app: CallContext, request: SidesRequest): Promise<ComparedFiles> {
  await requireOutFolder(app.settings.output);
  return compareTwoFiles(app, request);
}

async function reconcileAfterReplay(app: CallContext, request: BatchRequest): Promise<ReconcileResult> {
  const { target, access } = await openApi(app);
  const batch = await findNamedBatch(access.verbs, request.batch);
  return reconcileBatch(app, access, batch, request, () => replay(app, access, target, batch));
}

async function reconcileWithoutReplay(app: CallContext, request: BatchRequest): Promise<ReconcileResult> {
  const access = await app.connections.ledger();
  const batch = await findNamedBatch(access.verbs, request.batch);
  return reconcileBatch(app, access, batch, request, null);
}

/** Number of answers that are used to measure the difference between the clocks of the other side and of the ledger. */
const timedAnswers = 200;

/**
 * Sends a batch's unknown rows again after a person has agreed. Also sends created rows again if a rebuilt ledger lacks
 * their answers.
 * @returns the results of the replay; null if no row has to be sent again
 * @throws PaybatchError when no person agreed, when the batch belongs elsewhere, or when the sending stopped
 */
async function replay(
  app: CallContext,
  access: LedgerAccess,
  target: OpenedApi,
  batch: BatchRecord,
): Promise<ReplayResult | null> {
  requireSameEnvironment(batch, target);
  const { unknown = 0 } = await access.verbs.countStatuses(batch.id);
  const missingResponses = await countMissing(app, access, target, batch);
  const askable = missingResponses.get(null) ?? 0;
  if (unknown === 0 && askable === 0)
    return missingResponses.size === 0 ? null : nothingToAskFor(missingResponses);
  if (app.settings.api.mode === 'live') await requireDurableLedger(access);
  await confirmReplay(app, access, batch, { rows: unknown, missingResponses: askable });
  return sendRowsAgain(app, access, target, batch, askable);
}

/** Counts the created rows for which the ledger lacks the answer; 0 for a kind whose answers contain no facts. */
async function countMissing(
  app: CallContext,
  { verbs }: LedgerAccess,
  { credential }: OpenedApi,
  batch: BatchRecord,
): Promise<ReadonlyMap<FactsObstacle | null, number>> {
  if (factColumns(definitionsOf(batch.kind)).length === 0) return new Map();
  const keyAgeInMs = repeatableAgeInMs(keyLifetimeFor(app, batch.mode));
  return verbs.countMissingResponses(batch.id, { credential, keyAgeInMs });
}

function nothingToAskFor(missingResponses: ReadonlyMap<FactsObstacle | null, number>): ReplayResult {
  const missing = new Map(
    [...missingResponses].flatMap(([obstacle, rows]): [FactsObstacle, number][] =>
      obstacle === null ? [] : [[obstacle, rows]],
    ),
  );
  return { ...nothingReplayed, facts: { filled: 0, missing } };
}

/** Asks a person to agree to a replay, since it may create objects that did not exist before. */
async function confirmReplay(
  app: CallContext,
  { verbs }: LedgerAccess,
  batch: BatchRecord,
  counts: { readonly rows: number; readonly missingResponses: number },
): Promise<void> {
  if (app.settings.sending.yes) return;
  const again = replayAgain(batch);
  const unprovenKey = await verbs.findUnprovenKey([batch.id]);
  const answer = await app.ask({ kind: 'replay', batch, ...counts, unprovenKey });
  if (answer === 'yes') return;
  const [message, next]: readonly [string, Remedies] =
    answer === 'nobody'
      ? ['A replay may create objects, and nobody has agreed to it.', { ...again, isAgreed: true }]
      : ['Nothing was sent: the answer was not "yes".', { ...again, effect: 'when it is right' }];
  throw new PaybatchError('replay_not_confirmed', message, next);
}

function replayAgain({ id, mode, origin }: BatchRecord) {
  const environment = { mode, origin };
  return { action: 'reconcile', batch: shortBatchId(id), replay: true, environment } as const;
}

async function sendRowsAgain(
  app: CallContext,
  access: LedgerAccess,
  target: OpenedApi,
  batch: BatchRecord,
  missingResponses: number,
): Promise<ReplayResult> {
  const { verbs } = access;
  let { facts } = nothingReplayed;
  const run = await holdBatch(verbs, batch, { command: 'reconcile', actor: app.actor });
  const held = await requireKnownLogs(app, access, [{ batch, run, isNew: false }]);
  const permissions = await readPermissions(verbs, held, true);
  const end = await workOn(app, access, target, held, {
    rows: 'in_doubt',
    permissions,
    afterMoving: async (context) => {
      if (missingResponses > 0) facts = await refill(app, access, target, batch, context, missingResponses);
    },
  });
  if (end.failure !== null) throw end.failure;
  if (app.interrupted.aborted) {
    // Answers that arrived before the interruption are recorded. Only another replay shows whether everything was sent.
    const message = 'The replay was interrupted. What had been answered is recorded.';
    throw new PaybatchError('interrupted', message, replayAgain(batch));
  }
  const timed = await verbs.findTimedAnswers(batch.environmentId, run.startedAt, timedAnswers);
  const began = new Date(run.startedAt);
  const counted = await countOrigins(
    (async function* () {
      for await (const rows of verbs.readReplayedRows(batch.id, run.id))
        yield judgeReplay(rows, began, timed);
    })(),
  );
  return { ...counted, facts };
}

async function refill(
  app: CallContext,
  { verbs }: LedgerAccess,
  target: OpenedApi,
  { id, mode }: BatchRecord,
  context: ProcessBatchContext,
  missingResponses: number,
): Promise<RefilledFacts> {
  app.report({ kind: 'step.started', step: 'asking', about: null, rows: missingResponses });
  const onProgress = (rows: number): void => app.report({ kind: 'step.advanced', rows });
  const keyAgeInMs = repeatableAgeInMs(keyLifetimeFor(app, mode));
  const facts = await refillFacts({ ...context, ledger: verbs, keyAgeInMs, onProgress });
  if (facts.filled > 0) await noteKeyAccepted(verbs, target, id);
  return facts;
}

/**
 * Collects the open differences of some kinds while a reconciliation finds them. Those about rows in doubt are counted
 * separately.
 */
class OpenDifferences {
  readonly found: FoundDifference[] = [];
  readonly #kinds: ReadonlySet<DifferenceKind>;
  readonly #accepted: AcceptedDifferences;

  constructor(kinds: readonly DifferenceKind[], decisions: readonly DecisionRecord[]) {
    this.#kinds = new Set(kinds);
    this.#accepted = new AcceptedDifferences(decisions);
  }

  readonly take: TakeDifferences = async (found) => {
    for (const each of found) {
      if (!this.#kinds.has(each.kind) || needsVerdict(each) || this.#accepted.accepts(each)) continue;
      // One more than the maximum of a decision is kept, which shows that there are too many.
      if (this.found.length <= mostFingerprints) this.found.push(each);
    }
  };

  /** A hash over the differences. A different hash means that something has changed. */
  hash(): string {
    const fingerprints = this.found.map(fingerprintOf).sort();
    return createHash('sha256').update(fingerprints.join('\n')).digest('hex').slice(0, 16);
  }
}
