/*
 * What the ledger knows about batches: lists of them, one batch, or one row. Also the work that needs a person, failed runs
 * that a person puts away, and writing result files again.
 */

import { writeBatchFiles } from '../account/batch-files/files-of-batch.ts';
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
import type { BatchAccount } from '../domain/batches/account.ts';
import type { BatchRecord } from '../domain/batches/batch.ts';
import type { ApprovalStanding, FailedRun } from '../domain/batches/batch-facts.ts';
import type { HaltInForce } from '../domain/controls/controls.ts';
import * as rowHistory from '../ledger/after-sending/row-history.ts';
import { type OpenWork, readOpenWork } from '../ledger/after-sending/worklist.ts';
import type { FailureToPutAway } from '../ledger/batches/failed-runs.ts';
import type { LedgerVerbs, VerbsWith } from '../ledger/verbs.ts';
import { readHaltInForce } from './halt.ts';

const batchesShown = 50;

/** The batches of a ledger, one of them, or one row of a batch. */
export interface StatusResult extends CallResult {
  /** The stop of everything that is in force; null if no stop is in force. */
  readonly halt: HaltInForce | null;
  readonly shown:
    | { readonly kind: 'no_ledger' }
    /** The newest 50 batches, and the runs that failed without a batch; the newest first. */
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
 * @throws PaybatchError (`usage`) when the batch or row does not exist
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
  // Reported only once, however many batches are shown.
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

/* Work that needs a person today, over all batches. */

/** Work that needs a person. */
export interface Worklist extends CallResult, WorkSections {
  /** The stop of everything that is in force; null if no stop is in force. */
  readonly halt: HaltInForce | null;
  /** Runs that failed without a batch. */
  readonly failedRuns: readonly FailedRun[];
}

/** Maximum of batches with open rows that are checked. */
const mostBatches = 500;

/** Maximum of batches that are checked for missing approvals. */
const mostApprovals = 100;

/**
 * Returns the work that needs a person. Read only: nothing is sent or written.
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

/** The approvals that the policy requires for the batches with rows to send. */
async function approvalsOf(
  verbs: Pick<LedgerVerbs, 'readApprovals'>,
  { batches }: OpenWork,
): Promise<ReadonlyMap<string, ApprovalStanding>> {
  const asked = batches.filter(mayBeSent).slice(0, mostApprovals);
  return asked.length === 0 ? new Map() : verbs.readApprovals(asked.map(({ id }) => id));
}

/** Whether a failure was put away. */
interface PutAway extends CallResult {
  /** False if the failure was not listed any more. */
  readonly wasListed: boolean;
}

/** Removes a failure from the list. It is listed again if the same failure happens again. */
export async function putAwayFailedRun(app: CallContext, which: FailureToPutAway): Promise<PutAway> {
  const { verbs } = await app.connections.ledger();
  const wasListed = await verbs.putAwayFailedRun(which, app.actor);
  return { ...noBatches, wasListed };
}
