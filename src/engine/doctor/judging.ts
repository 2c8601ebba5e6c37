/* Judges what was checked: in order, in order with a warning, or a problem that prevents a command from working. */

import { asFailure } from '../../call/start.ts';
import { type CallOutcome, PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { Check, CheckedThing, CheckFinding } from '../../domain/machine/checks.ts';

/** A check that passes. */
export function ok(what: CheckedThing, finding: CheckFinding): Check {
  return { level: 'ok', what, finding, outcome: 'done' };
}

/** A check that passes with a warning. */
export function warning(what: CheckedThing, finding: CheckFinding): Check {
  return { level: 'warning', what, finding, outcome: 'done' };
}

/** A problem that prevents a command from working. */
export function problem(what: CheckedThing, finding: CheckFinding, outcome: CallOutcome): Check {
  return { level: 'problem', what, finding, outcome };
}

/**
 * An expected failure as a problem.
 * @throws any other error
 */
export function problemOf(what: CheckedThing, thrown: unknown): Check {
  const error = asFailure(thrown);
  if (!(error instanceof PaybatchError)) throw error;
  return problem(what, { code: 'failed', error }, error.kind);
}

const toleratedSkewInMs = 60_000;

/**
 * @param of whose clock was compared with this machine's
 * @param skewInMs that clock's time minus this machine's
 */
export function compareClocks(of: 'API' | 'database', skewInMs: number): Check {
  return Math.abs(skewInMs) <= toleratedSkewInMs
    ? ok('clock', { code: 'clocks_agree', of, skewInMs })
    : warning('clock', { code: 'clocks_differ', of, skewInMs });
}
