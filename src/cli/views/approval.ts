/* A plan that waits for approval, for a terminal. */

import { shortBatchId } from '../../domain/batches/batch.ts';
import type { PlanForApproval } from '../../engine/controls/approve.ts';
import { countOf, printable } from '../../output/words/wording.ts';
import { changeLines } from './changes.ts';
import { sendLines, skipLines } from './plan-table.ts';
import { colourIf } from './terminal-text.ts';

/** What would be sent, what changed, and what would not be sent: several lines, without a newline at the end. */
export function approvalText(
  { batch, planHash, totals, changes, report }: PlanForApproval,
  { useColour, terminalColumns }: { readonly useColour: boolean; readonly terminalColumns: number },
): string {
  const colour = colourIf(useColour);
  const mode = batch.mode === 'live' ? colour('red', 'LIVE') : batch.mode;
  const file = batch.sheet === null ? batch.fileName : `${batch.fileName}, sheet ${batch.sheet}`;
  const rows = totals.send.reduce((sum, group) => sum + group.rows, 0);
  const title = [colour('bold', printable(file)), batch.kind, mode, `batch ${shortBatchId(batch.id)}`];
  const blocks = [
    [title.join(' · '), `  ${countOf(rows, 'row')} would be sent`],
    changeLines(changes, colour, terminalColumns),
    sendLines(totals, colour),
    skipLines(totals, colour),
    [`  plan hash  ${planHash}`, ...(report === null ? [] : [`  report     ${printable(report)}`])],
  ];
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n');
}
