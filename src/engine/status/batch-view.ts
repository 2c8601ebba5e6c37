/* A batch and its runs, as any interface shows them. */

import { type ApprovalStanding, waitsForApproval } from '../../domain/batches/approval.ts';
import {
  asksToSend,
  type BatchRecord,
  type Environment,
  type Kind,
  type RunRecord,
} from '../../domain/batches/batch.ts';
import {
  type BatchFiles,
  type BatchStanding,
  type BatchSummary,
  rowsForPerson,
} from '../../domain/batches/batch-summary.ts';
import type { CallOutcome } from '../../domain/failures/paybatch-error.ts';
import { mayBeAlive } from '../../ledger/connection/owner.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { type NextStep, nextSteps } from '../../output/words/next-steps.ts';
import { keyLifetimeFor } from '../access/api-access.ts';
import { existingFiles } from '../files/files-of-batch.ts';
import { knownSource } from '../files/out-folder.ts';
import type { CallContext } from '../running/context.ts';

/** A batch as it stands: all that a terminal, a page or a program shows of it, and no words. Times are ISO 8601, UTC. */
export interface BatchView extends Omit<BatchStanding, 'runs'> {
  readonly id: string;
  readonly kind: Kind;
  /** The mode and address of the API that its objects belong to. */
  readonly environment: Environment;
  /** As people named it. */
  readonly file: string;
  readonly sheet: string | null;
  /** The path of that file, where this call knows it. */
  readonly source: string | null;
  readonly createdAt: string;
  readonly rows: number;
  readonly state: BatchState;
  /** Which approvals the policy asks for; null where it asks for none. */
  readonly approval: ApprovalStanding | null;
  /** Rows that no run moves on by itself. */
  readonly needsPerson: number;
  /** Oldest first. */
  readonly runs: readonly RunView[];
  /** Null when it never ran. */
  readonly lastRunAt: string | null;
  /** What reading the file brought to light, in sentences. */
  readonly notes: readonly string[];
  /** Those of its files that are in the folder of results. */
  readonly files: BatchFiles;
  /** What to do about it, the most urgent first: why, and the call that does it. */
  readonly remedies: readonly NextStep[];
}

type BatchState = 'running' | 'planned' | 'unapproved' | 'unfinished' | 'closed' | 'finished';

/** A run of a batch. */
export interface RunView {
  readonly id: string;
  /** Counts the runs of the batch from 1. */
  readonly number: number;
  readonly command: string;
  /** Who began it, and by which way in; null where nobody knows. */
  readonly actor: RunRecord['actor'];
  readonly host: string;
  /** Its process id, as text. */
  readonly process: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Null while it runs, and where it was killed. */
  readonly outcome: CallOutcome | null;
  /** Whether it holds the batch, as far as this machine can tell. */
  readonly isUnderWay: boolean;
}

/** Where batches stand now; nothing is changed. The number of statements does not depend on how many batches they are. */
export async function batchViewsOf(
  app: CallContext,
  verbs: Pick<LedgerVerbs, 'readStandings' | 'readApprovals'>,
  batches: readonly BatchRecord[],
): Promise<readonly BatchView[]> {
  if (batches.length === 0) return [];
  const standings = await verbs.readStandings(
    batches.map(({ id, mode }) => ({ id, keyLifetimeInMs: keyLifetimeFor(app, mode).durationInMs })),
  );
  const approvals = await verbs.readApprovals(batches.map(({ id }) => id));
  return batches.map((batch) => {
    const standing = standings.get(batch.id);
    if (standing === undefined) throw new Error('a batch is listed and has no standing');
    return viewOf(app, batch, { ...standing, approval: approvals.get(batch.id) ?? null });
  });
}

function viewOf(
  app: CallContext,
  batch: BatchRecord,
  { runs: records, ...standing }: BatchStanding & Pick<BatchView, 'approval'>,
): BatchView {
  const { id, kind, mode, origin, fileName, sheet, createdAt, notes } = batch;
  const now = app.clock.now();
  const runs = records.map((run, at) => runViewOf(run, at, now));
  const environment = { mode, origin };
  const source = knownSource(app, batch);
  const files = existingFiles(app, batch);
  return {
    ...standing,
    id,
    kind,
    environment,
    file: fileName,
    sheet,
    source,
    createdAt,
    runs,
    notes,
    files,
    rows: Object.values(standing.counts).reduce((sum, count) => sum + count, 0),
    state: stateOf(standing, runs),
    needsPerson: rowsForPerson(standing),
    lastRunAt: runs.at(-1)?.startedAt ?? null,
    remedies: nextSteps({ ...standing, batch: id, failed: files.failed, environment, source, sheet }),
  };
}

function runViewOf(run: RunRecord, at: number, now: Date): RunView {
  const { id, command, actor, owner, startedAt, endedAt, leaseUntil, outcome } = run;
  // What stands behind the process id tells this process from others that had its id before.
  const process = owner.process.split(' ', 1)[0] ?? '';
  const isUnderWay = endedAt === null && Date.parse(leaseUntil) > now.getTime() && mayBeAlive(owner);
  const number = at + 1;
  return { id, number, command, actor, host: owner.host, process, startedAt, endedAt, outcome, isUnderWay };
}

function stateOf(
  { counts, closing, approval }: Pick<BatchStanding, 'counts' | 'closing'> & Pick<BatchView, 'approval'>,
  runs: readonly RunView[],
): BatchState {
  if (runs.some(({ isUnderWay }) => isUnderWay)) return 'running';
  if (closing !== null) return 'closed';
  const isOpen = (counts.not_sent ?? 0) + (counts.unknown ?? 0) > 0;
  if (isOpen && waitsForApproval(approval)) return 'unapproved';
  if (counts.not_sent && !runs.some(asksToSend)) return 'planned';
  return (counts.not_sent ?? 0) + (counts.unknown ?? 0) + (counts.waiting ?? 0) > 0
    ? 'unfinished'
    : 'finished';
}

/** A batch as the account of what a call did has it. */
export function summaryOf(view: BatchView): BatchSummary {
  const { id, kind, file, sheet, rows, counts, contradicted, unrecorded, corrected, superseded } = view;
  const { doubt, unanswered, refusedAlike, closing, approval, auditHead, source, notes, files } = view;
  return {
    batch: id,
    kind,
    file,
    sheet,
    rows,
    counts,
    contradicted,
    unrecorded,
    corrected,
    superseded,
    doubt,
    unanswered,
    refusedAlike,
    closing,
    approval,
    planHash: null,
    auditHead,
    files,
    notes,
    ...(source === null ? {} : { source }),
  };
}
