import type { ShownPlan } from '../../engine/plan.ts';
import type { App } from '../command/app.ts';
import { type Command, textsOf } from '../command/command.ts';
import { sayFailure } from '../printing/result.ts';
import { planTable } from '../views/plan-table.ts';

export const planCommand: Command = {
  work: async (app, parsed) => {
    const result = await app.engine.plan({ files: textsOf(parsed, 'file') }, app.call).result;
    for (const plan of result.plans) printPlan(app, plan);
    if (result.failure !== null) sayFailure(app, result.failure);
    return result;
  },
};

function printPlan(app: App, { batch, summary, totals, canBeSent, isLedgerEmbedded }: ShownPlan): void {
  const { mode, origin } = batch;
  const table = planTable(summary, totals, {
    environment: { mode, origin },
    useColour: app.terminal.useColour,
    words: app.words,
    canBeSent,
    isLedgerEmbedded,
  });
  app.terminal.print(`${table}\n`);
}
