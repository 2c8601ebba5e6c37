/* How a call ends, as data: an error's kind, or what the rows came to. */

import type { StatusCounts } from '../rows/row-state.ts';
import type { ErrorKind } from './error-codes.ts';

/**
 * How a call ended. `done`: every row is created or existing, or what was asked for is done. `rows_need_correction`,
 * `decision_needed`: it came to its end, and rows wait for that.
 */
export type CallOutcome = 'done' | 'rows_need_correction' | ErrorKind;

/** Where several apply, the first of these counts. */
const precedence = [
  'internal',
  'busy',
  'credentials_refused',
  'stopped',
  'plan_changed',
  'file_refused',
  'usage',
  'decision_needed',
  'rows_need_correction',
  'done',
] as const satisfies readonly CallOutcome[];

export function gravest(outcomes: readonly CallOutcome[]): CallOutcome {
  return precedence.find((outcome) => outcomes.includes(outcome)) ?? 'done';
}

/**
 * A batch's own outcome. Rows that are ready and were not sent mean that the run stopped before its end; unknown and
 * held rows are for a person, and so are those that need a correction.
 * @param contradicted created rows whose answer contradicts what was sent: they are for a person too
 * @param isRefusedAlike whether its sending stopped since its rows are all refused for one reason: only a person lets
 *   the others go on
 */
export function outcomeOfRows(counts: StatusCounts, contradicted = 0, isRefusedAlike = false): CallOutcome {
  const outcomes: CallOutcome[] = [];
  if (counts.not_sent) outcomes.push(isRefusedAlike ? 'decision_needed' : 'stopped');
  if (counts.unknown || counts.held || contradicted > 0) outcomes.push('decision_needed');
  if (counts.invalid || counts.rejected || counts.waiting) outcomes.push('rows_need_correction');
  return gravest(outcomes);
}
