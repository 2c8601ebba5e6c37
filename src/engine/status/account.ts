import {
  type BatchFamily,
  type BatchRecord,
  type RunRecord,
  shortBatchId,
} from '../../domain/batches/batch.ts';
import type { BatchSummary } from '../../domain/batches/batch-summary.ts';
import { rowsForPerson } from '../../domain/batches/needs-person.ts';
import type { StatusCounts } from '../../domain/rows/row-state.ts';
import { mayBeAlive } from '../../ledger/connection/owner.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { command } from '../../output/words/next-steps.ts';
import {
  countOf,
  groupedNumber,
  refusedAlikeHeadline,
  unansweredHeadline,
} from '../../output/words/wording.ts';
import { keyLifetimeFor } from '../access/key-lifetime.ts';
import { repeatedOptions } from '../access/repeated-options.ts';
import { existingFiles, mostUnrecordedListed, waitingNotes } from '../files/files-of-batch.ts';
import { sourcePath } from '../files/source-path.ts';
import type { CallContext } from '../running/context.ts';
import type { BatchListing, BatchState, RunningRun } from './listing.ts';

/** A batch with all that tells where it stands. */
export interface AccountedBatch {
  readonly batch: BatchRecord;
  readonly summary: BatchSummary;
  readonly listing: BatchListing;
  /** Oldest first. */
  readonly runs: readonly RunRecord[];
}

/** Where a batch stands now; nothing is changed. */
export async function statusAccountFor(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
): Promise<AccountedBatch> {
  const family = await verbs.readFamily(batch.id);
  const summary = await summaryOf(app, verbs, batch, family);
  const runs = await verbs.listRuns(batch.id);
  const { kind, file, sheet, rows, counts, doubt = null, unanswered = null, refusedAlike = null } = summary;
  const open = runs.filter((run) => isUnderWay(run, app.clock.now()));
  const listing: BatchListing = {
    ...{ batch: batch.id, kind, file, sheet, rows, counts, doubt, family },
    unanswered: unanswered === null ? null : unansweredHeadline(unanswered, batch.origin),
    stopped: refusedAlike === null ? null : refusedAlikeHeadline(refusedAlike),
    needsPerson: rowsForPerson(summary),
    state: open.length > 0 ? 'running' : stateOf(counts, runs),
    running: open.map(runningRun),
    lastRunAt: runs.at(-1)?.startedAt ?? null,
    showCommand: command('status', batch.id.slice(0, 8), repeatedOptions(app, batch)),
  };
  return { batch, summary, listing, runs };
}

/** A batch as it stands now, and those of its files that are there. */
async function summaryOf(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  family: BatchFamily | null,
): Promise<BatchSummary> {
  const { id, kind, fileName: file, sheet } = batch;
  const counts = await verbs.countStatuses(id);
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const contradicted = await verbs.countContradicted(id);
  const corrected = await verbs.countCorrected(id);
  const unrecorded = (await verbs.listLateCreations(id, mostUnrecordedListed)).length;
  const doubt = await verbs.readRowsInDoubt(id, keyLifetimeFor(app, batch.mode).durationInMs);
  return {
    ...{
      batch: id,
      kind,
      file,
      sheet,
      rows,
      counts,
      contradicted,
      unrecorded,
      corrected,
      superseded: await verbs.countSuperseded(id),
      doubt,
      unanswered: await verbs.readUnanswered(id),
      refusedAlike: await verbs.findRefusedAlike(id),
      source: sourcePath(app, batch),
      planHash: null,
    },
    ...{
      files: existingFiles(app, batch),
      notes: [...familyNotes(family, id), ...waitingNotes(await verbs.readWaiting(id)), ...batch.notes],
    },
  };
}

/** A batch and its corrections, in sentences. */
function familyNotes(family: BatchFamily | null, id: string): string[] {
  if (family === null) return [];
  const { first, doneRows, corrections } = family;
  const own = corrections.find((correction) => correction.id === id);
  const done = `${groupedNumber(doneRows)} of ${countOf(first.rows, 'row')}`;
  const listed = corrections
    .filter((correction) => correction.id !== id)
    .map(({ id: other, rows, doneRows: ofIt }) => {
      return `${shortBatchId(other)} (${groupedNumber(ofIt)} of ${groupedNumber(rows)} done)`;
    });
  const whose = own === undefined ? 'its corrections' : 'other corrections';
  const rounds = listed.length === 0 ? '' : `; ${whose}: ${listed.join(', ')}`;
  if (own === undefined) return [`with its corrections, ${done} are done now${rounds}`];
  const rows = countOf(own.rows, 'row');
  return [`it corrects ${rows} of batch ${shortBatchId(first.id)}, of which ${done} are done now${rounds}`];
}

/** Whether a run holds its batch, as far as this machine can tell. */
export function isUnderWay(run: RunRecord, now: Date): boolean {
  return run.endedAt === null && Date.parse(run.leaseUntil) > now.getTime() && mayBeAlive(run.owner);
}

function runningRun({ command, owner, startedAt }: RunRecord): RunningRun {
  return { command, host: owner.host, process: processId(owner.process), since: startedAt };
}

/** What stands behind it tells this process from others that had its id before. */
export function processId(owner: string): string {
  return owner.split(' ', 1)[0] ?? '';
}

function stateOf(counts: StatusCounts, runs: readonly RunRecord[]): BatchState {
  if (counts.not_sent && runs.every(({ command }) => command === 'plan')) return 'planned';
  return (counts.not_sent ?? 0) + (counts.unknown ?? 0) + (counts.waiting ?? 0) > 0
    ? 'unfinished'
    : 'finished';
}
