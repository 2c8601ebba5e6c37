import * as z from 'zod';
import { type Line, secondOf, type Table } from '../table/table.ts';
import { countOf } from '../words/wording.ts';
import type { ComparisonFigures } from './comparison.ts';
import { accountSection, statesSection } from './report.ts';

/** A reconciliation as the ledger keeps it. */
interface KeptReconciliation {
  readonly compared: unknown;
  readonly result: unknown;
  readonly madeBy: string;
  /** ISO 8601, UTC. */
  readonly madeAt: string;
}

const sum = z.object({ currency: z.string(), rows: z.number(), amount: z.string() });
const side = z.object({
  records: z.number(),
  repeated: z.object({ records: z.number(), sums: z.array(sum) }).default({ records: 0, sums: [] }),
  leftOut: z.array(z.object({ reason: z.string(), records: z.number() })).default([]),
  sums: z.array(sum),
});
const rows = z.array(z.number());

const account = z.object({
  rows: z.number(),
  counts: z.record(z.string(), z.number()),
  isComplete: z.boolean(),
  sums: z.array(sum),
  leftOut: z.object({ invalid: z.array(sum), repeated: z.array(sum) }).default({ invalid: [], repeated: [] }),
  source: z
    .object({
      rows: z.number(),
      missingRows: rows,
      additionalRows: rows,
      differingRows: rows,
      repeated: z.object({ rows: z.number(), sums: z.array(sum) }).default({ rows: 0, sums: [] }),
      isEqual: z.boolean(),
    })
    .nullable(),
  echoes: z.object({
    checked: z.number(),
    unchecked: z.number(),
    differing: z.number(),
    differences: z.array(z.object({ row: z.number(), fields: z.array(z.string()) })),
  }),
  contradictions: z.array(
    z.object({
      kind: z.enum(['id', 'natural_key', 'unrecorded']),
      rows: z.array(z.object({ batch: z.string(), row: z.number() })),
    }),
  ),
});

const state = z.object({
  side: z.enum(['here', 'there']),
  state: z.string(),
  isDifference: z.boolean(),
  records: z.number(),
  sums: z.array(sum),
});

const kept = z.object({
  account,
  doubts: z.number(),
  comparison: z
    .object({
      hereName: z.string(),
      thereName: z.string(),
      compared: z.array(z.string()),
      onlyInSome: z.array(z.string()),
      remarks: z.array(z.string()).default([]),
      isCoverageDeclared: z.boolean().default(true),
      breakCount: z.number(),
      here: side,
      there: side,
      states: z.array(state),
    })
    .nullable(),
});

/**
 * The last reconciliation of a batch as sections of a report that a later run writes. What it found is told
 * as it was then: rows may have moved on since.
 * @returns none where there was no reconciliation, or one that an earlier version kept in another form
 */
export function lastReconciliationSections(made: readonly KeptReconciliation[]): Table[] {
  const last = made.at(-1);
  const parsed = kept.safeParse(last?.result);
  if (last === undefined || !parsed.success) return [];
  const { account: found, doubts, comparison } = parsed.data;
  const dated = (section: Table): Table => ({
    ...section,
    introduction: [
      `As of ${secondOf(last.madeAt)}, made by ${last.madeBy}; rows may have moved on since.`,
      ...(section.introduction === undefined ? [] : [section.introduction]),
    ].join(' '),
  });
  const first = dated(accountSection(found, 'it was not there'));
  const waiting: Line = [
    'Rows that wait for a verdict',
    doubts === 0 ? 'in order' : 'WAITING',
    countOf(doubts, 'row'),
  ];
  const figures: ComparisonFigures | null = comparison;
  return [
    { ...first, rows: [...first.rows, waiting] },
    ...(figures === null ? [] : [dated(statesSection(figures))]),
  ];
}
