/* Reconciliations as JSON: the document of `reconcile`, and the shapes in it. */

import * as z from 'zod';
import { missingFactsReasons } from '../../domain/rows/result-row.ts';
import { rowStates } from '../../domain/rows/row-state.ts';
import type { ComparedFiles } from '../../engine/reconciling/batch.ts';
import { type ReconciledBatch, writtenFiles } from '../../engine/reconciling/reconciliation.ts';
import { jsonSummary } from './document.ts';
import { batchJson, error, exitCode, time } from './shared.ts';

const count = z.int().nonnegative();
const sum = z.strictObject({ currency: z.string(), rows: count, amount: z.string() });
const path = z.string().nullable();

const side = z.looseObject({
  records: count,
  repeated: z.looseObject({ records: count, sums: z.array(sum) }),
  leftOut: z.array(z.looseObject({ reason: z.string(), records: count })),
  sums: z.array(sum),
});

const comparison = z
  .looseObject({
    hereName: z.string(),
    thereName: z.string(),
    compared: z.array(z.string()).meta({ description: 'What both sides have, and is compared' }),
    onlyInSome: z.array(z.string()),
    remarks: z.array(z.string()),
    isCoverageDeclared: z
      .boolean()
      .meta({ description: 'Whether --covers-from or --covers-to says which days are judged' }),
    breakCount: count.meta({ description: 'Differences' }),
    here: side,
    there: side,
    states: z.array(
      z.looseObject({
        side: z.enum(['here', 'there']),
        state: z.string(),
        isDifference: z.boolean().meta({
          description:
            'Of matched records: whether a row of ours still needs a verdict; they are counted apart',
        }),
        records: count,
        sums: z.array(sum),
      }),
    ),
  })
  .meta({ description: 'Of our rows (here) with the records of the other side (there)' });

const account = z.looseObject({
  rows: count,
  counts: z.record(z.string(), count),
  isComplete: z.boolean().meta({ description: 'Whether every row that came in is accounted for' }),
  sums: z.array(sum).meta({ description: 'Of the rows that are neither invalid nor repeat another one' }),
  leftOut: z
    .strictObject({ invalid: z.array(sum), repeated: z.array(sum) })
    .meta({ description: 'What the others would add' }),
  source: z
    .looseObject({
      rows: count,
      missingRows: z.array(count),
      additionalRows: z.array(count),
      isEqual: z.boolean(),
    })
    .nullable()
    .meta({ description: 'The file that was imported; null when it was not there to compare' }),
  echoes: z.looseObject({ checked: count, unchecked: count, differing: count }),
  contradictions: z.array(z.looseObject({ kind: z.enum(['id', 'natural_key', 'unrecorded']) })),
});

const replayed = z.strictObject({
  row: count,
  state: z.enum(rowStates),
  objectId: z.string().nullable(),
  origin: z.enum(['existed_before', 'created_by_replay', 'not_known']).nullable(),
});

const verdict = z.strictObject({
  row: count,
  verdict: z.enum(['created', 'not-created', 'existing', 'send']),
  fromState: z.enum(['held', 'unknown']),
  fromCode: z.string().nullable(),
  objectId: z.string().nullable(),
  note: z.string(),
  decidedBy: z.string(),
  decidedAt: time,
});

/** `reconcile BATCH`. */
export const reconcileObject = z.strictObject({
  exit_code: exitCode,
  batches: z.array(batchJson),
  error,
  reconciliation: z.strictObject({
    account,
    doubts: count.meta({ description: "Rows that wait for a person's verdict" }),
    replayed: z.array(replayed).meta({ description: 'The first 1,000 rows that were sent again' }),
    replayedRows: count.meta({ description: 'How many there are' }),
    facts: z
      .strictObject({
        filled: count,
        missing: z.array(
          z.strictObject({
            reason: z.enum(missingFactsReasons),
            rows: count,
          }),
        ),
      })
      .meta({
        description:
          'Created rows that were sent again for what was answered about their objects, and is not there',
      }),
    comparison: comparison.nullable().meta({ description: 'Null without --against' }),
    files: z.strictObject({ verdicts: path, breaks: path, pairs: path }),
    verdicts: z.array(verdict).meta({ description: 'That were given so far, oldest first' }),
  }),
});

/** `reconcile --left --right`. */
export const compareObject = z.strictObject({
  exit_code: exitCode,
  batches: z.array(batchJson),
  error,
  reconciliation: z.strictObject({ comparison, files: z.looseObject({ breaks: path, pairs: path }) }),
});

/** What `reconcile BATCH --json` prints. */
export function reconciliationDocument({
  outcome,
  batches,
  figures,
  reconciliation,
  verdicts,
}: ReconciledBatch): object {
  return {
    ...jsonSummary({ outcome, batches, error: null }),
    reconciliation: { ...figures, files: writtenFiles(reconciliation), verdicts },
  };
}

/** What `reconcile --left --right --json` prints. */
export function comparisonDocument({ outcome, batches, compared }: ComparedFiles): object {
  const { figures, files } = compared;
  return {
    ...jsonSummary({ outcome, batches, error: null }),
    reconciliation: { comparison: figures, files },
  };
}
