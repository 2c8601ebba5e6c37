import { exitCodes } from '../domain/exit-code.ts';
import type { BatchRecord, RunRecord } from '../domain/ledger-row.ts';
import type { StatusCounts } from '../domain/row-state.ts';
import { mayBeAlive } from '../ledger/connection/owner.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import type { BatchListing } from '../output/terminal/status-table.ts';
import type { BatchSummary } from '../output/words/json-summary.ts';
import { findNamedBatch } from './access/find-batch.ts';
import { isLedgerThere, openLedger } from './access/ledger-access.ts';
import { existingFiles, mostUnrecordedListed } from './files/files-of-batch.ts';
import type { JobContext } from './running/context.ts';
import type { JobResult } from './running/result.ts';

const batchesShown = 50;

/** The batches of a ledger, or one of them. */
export interface StatusResult extends JobResult {
  readonly shown:
    | { readonly kind: 'no_ledger' }
    | { readonly kind: 'list'; readonly listings: readonly BatchListing[] }
    | {
        readonly kind: 'batch';
        readonly batch: BatchRecord;
        readonly summary: BatchSummary;
        readonly runs: readonly RunRecord[];
      };
}

/**
 * Lists the newest batches, or tells of one. Looks only: nothing is sent, written or made.
 * @param request names the batch by its id, or by 4 or more of its first characters
 */
export async function readStatus(
  app: JobContext,
  request: { readonly batch?: string | undefined },
): Promise<StatusResult> {
  const end = { exitCode: exitCodes.done, failure: null } as const;
  if (!isLedgerThere(app.settings, app.environment)) {
    return { ...end, batches: [], shown: { kind: 'no_ledger' } };
  }
  const access = await openLedger(app.settings, app.environment);
  try {
    const { verbs } = access;
    if (request.batch === undefined) return { ...end, ...(await listAll(app, verbs)) };
    const batch = await findNamedBatch(verbs, request.batch);
    const summary = await summaryOf(app, verbs, batch);
    const runs = await verbs.listRuns(batch.id);
    return { ...end, batches: [summary], shown: { kind: 'batch', batch, summary, runs } };
  } finally {
    await access.close();
  }
}

async function listAll(
  app: JobContext,
  verbs: LedgerVerbs,
): Promise<Pick<StatusResult, 'batches' | 'shown'>> {
  const batches = await verbs.listBatches(batchesShown);
  const found = await Promise.all(batches.map((batch) => listingOf(app, verbs, batch)));
  const listings = found.map(({ listing }) => listing);
  return { batches: found.map(({ summary }) => summary), shown: { kind: 'list', listings } };
}

async function listingOf(
  app: JobContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
): Promise<{ listing: BatchListing; summary: BatchSummary }> {
  const summary = await summaryOf(app, verbs, batch);
  const runs = await verbs.listRuns(batch.id);
  const { kind, file, sheet, rows, counts } = summary;
  const state = stateOf(counts, runs);
  const lastRunAt = runs.at(-1)?.startedAt ?? null;
  return { listing: { batch: batch.id, kind, file, sheet, rows, counts, state, lastRunAt }, summary };
}

/** A batch as it stands now, and those of its files that are there. */
async function summaryOf(app: JobContext, verbs: LedgerVerbs, batch: BatchRecord): Promise<BatchSummary> {
  const { id, kind, fileName: file, sheet } = batch;
  const counts = await verbs.countStatuses(id);
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const contradicted = await verbs.countContradicted(id);
  const unrecorded = (await verbs.listUnrecordedCreations(id, mostUnrecordedListed)).length;
  return {
    ...{ batch: id, kind, file, sheet, rows, counts, contradicted, unrecorded, planHash: null },
    ...{ files: existingFiles(app, batch), notes: batch.notes },
  };
}

function stateOf(counts: StatusCounts, runs: readonly RunRecord[]): string {
  const last = runs.at(-1);
  const isOpen = last !== undefined && last.endedAt === null && Date.parse(last.leaseUntil) > Date.now();
  if (isOpen && mayBeAlive(last.owner)) return 'running';
  if (counts.not_sent && runs.every(({ command }) => command === 'plan')) return 'planned';
  return (counts.not_sent ?? 0) + (counts.unknown ?? 0) + (counts.waiting ?? 0) > 0
    ? 'unfinished'
    : 'finished';
}
