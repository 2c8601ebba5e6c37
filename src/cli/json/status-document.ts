import type { BatchFamily, RowsInDoubt } from '../../domain/batches/batch.ts';
import type { RefusedAlike } from '../../domain/batches/batch-summary.ts';
import type { UnansweredRows } from '../../domain/sending/outcome.ts';
import type { CallContext } from '../../engine/running/context.ts';
import { type BatchView, type RunView, summaryOf } from '../../engine/status/batch-view.ts';
import type { RowEvent, RowView } from '../../engine/status/row.ts';
import type { StatusResult } from '../../engine/status.ts';
import { exitCodes } from '../../output/words/exit-codes.ts';
import type { RowObject, StatusObject } from './status.ts';
import { jsonSummary } from './summary.ts';

type WithSettings = Pick<CallContext, 'settings' | 'words'>;

/** What `status --json` prints. Without a ledger there are no batches. */
export function statusDocument(app: WithSettings, shown: StatusResult['shown']): StatusObject {
  switch (shown.kind) {
    case 'no_ledger':
      return listDocument(app, []);
    case 'list':
      return listDocument(app, shown.batches);
    case 'batch':
      return batchDocument(app, shown.batch);
    case 'row':
      return rowDocument(app, shown.batch, shown.row);
  }
}

function listDocument(app: WithSettings, views: readonly BatchView[]): StatusObject {
  const batches = views.flatMap((view) => {
    const summary = jsonSummary({ outcome: 'done', batches: [summaryOf(view)], error: null });
    return summary.batches.map((batch) => ({ ...batch, ...detailsOf(app, view) }));
  });
  return { exit_code: exitCodes.done, batches, error: null };
}

function batchDocument(app: WithSettings, view: BatchView): StatusObject {
  const { error, ...list } = listDocument(app, [view]);
  return { ...list, runs: view.runs.map(runObject), error };
}

function rowDocument(app: WithSettings, view: BatchView, row: RowView): StatusObject {
  const { error, ...batch } = batchDocument(app, view);
  return { ...batch, row: rowObject(row), error };
}

type Details = Omit<StatusObject['batches'][number], keyof ReturnType<typeof jsonSummary>['batches'][number]>;

function detailsOf(app: WithSettings, view: BatchView): Details {
  const { state, needsPerson, doubt, unanswered, refusedAlike, family, runs, lastRunAt } = view;
  const running = runs.filter(({ isUnderWay }) => isUnderWay);
  return {
    state,
    needs_person: needsPerson,
    doubt: doubt === null ? null : doubtObject(doubt),
    unanswered: unanswered === null ? null : unansweredObject(unanswered),
    refused_alike: refusedAlike === null ? null : refusedAlikeObject(refusedAlike),
    family: family === null ? null : familyObject(family),
    running: running.map(({ command, host, process, startedAt }) => ({
      command,
      host,
      process,
      since: startedAt,
    })),
    last_run_at: lastRunAt,
    next: view.remedies.map(({ why, remedy }) => ({ why, command: app.words.remedy(remedy) })),
  };
}

function refusedAlikeObject({ code, message, rows }: RefusedAlike): Details['refused_alike'] {
  return { code, message, rows };
}

function unansweredObject({ code, httpStatus, rows, since }: UnansweredRows): Details['unanswered'] {
  return { code, http_status: httpStatus, rows, since };
}

function doubtObject({ oldestSentAt, oldestRunsOutAt, expired, unsettled }: RowsInDoubt): Details['doubt'] {
  return { oldest_sent_at: oldestSentAt, oldest_runs_out_at: oldestRunsOutAt, expired, unsettled };
}

function familyObject({ first, doneRows, corrections }: BatchFamily): Details['family'] {
  return {
    first: first.id,
    rows: first.rows,
    done_rows: doneRows,
    corrections: corrections.map(({ id, rows, doneRows: done }) => ({ batch: id, rows, done_rows: done })),
  };
}

function runObject(view: RunView): NonNullable<StatusObject['runs']>[number] {
  const { number, command, host, process, startedAt, endedAt, outcome } = view;
  return {
    run: number,
    command,
    host,
    process,
    started_at: startedAt,
    ended_at: endedAt,
    exit_code: outcome === null ? null : exitCodes[outcome],
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
    row: row.row,
    status: row.status,
    same_as: sameAs,
    id: objectId,
    code: row.code,
    field: row.field,
    message: row.message,
    notes: [...row.notes],
    attempts: row.attempts,
    first_sent_at: firstSentAt,
    key_runs_out_at: keyRunsOutAt,
    changed_at: changedAt,
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
        time,
        event,
        run,
        attempt,
        key: idempotencyKey,
        outcome,
        reason,
        http_status: httpStatus,
        id: objectId,
        duration_ms: durationInMs,
        answer,
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
