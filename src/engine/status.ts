/*
 * What the ledger knows of batches: lists, one batch, one row; what needs a person; failed runs that a person puts
 * away; and result files written again.
 */

import { ChangesWatch, changesOfBatch } from '../account/batch-files/changes-of-batch.ts';
import { writeBatchFiles } from '../account/batch-files/files-of-batch.ts';
import { mostChangesReported } from '../account/changes.ts';
import { outcomeOf } from '../account/figures.ts';
import { failedRunsOf, placeOf, readAccounts } from '../account/read-accounts.ts';
import { type CallResult, noBatches, type WrittenBatches } from '../account/result.ts';
import { findRow, type RowView, rowViewOf } from '../account/row.ts';
import type { WorkSections } from '../account/tasks.ts';
import { mayBeSent, workSections } from '../account/worklist.ts';
import { keyLifetimesFor, noteAssumedLifetime } from '../call/api-access.ts';
import type { CallContext } from '../call/context.ts';
import { findNamedBatch, openToRead } from '../call/ledger-access.ts';
import { requireOutFolder } from '../disk/file-system.ts';
import {
  type BatchAccount,
  type PlanTotals,
  partsOfTime,
  type RunAccount,
  type RunOverTime,
  type ShownPlan,
} from '../domain/batches/account.ts';
import { type BatchRecord, sendingCommands } from '../domain/batches/batch.ts';
import type { ApprovalStanding, ChangesSummary, FailedRun } from '../domain/batches/batch-facts.ts';
import type { SeriesComparison } from '../domain/batches/last-time.ts';
import type { HaltInForce } from '../domain/controls/controls.ts';
import * as rowHistory from '../ledger/after-sending/row-history.ts';
import { type OpenWork, readOpenWork } from '../ledger/after-sending/worklist.ts';
import type { FailureToPutAway } from '../ledger/batches/failed-runs.ts';
import type { LedgerVerbs, VerbsWith } from '../ledger/verbs.ts';
import { currentPlan } from '../send/batches/planning.ts';
import { readHaltInForce } from './halt.ts';
import { KeptCounts } from './kept-counts.ts';

const batchesShown = 50;

/** The batches of a ledger, one of them, or one row of a batch. */
export interface StatusResult extends CallResult {
  /** The stop of everything that is in force; null where there is none. */
  readonly halt: HaltInForce | null;
  readonly shown:
    | { readonly kind: 'no_ledger' }
    /** The newest 50, the newest first; and runs that failed without a batch, the last ones first. */
    | {
        readonly kind: 'list';
        readonly batches: readonly BatchAccount[];
        readonly failedRuns: readonly FailedRun[];
      }
    | { readonly kind: 'batch'; readonly batch: BatchAccount }
    | { readonly kind: 'row'; readonly batch: BatchAccount; readonly row: RowView };
}

/** What to show: all batches, one of them, or one row of it. */
interface StatusRequest {
  /** A batch by its id, or by 4 or more of its first characters. */
  readonly batch?: string | undefined;
  /** A row of that batch by its number, as a spreadsheet program shows it. */
  readonly row?: number | undefined;
}

/**
 * Lists the newest batches, or describes one, or one row. Read only: nothing is sent or written.
 * @throws PaybatchError (`usage`) when there is no such batch or row
 */
export async function readStatus(app: CallContext, request: StatusRequest): Promise<StatusResult> {
  const end = { outcome: 'done', failure: null } as const;
  if (!app.connections.isLedgerThere()) {
    return { ...end, batches: [], halt: null, shown: { kind: 'no_ledger' } };
  }
  const verbs = (await openToRead(app)).verbsWith(rowHistory);
  const { batch } = request;
  const found =
    batch === undefined ? await verbs.listBatches(batchesShown) : [await findNamedBatch(verbs, batch)];
  const accounts = await readAccounts(verbs, found, placeOf(app));
  // Reported once, whatever is shown.
  if (found.some(({ mode }) => mode === 'live')) noteAssumedLifetime(app, 'live');
  const shown = await shownOf(app, verbs, request, found, accounts);
  return { ...end, batches: accounts, halt: await readHaltInForce(app, verbs), shown };
}

async function shownOf(
  app: CallContext,
  verbs: VerbsWith<typeof rowHistory>,
  request: StatusRequest,
  [record]: readonly BatchRecord[],
  accounts: readonly BatchAccount[],
): Promise<StatusResult['shown']> {
  const [batch] = accounts;
  if (request.batch === undefined || record === undefined || batch === undefined) {
    return { kind: 'list', batches: accounts, failedRuns: await failedRunsOf(verbs) };
  }
  if (request.row === undefined) return { kind: 'batch', batch };
  const history = await findRow(app, verbs, record, request.row);
  return { kind: 'row', batch, row: rowViewOf(history, batch) };
}

/**
 * Writes a batch's result files again, from the ledger alone.
 * @param request names the batch: its id, or 4 or more of its first characters
 */
export async function writeResults(
  app: CallContext,
  request: { readonly batch: string },
): Promise<WrittenBatches> {
  await requireOutFolder(app.settings.output);
  const { verbs } = await openToRead(app);
  const batch = await findNamedBatch(verbs, request.batch);
  const account = await writeBatchFiles(app, verbs, batch, null);
  const { environment } = account;
  return { outcome: outcomeOf(account), batches: [account], failure: null, environment };
}

/* What needs a person today, over all batches. */

/** What needs a person. */
export interface Worklist extends CallResult, WorkSections {
  /** The stop of everything that is in force; null where there is none. */
  readonly halt: HaltInForce | null;
  /** Runs that failed without a batch. */
  readonly failedRuns: readonly FailedRun[];
}

/** Maximum of batches with open rows that are checked. */
const mostBatches = 500;

/** Maximum of those that are checked for missing approvals. */
const mostApprovals = 100;

/**
 * Returns what needs a person. Read only: nothing is sent or written.
 * @param request the number of lines in each section
 */
export async function worklistOf(app: CallContext, request: { readonly limit: number }): Promise<Worklist> {
  const { limit } = request;
  const made = { limit, now: app.clock.now(), viewer: app.actor.name };
  if (!app.connections.isLedgerThere()) {
    return { ...noBatches, ...workSections(nothingOpen, new Map(), made), halt: null, failedRuns: [] };
  }
  const verbs = (await app.connections.ledgerToRead()).verbsWith({ readOpenWork });
  const work = await verbs.readOpenWork({
    batches: mostBatches,
    doubts: limit,
    keyLifetimeInMs: keyLifetimesFor(app),
  });
  const sections = workSections(work, await approvalsOf(verbs, work), made);
  const halt = await readHaltInForce(app, verbs);
  return { ...noBatches, ...sections, halt, failedRuns: await failedRunsOf(verbs) };
}

const nothingOpen: OpenWork = {
  batches: [],
  isCutShort: false,
  doubts: [],
  moreDoubts: 0,
  differences: [],
  runs: new Map(),
};

/** What the policy requires of the batches that have rows to send. */
async function approvalsOf(
  verbs: Pick<LedgerVerbs, 'readApprovals'>,
  { batches }: OpenWork,
): Promise<ReadonlyMap<string, ApprovalStanding>> {
  const asked = batches.filter(mayBeSent).slice(0, mostApprovals);
  return asked.length === 0 ? new Map() : verbs.readApprovals(asked.map(({ id }) => id));
}

/* A batch as a page shows it: its state, its plan, and the changes of its payees. */

/** A batch, its plan, and the first findings about its payees. */
export interface BatchOverview {
  readonly batch: BatchAccount;
  /**
   * What would be sent now, where a person decides about that; the latest plan where rows are being sent, or were sent.
   * Null where the batch was never planned.
   */
  readonly plan: ShownPlan | null;
  /** Number of its rows that are not in the approved plan: they are not sent under that approval. */
  readonly unapprovedRows: number;
  /** The first findings, where there are more than a report shows, and their counts as far as they were read. */
  readonly changes: ChangesSummary;
  /** Codes of the countries whose institutions its rows were checked by. */
  readonly institutionCountries: readonly string[];
  /** The first batch of its family, and the corrections, the oldest first; empty for a batch without a family. */
  readonly family: readonly BatchAccount[];
  /** What was planned of the last file of its series; null where there is none. */
  readonly lastTime: { readonly file: string; readonly totals: PlanTotals } | null;
  /** Its last run that sent something, over its time; null where there is none. */
  readonly lastRun: RunOverTime | null;
}

const mostRunsTried = 3;

/** Maximum of batches of a family that are shown: its first one, and the newest of its corrections. */
const mostRelatives = 20;

/**
 * Read only: nothing is sent or moved. A shown plan is kept.
 * @param request names the batch: its id, or 4 or more of its first characters
 * @throws PaybatchError (`batch_not_found`)
 */
export async function overviewOf(
  app: CallContext,
  request: { readonly batch: string },
): Promise<CallResult & BatchOverview> {
  const verbs = (await app.connections.ledgerToRead()).verbs;
  const record = await findNamedBatch(verbs, request.batch);
  const [batch] = await readAccounts(verbs, [record], placeOf(app));
  if (batch === undefined) throw new Error('a batch was found and has no account');
  const { plan, unapprovedRows } = await planOf(app, verbs, record, batch);
  const watch = new ChangesWatch();
  for await (const group of changesOfBatch(verbs, record.id)) {
    watch.add(group);
    if (watch.result().shown.length >= mostChangesReported) break;
  }
  watch.series = await verbs.readSeries(record.id);
  watch.drift = await verbs.readDrift(record.id);
  const family = await familyOf(app, verbs, batch);
  const institutionCountries = (await verbs.listPinnedInstitutions(record.id)).map(({ country }) => country);
  const lastTime = await lastPlanOf(verbs, watch.series);
  const lastRun = await lastRunOf(app, verbs, batch);
  const shown = { batch, plan, unapprovedRows, changes: watch.result(), institutionCountries, family };
  return { ...noBatches, ...shown, lastTime, lastRun };
}

async function lastPlanOf(
  verbs: LedgerVerbs,
  series: SeriesComparison | null,
): Promise<BatchOverview['lastTime']> {
  if (series === null) return null;
  const { batch, file } = series.earlier;
  const plan = await verbs.readNewestPlan(batch);
  return plan === undefined ? null : { file, totals: plan.totals };
}

/** Counted again only once rows of the batch have changed, or another run has ended. */
const lastRunsCounted = new KeptCounts<RunOverTime | null>();

/** The newest run in whose time rows got their status. Only the last ones are looked at. */
async function lastRunOf(
  { connections }: CallContext,
  verbs: LedgerVerbs,
  { id, runs }: BatchAccount,
): Promise<RunOverTime | null> {
  const ended = runs.filter(({ command, endedAt }) => endedAt !== null && sendingCommands.includes(command));
  const newest = ended.at(-1);
  if (newest === undefined) return null;
  const state = `${await verbs.readRevision(id)} ${newest.id}`;
  return lastRunsCounted.of(connections, id, state, () => countLastRun(verbs, id, ended));
}

async function countLastRun(
  verbs: LedgerVerbs,
  id: string,
  ended: readonly RunAccount[],
): Promise<RunOverTime | null> {
  for (const { startedAt: from, endedAt } of ended.slice(-mostRunsTried).reverse()) {
    const to = endedAt ?? from;
    const rows = await verbs.readSentOverTime(id, { from, to });
    if (rows.length > 0) return { from, to, parts: partsOfTime, rows };
  }
  return null;
}

async function planOf(
  app: CallContext,
  verbs: LedgerVerbs,
  record: BatchRecord,
  { state, approval }: BatchAccount,
): Promise<Pick<BatchOverview, 'plan' | 'unapprovedRows'>> {
  const approvalId = approval?.inForce ?? null;
  const isDecidedAbout =
    state === 'planned' || state === 'unapproved' || (state === 'unfinished' && approvalId !== null);
  if (!isDecidedAbout) return { plan: (await verbs.readNewestPlan(record.id)) ?? null, unapprovedRows: 0 };
  const { planHash, totals, rows } = await currentPlan(app, verbs, record);
  const unapprovedRows = approvalId === null ? 0 : await verbs.countUnapproved(approvalId, rows);
  return { plan: { planHash, totals }, unapprovedRows };
}

async function familyOf(
  app: CallContext,
  verbs: LedgerVerbs,
  { family }: BatchAccount,
): Promise<readonly BatchAccount[]> {
  if (family === null) return [];
  const newest = family.corrections.slice(1 - mostRelatives);
  const ids = [family.first.id, ...newest.map(({ id }) => id)];
  return readAccounts(verbs, await verbs.listBatchesOf(ids), placeOf(app));
}

/** Whether a failure was put away. */
interface PutAway extends CallResult {
  /** False where it was not listed any more. */
  readonly wasListed: boolean;
}

/** Takes a failure off the list. It is listed again if it fails again. */
export async function putAwayFailedRun(app: CallContext, which: FailureToPutAway): Promise<PutAway> {
  const { verbs } = await app.connections.ledger();
  const wasListed = await verbs.putAwayFailedRun(which, app.actor);
  return { ...noBatches, wasListed };
}
