import * as z from 'zod';
import { time } from '../../../src/cli/json/public-facts.ts';
import { driftWhats } from '../../../src/domain/batches/last-time.ts';
import { resultStatuses } from '../../../src/domain/rows/row-state.ts';

/* The common parts of the objects that `--json` prints. Their names are public. */

export { time };

const path = z.string().meta({ description: 'An absolute path' });

export const error = z
  .strictObject({
    code: z.string().meta({ description: 'Stable, for programs' }),
    message: z.string().meta({ description: 'A sentence for a person' }),
    next: z.string().nullable().meta({ description: 'What helps; null when nothing does' }),
  })
  .nullable();

export const exitCode = z.union([0, 1, 2, 3, 4, 5, 6, 7, 8, 70].map((code) => z.literal(code)));

/** The last event of a chain of the audit trail. */
export const auditHead = z
  .strictObject({ number: z.int().positive(), hash: z.string() })
  .nullable()
  .meta({ description: "The last event of the batch's chain in the audit trail; null where there is none" });

const count = z.int().positive();

const counts = z
  .strictObject({
    ...Object.fromEntries(resultStatuses.map((status) => [status, count.optional()])),
  })
  .meta({ description: 'Rows by status; only those that occur. They add up to `rows`' });

const changes = z
  .strictObject({ payee_details_changed: count.optional(), account_shared: count.optional() })
  .meta({
    description: 'Findings about payees, by code; only those that occur. Absent where none does',
  });

const payees = z.int().nonnegative();

const payeesWithSums = z.strictObject({
  payees,
  sums: z.array(z.strictObject({ currency: z.string(), rows: count, amount: z.string() })),
});

const series = z
  .strictObject({
    payees,
    earlier: z.strictObject({ batch: z.uuid(), file: z.string(), payees }),
    new: payeesWithSums,
    missing: payeesWithSums,
  })
  .meta({
    description:
      'The payees of the file beside those of the last file of its series: how many are new, how many of that file are missing, and the amounts of their rows. Absent where there is no such file',
  });

const drift = z
  .array(
    z.strictObject({
      column: z.string().meta({ description: 'Its title' }),
      what: z.enum(driftWhats),
      before: z.string(),
      now: z.string(),
    }),
  )
  .meta({
    description:
      'How the columns differ from those of the last file that was read like this, with samples for people; accounts are masked. Absent where a file is in the columns of paybatch, or was not read by this call',
  });

const leftOut = count.meta({
  description:
    'Rows that the workbook does not have: it ends at 100,000. The CSV file has all. Absent where it has all',
});

const files = z.strictObject({
  results: path.nullable(),
  failed: path.nullable(),
  log: path.nullable(),
  log_head: path
    .nullable()
    .optional()
    .meta({ description: 'Beside the log: number and hash of its last line at the last claim' }),
  report: path.nullable(),
  objects: path.nullable().optional(),
  changes: path.nullable().optional(),
  failed_workbook: path.nullable().optional(),
  failed_workbook_left_out: leftOut.optional(),
  instructions: path.nullable().optional(),
  findings: path.optional(),
  findings_workbook: path.nullable().optional(),
  findings_workbook_left_out: leftOut.optional(),
});

export const batchJson = z.strictObject({
  batch: z.uuid().nullable().meta({ description: 'Null where no batch was made' }),
  kind: z.string().meta({ description: 'What the rows are, as `--kind` names it' }),
  file: z.string(),
  sheet: z.string().nullable(),
  rows: z.int().nonnegative(),
  counts,
  changes: changes.optional(),
  series: series.optional(),
  drift: drift.optional(),
  plan_hash: z.string().nullable(),
  files,
  audit_head: auditHead,
});

/** The notes of a call, as standard error has them. */
export const notes = z
  .array(z.strictObject({ code: z.string(), text: z.string() }))
  .optional()
  .meta({ description: 'The notes of the call, as standard error has them. Absent where there is none' });

/** The output of most commands, and of every command that fails before it has its own result. */
export const summaryObject = z
  .strictObject({
    exit_code: exitCode,
    batches: z.array(batchJson),
    left_out_sheets: z
      .array(z.strictObject({ file: z.string(), sheet: z.string(), rows: count }))
      .optional()
      .meta({
        description:
          'Sheets with rows that were left out, which no person has decided. Absent where there is none',
      }),
    error,
    notes,
  })
  .meta({ description: 'What became of each batch, and why a command did not do what it was asked' });

export type JsonSummary = z.output<typeof summaryObject>;
