/* What needs a person today, over all batches, by what is to be done. */

import { type ApprovalStanding, waitsForApproval } from '../domain/batches/approval.ts';
import type { RunRecord } from '../domain/batches/batch.ts';
import type { RefusedAlike } from '../domain/batches/batch-summary.ts';
import type { FailedRun } from '../domain/batches/failed-run.ts';
import type { OpenRows } from '../domain/batches/open-rows.ts';
import { AmountSums, type CurrencySum } from '../domain/money/expectation.ts';
import { type PayeeChangeCode, payeeChangeCodes } from '../domain/rows/payee-change.ts';
import type { ResultStatus } from '../domain/rows/row-state.ts';
import type { CountedDoubt } from '../ledger/after-sending/unfinished.ts';
import type { NamedBatch, OpenBatch, OpenWork } from '../ledger/after-sending/worklist.ts';
import { mayBeAlive } from '../ledger/connection/owner.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { adviceOnReason } from '../reconcile/verdicts/advice.ts';
import { keyLifetimeFor } from './access/api-access.ts';
import type { CallContext } from './running/context.ts';
import type { CallResult } from './running/result.ts';
import { failedRunsOf } from './status/failed-runs.ts';

/** What all lines of the list have. */
interface Task {
  readonly batch: NamedBatch;
  /** Null where the rows have changed since a run last added them up. */
  readonly rows: number | null;
  /** Amounts of those with one that can be read; empty where nobody has added them up. */
  readonly sums: readonly CurrencySum[];
}

/** A batch whose plan waits for approvals. */
export interface ApprovalTask extends Task {
  readonly standing: ApprovalStanding;
}

/** Rows of a batch that were sent, and have no conclusive answer. */
export interface DoubtTask extends Task {
  readonly rows: number;
  readonly doubt: CountedDoubt;
  /** Whether a run may be begun that sends them again: none is under way, and the batch is not closed. */
  readonly canGoOn: boolean;
}

/** Rows of a batch that have one status for one reason. */
export interface ReasonTask extends Task, Pick<OpenRows, 'status' | 'code' | 'since'> {
  readonly rows: number;
  /** What a person can do about them, in half a sentence; null where their status says it. */
  readonly advice: string | null;
  /** Whether a run may try them again that sends nothing else of the batch. */
  readonly canBeTried: boolean;
}

/** A batch with rows that a run sends. */
export interface SendingTask extends Task {
  /**
   * `planned`: nobody has asked for it to be sent. `stopped`: the API refused its rows for one reason. `unfinished`: a run
   * was interrupted.
   */
  readonly state: 'under_way' | 'planned' | 'stopped' | 'unfinished';
  readonly refusedAlike: RefusedAlike | null;
}

/** A batch of which the API says something else than the ledger. */
export interface ContradictionTask extends Task {
  /** Created rows whose answer contradicts what was sent. */
  readonly contradicted: number;
  /** Objects that the API created for rows which do not have them. */
  readonly unrecorded: number;
}

/** The lines of one kind, the first ones of them. */
export interface WorkSection<Line extends Task> {
  readonly tasks: readonly Line[];
  /** Lines that are not among them. */
  readonly more: number;
  /** Of all lines whose rows are known. */
  readonly rows: number;
  readonly sums: readonly CurrencySum[];
}

/** A run that neither works nor has ended: its program was killed, or lost its machine. */
export interface CutOffRun extends Pick<RunRecord, 'command' | 'actor'> {
  /** Whole id of its batch. */
  readonly batch: string;
}

/** What needs a person. */
export interface Worklist extends CallResult {
  readonly approvals: WorkSection<ApprovalTask>;
  /** The one whose key runs out first, or has run out, first. */
  readonly doubts: WorkSection<DoubtTask>;
  /** Held rows that pay a known payee at another account, or name an account of another one. */
  readonly changedPayees: WorkSection<ReasonTask>;
  /** Held rows for other reasons. */
  readonly held: WorkSection<ReasonTask>;
  /** Invalid and rejected rows, by batch and status, but for those that another file corrects. */
  readonly corrections: WorkSection<ReasonTask>;
  readonly waiting: WorkSection<ReasonTask>;
  readonly sending: WorkSection<SendingTask>;
  readonly contradictions: WorkSection<ContradictionTask>;
  /** Runs that failed without a batch to tell it. */
  readonly failedRuns: readonly FailedRun[];
  /** The last run of each batch that no run works on. */
  readonly cutOff: readonly CutOffRun[];
  /** Whether there are so many open batches that only the newest ones were looked at. */
  readonly isCutShort: boolean;
}

/** So many batches with open rows are looked at. */
const mostBatches = 500;

/** Of so many of them it is asked whether they wait for approvals. */
const mostApprovals = 100;

/**
 * Tells what needs a person. Looks only: nothing is sent, written or made.
 * @param request so many lines of each section are told
 */
export async function worklistOf(app: CallContext, request: { readonly limit: number }): Promise<Worklist> {
  const { limit } = request;
  const now = app.clock.now();
  if (!app.connections.isLedgerThere()) return sectionsOf(nothingOpen, new Map(), [], limit, now);
  const { verbs } = await app.connections.ledgerToRead();
  const work = await verbs.readOpenWork({
    batches: mostBatches,
    doubts: limit,
    keyLifetimeInMs: {
      live: keyLifetimeFor(app, 'live').durationInMs,
      sandbox: keyLifetimeFor(app, 'sandbox').durationInMs,
    },
  });
  return sectionsOf(work, await approvalsOf(verbs, work), await failedRunsOf(verbs), limit, app.clock.now());
}

const nothingOpen: OpenWork = {
  batches: [],
  isCutShort: false,
  doubts: [],
  moreDoubts: 0,
  runs: new Map(),
};

/** What the policy asks of the batches of which something would be sent. */
async function approvalsOf(
  verbs: Pick<LedgerVerbs, 'readApprovals'>,
  { batches }: OpenWork,
): Promise<ReadonlyMap<string, ApprovalStanding>> {
  const asked = batches.filter(mayBeSent).slice(0, mostApprovals);
  return asked.length === 0 ? new Map() : verbs.readApprovals(asked.map(({ id }) => id));
}

function mayBeSent({ totals, isClosed, canMove }: OpenBatch): boolean {
  const { not_sent = 0, unknown = 0 } = totals?.counts ?? {};
  return !isClosed && (totals === null ? canMove : not_sent + unknown > 0);
}

function sectionsOf(
  { batches, isCutShort, doubts, moreDoubts, runs }: OpenWork,
  approvals: ReadonlyMap<string, ApprovalStanding>,
  failedRuns: readonly FailedRun[],
  limit: number,
  now: Date,
): Worklist {
  const open = new Map(batches.map((batch) => [batch.id, batch]));
  const reasons = batches.flatMap((batch) => reasonsOf(batch));
  const isHeldForPayee = ({ status, code }: ReasonTask): boolean => status === 'held' && isOfPayee(code);
  const isAlive = ({ leaseUntil, owner }: RunRecord): boolean =>
    Date.parse(leaseUntil) > now.getTime() && mayBeAlive(owner);
  const underWay = new Set([...runs].flatMap(([id, ofBatch]) => (ofBatch.some(isAlive) ? [id] : [])));
  const ofDoubts = doubts.map(({ doubt, ...batch }) => ({
    batch,
    rows: doubt.rows,
    sums: sumsOf(open.get(batch.id), 'unknown'),
    doubt,
    canGoOn: !underWay.has(batch.id) && open.get(batch.id)?.isClosed !== true,
  }));
  return {
    outcome: 'done',
    batches: [],
    failure: null,
    approvals: section(
      batches.flatMap((batch) => approvalOf(batch, approvals.get(batch.id))),
      limit,
    ),
    doubts: section(ofDoubts, limit, moreDoubts),
    changedPayees: section(reasons.filter(isHeldForPayee), limit),
    held: section(
      reasons.filter((task) => task.status === 'held' && !isHeldForPayee(task)),
      limit,
    ),
    corrections: section(
      batches.flatMap((batch) => (batch.isClosed ? [] : correctionsOf(batch))),
      limit,
    ),
    waiting: section(
      reasons.filter(({ status }) => status === 'waiting'),
      limit,
    ),
    sending: section(
      batches.flatMap((batch) =>
        sendingOf(batch, {
          isUnderWay: underWay.has(batch.id),
          isCutOff: runs.has(batch.id),
          approval: approvals.get(batch.id),
        }),
      ),
      limit,
    ),
    contradictions: section(batches.flatMap(contradictionsOf), limit),
    failedRuns,
    cutOff: [...runs].flatMap(([batch, ofBatch]) => {
      const last = ofBatch.at(-1);
      return last === undefined || underWay.has(batch)
        ? []
        : [{ batch, command: last.command, actor: last.actor }];
    }),
    isCutShort: isCutShort || batches.some((batch) => batch.open === null),
  };
}

/** @param unread lines that are known to be there, and were not read */
function section<Line extends Task>(tasks: readonly Line[], limit: number, unread = 0): WorkSection<Line> {
  const sums = new AmountSums();
  for (const task of tasks) {
    for (const { currency, amount, rows } of task.sums) sums.add(currency, amount, rows);
  }
  return {
    tasks: tasks.slice(0, limit),
    more: Math.max(0, tasks.length - limit) + unread,
    rows: tasks.reduce((sum, { rows }) => sum + (rows ?? 0), 0),
    sums: sums.result(),
  };
}

function named({ id, kind, mode, origin, file, sheet, createdAt }: NamedBatch): NamedBatch {
  return { id, kind, mode, origin, file, sheet, createdAt };
}

function sumsOf(batch: OpenBatch | undefined, status: ResultStatus): readonly CurrencySum[] {
  const sums = batch?.totals?.sums.filter((sum) => sum.status === status) ?? [];
  return sums.map(({ currency, rows, amount }) => ({ currency, rows, amount }));
}

function approvalOf(batch: OpenBatch, standing: ApprovalStanding | undefined): readonly ApprovalTask[] {
  if (!waitsForApproval(standing)) return [];
  const rows = batch.totals === null ? null : (batch.totals.counts.not_sent ?? 0);
  return [{ batch: named(batch), rows, sums: sumsOf(batch, 'not_sent'), standing }];
}

function isOfPayee(code: string | null): code is PayeeChangeCode {
  return (payeeChangeCodes as readonly (string | null)[]).includes(code);
}

function reasonsOf(batch: OpenBatch): readonly ReasonTask[] {
  return (batch.open ?? []).map(({ status, code, rows, since, sums }) => ({
    batch: named(batch),
    ...{ status, code, rows, since, sums },
    advice: status === 'held' ? adviceOnReason(code) : null,
    canBeTried: sendsNothingElse(batch),
  }));
}

/** Whether rows of a batch can be sent again without any that nobody has sent yet, or that the API refuses alike. */
function sendsNothingElse({ totals, isClosed, refusedAlike }: OpenBatch): boolean {
  return totals !== null && (totals.counts.not_sent ?? 0) === 0 && !isClosed && refusedAlike === null;
}

/** The rows to correct are opened together, whatever their reasons. */
function correctionsOf(batch: OpenBatch): readonly ReasonTask[] {
  return (['rejected', 'invalid'] as const).flatMap((status) => {
    const groups = (batch.open ?? []).filter((group) => group.status === status);
    const [first] = groups;
    if (first === undefined) return [];
    const { rows, sums } = section(
      groups.map((group) => ({ ...group, batch })),
      0,
    );
    const code = groups.length === 1 ? first.code : null;
    const canBeTried = sendsNothingElse(batch);
    return [{ batch: named(batch), status, code, rows, sums, since: null, advice: null, canBeTried }];
  });
}

function sendingOf(
  batch: OpenBatch,
  {
    isUnderWay,
    isCutOff,
    approval,
  }: {
    readonly isUnderWay: boolean;
    readonly isCutOff: boolean;
    readonly approval: ApprovalStanding | undefined;
  },
): readonly SendingTask[] {
  const { totals, open, isClosed, isOnlyPlanned, refusedAlike, canMove } = batch;
  const rows = totals === null ? null : (totals.counts.not_sent ?? 0);
  const task = { batch: named(batch), rows, sums: sumsOf(batch, 'not_sent'), refusedAlike };
  if (isUnderWay) return [{ ...task, state: 'under_way' }];
  if (isClosed || waitsForApproval(approval)) return [];
  // What only waits has a section of its own.
  const mayOnlyWait = !isCutOff && (open ?? []).some(({ status }) => status === 'waiting');
  if (rows === null ? !canMove || mayOnlyWait : rows === 0) return [];
  if (refusedAlike !== null) return [{ ...task, state: 'stopped' }];
  return [{ ...task, state: isOnlyPlanned ? 'planned' : 'unfinished' }];
}

function contradictionsOf(batch: OpenBatch): readonly ContradictionTask[] {
  const { contradicted = 0 } = batch.totals ?? {};
  const { unrecorded } = batch;
  if (contradicted + unrecorded === 0) return [];
  return [{ batch: named(batch), rows: contradicted + unrecorded, sums: [], contradicted, unrecorded }];
}
