import type { CallOutcome } from '../../domain/failures/call-outcome.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { type Remedies, type Remedy, remediesOf } from '../../domain/failures/remedy.ts';
import { asFailure } from '../running/stop-cause.ts';

/** One thing that was looked at. */
export interface CheckResult {
  readonly level: 'ok' | 'warning' | 'problem';
  /** What was looked at, in a word or two: `database`. */
  readonly what: string;
  /** What was found, as a sentence without its full stop. */
  readonly finding: string;
  /** Any one of these helps; none when all is well. */
  readonly remedies: readonly Remedy[];
}

/** A result, and how the call would end with it alone. */
export interface Check extends CheckResult {
  readonly outcome: CallOutcome;
}

export function ok(what: string, finding: string): Check {
  return { level: 'ok', what, finding, remedies: [], outcome: 'done' };
}

/** Something that works, and that somebody should look at. */
export function warning(what: string, finding: string, remedies: Remedies): Check {
  return { level: 'warning', what, finding, remedies: remediesOf(remedies), outcome: 'done' };
}

/** Something that keeps a command from its work. */
export function problem(what: string, finding: string, remedies: Remedies, outcome: CallOutcome): Check {
  return { level: 'problem', what, finding, remedies: remediesOf(remedies), outcome };
}

/** An expected failure as a problem. @throws whatever else was thrown */
export function problemOf(what: string, error: unknown): Check {
  const failure = asFailure(error);
  if (!(failure instanceof PaybatchError)) throw error;
  const { message, remedies, kind } = failure;
  const some = remedies.length === 0 ? 'try again later' : remedies;
  return problem(what, message.replace(/\.$/, ''), some, kind);
}
