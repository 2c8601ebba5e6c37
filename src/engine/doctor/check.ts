import type { CallOutcome } from '../../domain/failures/call-outcome.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { withNextCommand } from '../access/repeated-options.ts';
import type { CallContext } from '../running/context.ts';
import { asFailure } from '../running/stop-cause.ts';

/** One thing that was looked at. */
export interface CheckResult {
  readonly level: 'ok' | 'warning' | 'problem';
  /** What was looked at, in a word or two: `database`. */
  readonly what: string;
  /** What was found, as a sentence without its full stop. */
  readonly finding: string;
  /** The command to type, or what else to do; null when all is well. */
  readonly next: string | null;
}

/** A result, and the exit code that it alone would give. */
export interface Check extends CheckResult {
  readonly outcome: CallOutcome;
}

export function ok(what: string, finding: string): Check {
  return { level: 'ok', what, finding, next: null, outcome: 'done' };
}

/** Something that works, and that somebody should look at. */
export function warning(what: string, finding: string, next: string): Check {
  return { level: 'warning', what, finding, next, outcome: 'done' };
}

/** Something that keeps a command from its work. */
export function problem(what: string, finding: string, next: string, outcome: CallOutcome): Check {
  return { level: 'problem', what, finding, next, outcome };
}

/** An expected failure as a problem. @throws whatever else was thrown */
export function problemOf(app: Pick<CallContext, 'settings'>, what: string, error: unknown): Check {
  const failure = asFailure(error);
  if (!(failure instanceof PaybatchError)) throw error;
  const { message, next, kind } = withNextCommand(app, failure);
  return problem(what, message.replace(/\.$/, ''), next ?? 'try again later', kind);
}
