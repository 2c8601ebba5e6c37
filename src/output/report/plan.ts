/* What a plan would send, as a table of a page. */

import type { PlanTotals } from '../../domain/batches/plan.ts';
import { type CellForms, reportForms, type TableSection } from './page.ts';
import { statusCell } from './sections.ts';

/** What would be sent by type, institution and currency, with exact sums, and behind it what would not, with why. */
export function planSections(totals: PlanTotals, { reason }: CellForms = reportForms): TableSection[] {
  return [
    sendSection(totals),
    {
      title: 'What would not be sent',
      columns: ['Status', 'Why', 'Rows', 'First row'],
      rows: totals.skip.map(({ status, code, rows, firstRow }) => [
        ...[statusCell(status), reason(code), rows],
        String(firstRow),
      ]),
    },
  ];
}

/** What would be sent by type, institution and currency, with exact sums. */
export function sendSection({ send }: PlanTotals): TableSection {
  return {
    title: 'What would be sent',
    columns: ['What', 'Institution', 'Currency', 'Rows', 'Amount'],
    rows: send.map(({ resource, institution, currency, rows, amount }) => [
      ...[resource.slice(resource.indexOf('/') + 1).replaceAll('_', ' '), institution, currency, rows],
      amount === null || currency === null ? null : { amount, currency },
    ]),
  };
}
