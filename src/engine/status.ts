import type { BatchFamily, BatchRecord, RowsInDoubt, RunRecord } from '../domain/batches/batch.ts';
import { exitCodes } from '../domain/failures/exit-code.ts';
import type { UnansweredRows } from '../domain/sending/outcome.ts';
import type { RowHistory } from '../ledger/after-sending/row-history.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import type { RowEvent, RowObject, StatusObject } from '../output/json/status.ts';
import type { BatchListing } from '../output/terminal/status-table.ts';
import { type BatchSummary, jsonSummary } from '../output/words/json-summary.ts';
import { type NextStep, nextSteps } from '../output/words/next-steps.ts';
import { noteAssumedLifetime } from './access/key-lifetime.ts';
import { findNamedBatch, isLedgerThere, openLedger } from './access/ledger-access.ts';
import { repeatedOptions } from './access/repeated-options.ts';
import type { CallContext } from './running/context.ts';
import type { CallResult } from './running/result.ts';
import { type AccountedBatch, processId, statusAccountFor } from './status/account.ts';
import { doubtOf, findRow, statusOfRow } from './status/row.ts';

const batchesShown = 50;

/** The batches of a ledger, one of them, or one row of a batch. */
export interface StatusResult extends CallResult {
  readonly shown:
    | { readonly kind: 'no_ledger' }
    | { readonly kind: 'list'; readonly listings: readonly BatchListing[] }
    | {
        readonly kind: 'batch';
        readonly batch: BatchRecord;
        readonly summary: BatchSummary;
        readonly listing: BatchListing;
        readonly runs: readonly RunRecord[];
      }
    | {
        readonly kind: 'row';
        readonly batch: BatchRecord;
        readonly row: RowObject;
        readonly next: readonly NextStep[];
      };
}

/** What is to be shown: all batches, one of them, or one row of it. */
interface StatusRequest {
  /** A batch by its id, or by 4 or more of its first characters. */
  readonly batch?: string | undefined;
  /** A row of that batch by its number, as a spreadsheet program shows it. */
  readonly row?: number | undefined;
}

/**
 * Lists the newest batches, or tells of one, or of one row. Looks only: nothing is sent, written or made.
 * @throws Failure (exit 2) when there is no such batch or row
 */
export async function readStatus(app: CallContext, request: StatusRequest): Promise<StatusResult> {
  const end = { exitCode: exitCodes.done, failure: null } as const;
  if (!isLedgerThere(app.settings, app.environment)) {
    return { ...end, batches: [], shown: { kind: 'no_ledger' } };
  }
  const access = await openLedger(app.settings, app.environment);
  try {
    const { verbs } = access;
    if (request.batch === undefined) return { ...end, ...(await listAll(app, verbs)) };
    const batch = await findNamedBatch(verbs, request.batch);
    const account = await statusAccountFor(app, verbs, batch);
    noteLifetimes(app, [batch]);
    return {
      ...end,
      ...(request.row === undefined
        ? showBatch(app, account)
        : await showRow(app, verbs, account, request.row)),
    };
  } finally {
    await access.close();
  }
}

type Shown = Pick<StatusResult, 'batches' | 'shown' | 'document'>;

async function listAll(app: CallContext, verbs: LedgerVerbs): Promise<Shown> {
  const batches = await verbs.listBatches(batchesShown);
  const accounts = await Promise.all(batches.map((batch) => statusAccountFor(app, verbs, batch)));
  noteLifetimes(app, batches);
  return {
    batches: accounts.map(({ summary }) => summary),
    shown: { kind: 'list', listings: accounts.map(({ listing }) => listing) },
    document: listDocument(app, accounts),
  };
}

/** Said once, whatever is shown. */
function noteLifetimes(app: CallContext, batches: readonly BatchRecord[]): void {
  if (batches.some(({ mode }) => mode === 'live')) noteAssumedLifetime(app, 'live');
}

function showBatch(app: CallContext, account: AccountedBatch): Shown {
  return {
    batches: [account.summary],
    shown: { kind: 'batch', ...account },
    document: batchDocument(app, account),
  };
}

async function showRow(
  app: CallContext,
  verbs: LedgerVerbs,
  account: AccountedBatch,
  number: number,
): Promise<Shown> {
  const { batch, summary } = account;
  const history = await findRow(app, verbs, batch, number);
  const row = rowObject(history, account.runs);
  const next = nextSteps({
    ...{ batch: batch.id, counts: { [row.status]: 1 }, failed: summary.files.failed },
    doubt: doubtOf(history),
    commandOptions: repeatedOptions(app, batch),
  });
  return {
    batches: [summary],
    shown: { kind: 'row', batch, row, next },
    document: rowDocument(app, account, row),
  };
}

/** What `status --json` prints of all batches. */
function listDocument(app: CallContext, accounts: readonly AccountedBatch[]): StatusObject {
  const { batches } = jsonSummary({
    exitCode: exitCodes.done,
    batches: accounts.map(({ summary }) => summary),
    error: null,
  });
  return {
    exit_code: exitCodes.done,
    batches: batches.map((batch, at) => ({ ...batch, ...detailsOf(app, accounts[at]) })),
    error: null,
  };
}

/** What it prints of one batch. */
function batchDocument(app: CallContext, account: AccountedBatch): StatusObject {
  const { error, ...list } = listDocument(app, [account]);
  return { ...list, runs: account.runs.map(runObject), error };
}

/** What it prints of a row of a batch. */
function rowDocument(app: CallContext, account: AccountedBatch, row: RowObject): StatusObject {
  const { error, ...batch } = batchDocument(app, account);
  return { ...batch, row, error };
}

type Details = Omit<StatusObject['batches'][number], keyof ReturnType<typeof jsonSummary>['batches'][number]>;

function detailsOf(app: CallContext, account: AccountedBatch | undefined): Details {
  if (account === undefined) throw new Error('a batch has lost its account');
  const { listing, summary, batch } = account;
  return {
    state: listing.state,
    needs_person: listing.needsPerson,
    doubt: listing.doubt === null ? null : doubtObject(listing.doubt),
    unanswered: unansweredObject(summary.unanswered ?? null),
    refused_alike: refusedAlikeObject(summary.refusedAlike ?? null),
    family: listing.family === null ? null : familyObject(listing.family),
    running: [...listing.running],
    last_run_at: listing.lastRunAt,
    next: [
      ...nextSteps({
        ...summary,
        batch: batch.id,
        failed: summary.files.failed,
        commandOptions: repeatedOptions(app, batch),
      }),
    ],
  };
}

function refusedAlikeObject(stop: AccountedBatch['summary']['refusedAlike']): Details['refused_alike'] {
  if (stop === null || stop === undefined) return null;
  const { code, message, rows } = stop;
  return { code, message, rows };
}

function unansweredObject(unanswered: UnansweredRows | null): Details['unanswered'] {
  if (unanswered === null) return null;
  const { code, httpStatus, rows, since } = unanswered;
  return { code, http_status: httpStatus, rows, since };
}

function doubtObject({ oldestSentAt, oldestRunsOutAt, expired, unsettled }: RowsInDoubt): Details['doubt'] {
  return { oldest_sent_at: oldestSentAt, oldest_runs_out_at: oldestRunsOutAt, expired, unsettled };
}

function familyObject({ first, doneRows, corrections }: BatchFamily): Details['family'] {
  return {
    ...{ first: first.id, rows: first.rows, done_rows: doneRows },
    corrections: corrections.map(({ id, rows, doneRows: done }) => ({ batch: id, rows, done_rows: done })),
  };
}

function runObject(
  { command, owner, startedAt, endedAt, exitCode }: RunRecord,
  at: number,
): NonNullable<StatusObject['runs']>[number] {
  return {
    ...{ run: at + 1, command, host: owner.host, process: processId(owner.process) },
    ...{ started_at: startedAt, ended_at: endedAt, exit_code: exitCode },
  };
}

/**
 * A row with all that happened to it, as `--json` prints it.
 * @param runs of its batch, oldest first: events name them by their place
 */
function rowObject(history: RowHistory, runs: readonly RunRecord[]): RowObject {
  const { row } = history;
  return {
    row: row.row,
    status: statusOfRow(row),
    same_as: row.sameAs,
    id: row.objectId,
    code: row.code,
    field: row.field,
    message: row.message,
    notes: [...row.notes],
    attempts: row.attempts,
    first_sent_at: row.firstSentAt,
    key_runs_out_at: row.keyRunsOutAt,
    changed_at: row.changedAt,
    history: eventsOf(history, runs),
  };
}

/** The oldest first; of those that share a moment, in the order in which they follow from each other. */
function eventsOf(
  { row, requests, attempts, verdicts, lateCreations }: RowHistory,
  runs: readonly RunRecord[],
): RowEvent[] {
  const runNumber = (id: string): number | null => {
    const at = runs.findIndex((run) => run.id === id);
    return at === -1 ? null : at + 1;
  };
  const keys = new Map(requests.map(({ generation, idempotencyKey }) => [generation, idempotencyKey]));
  const events: RowEvent[] = [
    { time: row.stagedAt, event: 'staged' },
    ...requests.map(
      ({ writtenAt, runId, idempotencyKey, path }): RowEvent => ({
        ...{ time: writtenAt, event: 'request_written', run: runNumber(runId), key: idempotencyKey, path },
      }),
    ),
    ...attempts.map(
      (attempt): RowEvent => ({
        time: attempt.sentAt ?? attempt.recordedAt,
        event: 'attempt',
        run: runNumber(attempt.runId),
        attempt: attempt.number,
        key: keys.get(attempt.generation) ?? null,
        outcome: attempt.outcome,
        reason: attempt.reason,
        http_status: attempt.httpStatus,
        id: attempt.objectId,
        duration_ms: attempt.durationInMs,
        answer: attempt.answer,
      }),
    ),
    ...verdicts.map(
      ({ decidedAt, verdict, fromState, objectId, attempts, note, decidedBy }): RowEvent => ({
        ...{
          time: decidedAt,
          event: 'verdict',
          verdict,
          from: fromState,
          id: objectId,
          attempts,
          note,
          by: decidedBy,
        },
      }),
    ),
    ...lateCreations.map(
      ({ notedAt, objectId, idempotencyKey }): RowEvent => ({
        ...{ time: notedAt, event: 'late_answer', id: objectId, key: idempotencyKey },
      }),
    ),
  ];
  return events.sort((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0));
}
