import { repeatedOptions } from '../../engine/access/repeated-options.ts';
import type { CallContext } from '../../engine/running/context.ts';
import { type BatchView, summaryOf } from '../../engine/status/batch-view.ts';
import type { RowView } from '../../engine/status/row.ts';
import { type NextStep, nextSteps } from '../../output/words/next-steps.ts';

type WithSettings = Pick<CallContext, 'settings'>;

/** What to do about a batch, the most urgent first, as commands to type. */
export function stepsFor(app: WithSettings, view: BatchView): readonly NextStep[] {
  const { id, files, environment } = view;
  const about = { batch: id, failed: files.failed, commandOptions: repeatedOptions(app, environment) };
  return nextSteps({ ...summaryOf(view), ...about });
}

/** What to do about one row of a batch. */
export function stepsForRow(
  app: WithSettings,
  { id, files, environment }: BatchView,
  { status, doubt }: RowView,
): readonly NextStep[] {
  const about = { batch: id, failed: files.failed, commandOptions: repeatedOptions(app, environment) };
  return nextSteps({ ...about, counts: { [status]: 1 }, doubt });
}
