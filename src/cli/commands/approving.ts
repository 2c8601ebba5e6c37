/* The commands of approvers: `approve` and `reject`. */

import { plannedRows } from '../../account/batch-tables.ts';
import { approvalHeadline, printable } from '../../account/words/wording.ts';
import type { DecisionResult, PlanForApproval } from '../../controls/approve.ts';
import { countOf } from '../../domain/money/money.ts';
import type { App } from '../command/app.ts';
import { type Command, textOf } from '../command/command.ts';
import { decisionDocument } from '../json/decision.ts';
import { sayFailure } from '../print-result.ts';
import { planBlocks } from '../views/plan-table.ts';
import { changeLines, titleOf } from '../views/summary.ts';
import { colourIf } from '../views/terminal-text.ts';

/** Shows a plan, and signs its approval. */
export const approveCommand: Command = {
  work: async (app, parsed) => {
    const request = {
      batch: textOf(parsed, 'batch') ?? '',
      planHash: textOf(parsed, 'plan-hash'),
      note: textOf(parsed, 'note'),
      report: textOf(parsed, 'report'),
    };
    const result = await app.engine.approve(request, app.call).result;
    const { plan, standing } = result;
    const { useColour, columns } = app.terminal;
    if (plan !== null) app.terminal.print(approvalText(plan, { useColour, terminalColumns: columns }));
    return told(app, result, `Signed by ${result.by}. ${approvalHeadline(standing)}.`);
  },
};

/** Signs the rejection of a plan. */
export const rejectCommand: Command = {
  work: async (app, parsed) => {
    const request = { batch: textOf(parsed, 'batch') ?? '', note: textOf(parsed, 'note') ?? '' };
    const result = await app.engine.reject(request, app.call).result;
    return told(
      app,
      result,
      `Rejected by ${result.by}: no row of the batch is sent until its plan is approved.`,
    );
  },
};

function told(app: App, result: DecisionResult, done: string): ReturnType<Command['work']> {
  if (result.failure !== null) sayFailure(app, result.failure);
  else app.terminal.print(`\n${done}`);
  return Promise.resolve({ ...result, document: decisionDocument(result, app.words) });
}

/* Formats a plan that waits for approval, for a terminal. */

/**
 * The rows that would be sent, the changes, and the rows that would not be sent: several lines, without a newline at
 * the end.
 */
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
