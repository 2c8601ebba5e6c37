import * as z from 'zod';
import { resultStatuses } from '../../domain/rows/row-state.ts';
import { batchJson, error, exitCode, nextStep, time } from './shared.ts';

/** What `status` adds to each batch. */
const account = {
  state: z.enum(['running', 'planned', 'unfinished', 'finished']),
  needs_person: z.int().nonnegative().meta({ description: 'Rows that no run moves on by itself' }),
  doubt: z
    .strictObject({
      oldest_sent_at: time,
      oldest_runs_out_at: time.meta({ description: 'From then on only a person may decide about that row' }),
      expired: z.int().nonnegative().meta({ description: 'Rows whose keys have run out' }),
      unsettled: z
        .int()
        .nonnegative()
        .meta({ description: 'Other rows that two runs or more have sent without a conclusive answer' }),
    })
    .nullable()
    .meta({ description: 'Rows that were sent and have no conclusive answer; null when there are none' }),
  unanswered: z
    .strictObject({
      code: z.string().meta({ description: 'The most frequent cause, such as connection_refused' }),
      http_status: z.int().nullable(),
      rows: z.int().positive(),
      since: time.meta({ description: 'Since when nothing else was heard about them' }),
    })
    .nullable()
    .meta({ description: 'Rows that the API gave no answer; null when there are none' }),
  refused_alike: z
    .strictObject({
      code: z.string(),
      message: z.string().nullable().meta({ description: 'What the API said' }),
      rows: z.int().positive().meta({ description: 'Refused for it when the sending stopped' }),
    })
    .nullable()
    .meta({
      description: 'Why nothing more is sent until a person says so; null where nothing stands in the way',
    }),
  family: z
    .strictObject({
      first: z.uuid().meta({ description: 'The batch of the first file' }),
      rows: z.int().nonnegative().meta({ description: 'Of the first file' }),
      done_rows: z.int().nonnegative().meta({
        description: "Of the first file's rows, those that are created or existing in any of its batches",
      }),
      corrections: z
        .array(
          z.strictObject({ batch: z.uuid(), rows: z.int().positive(), done_rows: z.int().nonnegative() }),
        )
        .meta({ description: 'The batches that correct its rows, the oldest first' }),
    })
    .nullable()
    .meta({ description: 'Null for a batch that corrects none and has no corrections' }),
  running: z.array(
    z.strictObject({ command: z.string(), host: z.string(), process: z.string(), since: time }),
  ),
  last_run_at: time.nullable(),
  next: z.array(nextStep),
};

const listedBatch = batchJson.extend(account);

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

/** What happened to a row, the oldest first. */
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

/** `status`, `status BATCH` (one batch, with its runs) and `status BATCH --row N` (with the row as well). */
export const statusObject = z.strictObject({
  exit_code: exitCode,
  batches: z.array(listedBatch),
  runs: z.array(run).optional().meta({ description: 'Of the batch that was named' }),
  row: row.optional().meta({ description: 'The row that was named' }),
  error,
});

export type StatusObject = z.output<typeof statusObject>;
export type RowObject = z.output<typeof row>;
export type RowEventObject = z.output<typeof rowEvent>;
