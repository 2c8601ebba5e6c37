import { reconciliationSchema } from '../../domain/batches/reconciliation.ts';
import { countOf } from '../../domain/money/figures.ts';
import { type Line, secondOf, type Table } from '../table/table.ts';
import { accountSection, statesSection } from './report.ts';

/** A reconciliation as the ledger keeps it. */
interface KeptReconciliation {
  readonly compared: unknown;
  readonly result: unknown;
  readonly madeBy: string;
  /** ISO 8601, UTC. */
  readonly madeAt: string;
}

/**
 * The last reconciliation of a batch as sections of a report that a later run writes. What it found is told
 * as it was then: rows may have moved on since.
 * @returns none where there was no reconciliation, or one that an earlier version kept in another form
 */
export function lastReconciliationSections(made: readonly KeptReconciliation[]): Table[] {
  const last = made.at(-1);
  const parsed = reconciliationSchema.safeParse(last?.result);
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
  return [
    { ...first, rows: [...first.rows, waiting] },
    ...(comparison === null ? [] : [dated(statesSection(comparison))]),
  ];
}
