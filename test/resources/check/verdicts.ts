import type { Verdict } from '../../../src/resources/check/verdict.ts';

/** A verdict as one line for tables of cases: the value, `code!`, or `value (note)`. */
export function summarise(verdict: Verdict): string {
  if (typeof verdict === 'string') return verdict;
  return 'code' in verdict ? `${verdict.code}!` : `${verdict.value} (${verdict.note})`;
}
