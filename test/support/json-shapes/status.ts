/* The shapes of what `status --json` prints: batches, runs, failed runs, and a row with its history. */

import * as z from 'zod';
import { publicShapes } from '../../../src/cli/json/public-facts.ts';
import { resultStatuses } from '../../../src/domain/rows/row-state.ts';
import { haltInForceObject } from './controls.ts';
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
    time: time.meta({ description: 'When it left' }),
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
