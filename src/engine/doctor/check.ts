import { type ExitCode, exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
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
  readonly exitCode: ExitCode;
}

export function ok(what: string, finding: string): Check {
  return { level: 'ok', what, finding, next: null, exitCode: exitCodes.done };
}

/** Something that works, and that somebody should look at. */
export function warning(what: string, finding: string, next: string): Check {
  return { level: 'warning', what, finding, next, exitCode: exitCodes.done };
}

/** Something that keeps a command from its work. */
export function problem(what: string, finding: string, next: string, exitCode: ExitCode): Check {
  return { level: 'problem', what, finding, next, exitCode };
}

/** An expected failure as a problem. @throws whatever else was thrown */
export function problemOf(app: Pick<CallContext, 'settings'>, what: string, error: unknown): Check {
  const failure = asFailure(error);
  if (!(failure instanceof Failure)) throw error;
  const { message, next, exitCode } = withNextCommand(app, failure);
  return problem(what, message.replace(/\.$/, ''), next ?? 'try again later', exitCode);
}
