import type { BatchFamily } from '../../domain/batches/family.ts';
import type { RowsInDoubt } from '../../domain/batches/open-rows.ts';
import type { RunRecord } from '../../domain/batches/run.ts';
import { exitCodes } from '../../domain/failures/exit-code.ts';
import type { UnansweredRows } from '../../domain/sending/unanswered.ts';
import type { RowObject, StatusObject } from '../../output/json/status.ts';
import { jsonSummary } from '../../output/words/json-summary.ts';
import { nextSteps } from '../../output/words/next-steps.ts';
import { repeatedOptions } from '../access/repeated-options.ts';
import type { JobContext } from '../running/context.ts';
import { type AccountedBatch, processId } from './account.ts';

/** What `status --json` prints of all batches. */
export function listDocument(app: JobContext, accounts: readonly AccountedBatch[]): StatusObject {
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
export function batchDocument(app: JobContext, account: AccountedBatch): StatusObject {
  const { error, ...list } = listDocument(app, [account]);
  return { ...list, runs: account.runs.map(runObject), error };
}

/** What it prints of a row of a batch. */
export function rowDocument(app: JobContext, account: AccountedBatch, row: RowObject): StatusObject {
  const { error, ...batch } = batchDocument(app, account);
  return { ...batch, row, error };
}

type Details = Omit<StatusObject['batches'][number], keyof ReturnType<typeof jsonSummary>['batches'][number]>;

function detailsOf(app: JobContext, account: AccountedBatch | undefined): Details {
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
