/* A plan that waits for approval, for a terminal. */

import { plannedRows } from '../../account/plan-tables.ts';
import { printable } from '../../account/words/wording.ts';
import type { PlanForApproval } from '../../controls/approve.ts';
import { countOf } from '../../domain/money/figures.ts';
import { changeLines } from './changes.ts';
import { planBlocks } from './plan-table.ts';
import { titleOf } from './summary.ts';
import { colourIf } from './terminal-text.ts';

/** What would be sent, what changed, and what would not be sent: several lines, without a newline at the end. */
export function approvalText(
  { account, report }: PlanForApproval,
  { useColour, terminalColumns }: { readonly useColour: boolean; readonly terminalColumns: number },
): string {
  const colour = colourIf(useColour);
  const { totals, planHash } = account.plan;
  const blocks = [
    [titleOf(account, colour), `  ${countOf(plannedRows(totals), 'row')} would be sent`],
    changeLines(account.changes, colour, terminalColumns),
    ...planBlocks(totals, colour),
    [`  plan hash  ${planHash}`, ...(report === null ? [] : [`  report     ${printable(report)}`])],
  ];
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n');
}
