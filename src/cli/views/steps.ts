import { type BatchView, summaryOf } from '../../engine/status/batch-view.ts';
import type { RowView } from '../../engine/status/row.ts';
import { type NextStep, nextSteps } from '../../output/words/next-steps.ts';

/** What to do about a batch, the most urgent first. */
export function stepsFor(view: BatchView): readonly NextStep[] {
  const { id, files, environment } = view;
  const about = { batch: id, failed: files.failed, environment };
  return nextSteps({ ...summaryOf(view), ...about });
}

/** What to do about one row of a batch. */
export function stepsForRow(
  { id, files, environment }: BatchView,
  { status, doubt }: RowView,
): readonly NextStep[] {
  const about = { batch: id, failed: files.failed, environment };
  return nextSteps({ ...about, counts: { [status]: 1 }, doubt });
}
