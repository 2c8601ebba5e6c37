/* The JSON output of `status`: its documents, and the shapes in them. */

import * as z from 'zod';
import { publicFactsOf, publicShapes } from '../../account/facts.ts';
import type { RowView } from '../../account/row.ts';
import type { CallContext } from '../../call/context.ts';
import { exitCodes } from '../../disk/log/exit-codes.ts';
import type { BatchAccount, RunAccount } from '../../domain/batches/account.ts';
import type { FailedRun } from '../../domain/batches/batch-facts.ts';
import type { RowEvent } from '../../domain/rows/result-row.ts';
import { resultStatuses } from '../../domain/rows/row-state.ts';
import type { StatusResult } from '../../engine/status.ts';
import { terminalText } from '../options/options.ts';
import { nextOfRemedies } from '../remedies/remedy-text.ts';
import { haltInForceObject } from './controls.ts';
import { jsonSummary } from './document.ts';
import { batchJson, error, exitCode, notes, time } from './shared.ts';

const listedBatch = batchJson.extend(publicShapes);

const run = z.strictObject({
  run: z.int().positive().meta({ description: 'Counts the runs of the batch from 1' }),
  command: z.string(),
  host: z.string(),
  process: z.string(),
  started_at: time,
  ended_at: time.nullable(),
  exit_code: z.int().nullable().meta({ description: 'Null while it runs, and where it was killed' }),
});

const runNumber = z.int().positive().nullable().meta({ description: 'Null for a run of a lost ledger' });

/** The events of a row, the oldest first. */
const rowEvent = z.discriminatedUnion('event', [
  z.strictObject({ time, event: z.literal('staged') }),
  z.strictObject({
    time,
    event: z.literal('request_written'),
    run: runNumber,
    key: z.uuid(),
    path: z.string(),
  }),
  z.strictObject({
    time: time.meta({ description: 'When it left; of earlier versions, when it was recorded' }),
    event: z.literal('attempt'),
    run: runNumber,
    attempt: z.int().positive(),
    key: z.uuid().nullable(),
    outcome: z.enum(['created', 'refused', 'unknown', 'conflict', 'throttled', 'not_sent', 'stop']),
    reason: z.string().nullable(),
    http_status: z.int().nullable(),
    id: z.string().nullable(),
    duration_ms: z.int().nonnegative(),
    answer: z.string().nullable().meta({ description: "The answer's body; null where none was kept" }),
  }),
  z.strictObject({
    time,
    event: z.literal('verdict'),
    verdict: z.enum(['created', 'not-created', 'existing', 'send']),
    from: z.enum(['held', 'unknown']),
    id: z.string().nullable(),
    attempts: z.int().nonnegative().meta({ description: 'How many requests of the row it was given about' }),
    note: z.string(),
    by: z.string(),
  }),
  z.strictObject({
    time,
    event: z.literal('late_answer'),
    id: z.string().meta({ description: 'Of the object that the API created when the row was given up' }),
    key: z.uuid(),
  }),
]);

const row = z.strictObject({
  row: z.int().positive(),
  status: z.enum(resultStatuses),
  same_as: z.int().positive().nullable().meta({ description: 'The earlier row that it repeats' }),
  id: z.string().nullable(),
  code: z.string().nullable(),
  field: z.string().nullable(),
  message: z.string().nullable(),
  notes: z.array(z.string()),
  attempts: z.int().nonnegative(),
  first_sent_at: time.nullable(),
  key_runs_out_at: time.nullable(),
  changed_at: time,
  history: z.array(rowEvent),
});

const failedRun = z.strictObject({
  command: z.string(),
  file: z
    .string()
    .nullable()
    .meta({ description: 'The file that was refused; null where the run failed as a whole' }),
  exit_code: z.int(),
  code: z.string().meta({ description: 'As in `error`' }),
  message: z.string(),
  next: z.string().nullable(),
  since: time.meta({ description: 'Since when it has failed again and again' }),
  last_at: time,
  times: z.int().positive(),
  by: z.string(),
  host: z.string(),
});

/** `status`, `status BATCH` (one batch, with its runs) and `status BATCH --row N` (with the row as well). */
export const statusObject = z.strictObject({
  exit_code: exitCode,
  halt: haltInForceObject.optional().meta({ description: 'Only while everything is halted' }),
  batches: z.array(listedBatch),
  runs: z.array(run).optional().meta({ description: 'Of the batch that was named' }),
  row: row.optional().meta({ description: 'The row that was named' }),
  failed_runs: z.array(failedRun).optional().meta({
    description:
      'Runs of the last 14 days that failed without a batch, and that no later run has made good; only in the list of batches',
  }),
  error,
  notes,
});

type StatusObject = z.output<typeof statusObject>;
type RowObject = z.output<typeof row>;

type WithSettings = Pick<CallContext, 'settings' | 'words'>;

/** The output of `status --json`. Without a ledger there are no batches. */
export function statusDocument(app: WithSettings, shown: StatusResult['shown']): StatusObject {
  switch (shown.kind) {
    case 'no_ledger':
      return { ...listDocument(app, []), failed_runs: [] };
    case 'list':
      return {
        ...listDocument(app, shown.batches),
        failed_runs: shown.failedRuns.map((failed) => failedRunObject(app, failed)),
      };
    case 'batch':
      return batchDocument(app, shown.batch);
    case 'row':
      return rowDocument(app, shown.batch, shown.row);
  }
}

function listDocument(app: WithSettings, views: readonly BatchAccount[]): StatusObject {
  const batches = views.flatMap((view) => {
    const summary = jsonSummary({ outcome: 'done', batches: [view] });
    return summary.batches.map((batch) => ({ ...batch, ...publicFactsOf(view, app.words) }));
  });
  return { exit_code: exitCodes.done, batches, error: null };
}

function batchDocument(app: WithSettings, view: BatchAccount): StatusObject {
  const { error, ...list } = listDocument(app, [view]);
  return { ...list, runs: view.runs.map(runObject), error };
}

function rowDocument(app: WithSettings, view: BatchAccount, row: RowView): StatusObject {
  const { error, ...batch } = batchDocument(app, view);
  return { ...batch, row: rowObject(row), error };
}

function failedRunObject(
  app: WithSettings,
  failed: FailedRun,
): NonNullable<StatusObject['failed_runs']>[number] {
  const { command, file, outcome, code, message, remedies, since, lastAt, times, startedBy, host } = failed;
  return {
    command,
    file,
    exit_code: exitCodes[outcome],
    code,
    message: terminalText(message),
    next: nextOfRemedies(remedies, app.words),
    since,
    last_at: lastAt,
    times,
    by: startedBy,
    host,
  };
}

function runObject(view: RunAccount): NonNullable<StatusObject['runs']>[number] {
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
