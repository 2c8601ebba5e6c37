import type { BatchFamily, RowsInDoubt, RunRecord } from '../../domain/batches/batch.ts';
import type { UnansweredRows } from '../../domain/sending/outcome.ts';
import { repeatedOptions } from '../../engine/access/repeated-options.ts';
import type { CallContext } from '../../engine/running/context.ts';
import { type AccountedBatch, processId } from '../../engine/status/account.ts';
import type { RowEvent, RowView } from '../../engine/status/row.ts';
import type { StatusResult } from '../../engine/status.ts';
import { exitCodes } from '../../output/words/exit-codes.ts';
import { nextSteps } from '../../output/words/next-steps.ts';
import type { RowObject, StatusObject } from './status.ts';
import { jsonSummary } from './summary.ts';

type WithSettings = Pick<CallContext, 'settings'>;

/** What `status --json` prints. Without a ledger there are no batches. */
export function statusDocument(app: WithSettings, shown: StatusResult['shown']): StatusObject {
  switch (shown.kind) {
    case 'no_ledger':
      return listDocument(app, []);
    case 'list':
      return listDocument(app, shown.accounts);
    case 'batch':
      return batchDocument(app, shown.account);
    case 'row':
      return rowDocument(app, shown.account, shown.row);
  }
}

/** What `status --json` prints of all batches. */
function listDocument(app: WithSettings, accounts: readonly AccountedBatch[]): StatusObject {
  const { batches } = jsonSummary({
    outcome: 'done',
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
function batchDocument(app: WithSettings, account: AccountedBatch): StatusObject {
  const { error, ...list } = listDocument(app, [account]);
  return { ...list, runs: account.runs.map(runObject), error };
}

/** What it prints of a row of a batch. */
function rowDocument(app: WithSettings, account: AccountedBatch, row: RowView): StatusObject {
  const { error, ...batch } = batchDocument(app, account);
  return { ...batch, row: rowObject(row), error };
}

type Details = Omit<StatusObject['batches'][number], keyof ReturnType<typeof jsonSummary>['batches'][number]>;

function detailsOf(app: WithSettings, account: AccountedBatch | undefined): Details {
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
  { command, owner, startedAt, endedAt, outcome }: RunRecord,
  at: number,
): NonNullable<StatusObject['runs']>[number] {
  return {
    ...{ run: at + 1, command, host: owner.host, process: processId(owner.process) },
    ...{ started_at: startedAt, ended_at: endedAt, exit_code: outcome === null ? null : exitCodes[outcome] },
  };
}

function rowObject({
  sameAs,
  objectId,
  firstSentAt,
  keyRunsOutAt,
  changedAt,
  history,
  ...row
}: RowView): RowObject {
  return {
    ...{ row: row.row, status: row.status, same_as: sameAs, id: objectId },
    ...{
      code: row.code,
      field: row.field,
      message: row.message,
      notes: [...row.notes],
      attempts: row.attempts,
    },
    ...{ first_sent_at: firstSentAt, key_runs_out_at: keyRunsOutAt, changed_at: changedAt },
    history: history.map(eventObject),
  };
}

function eventObject(happened: RowEvent): RowObject['history'][number] {
  const { time } = happened;
  switch (happened.event) {
    case 'staged':
      return { time, event: happened.event };
    case 'request_written': {
      const { event, run, idempotencyKey, path } = happened;
      return { time, event, run, key: idempotencyKey, path };
    }
    case 'attempt': {
      const {
        event,
        run,
        attempt,
        idempotencyKey,
        outcome,
        reason,
        httpStatus,
        objectId,
        durationInMs,
        answer,
      } = happened;
      return {
        ...{ time, event, run, attempt, key: idempotencyKey, outcome, reason },
        ...{ http_status: httpStatus, id: objectId, duration_ms: durationInMs, answer },
      };
    }
    case 'verdict': {
      const { event, verdict, fromState, objectId, attempts, note, decidedBy } = happened;
      return { time, event, verdict, from: fromState, id: objectId, attempts, note, by: decidedBy };
    }
    case 'late_answer': {
      const { event, objectId, idempotencyKey } = happened;
      return { time, event, id: objectId, key: idempotencyKey };
    }
  }
}
