import type { CellKind } from '../../domain/cell.ts';
import type { FindingCode } from './catalogue.ts';
import type { RowValues } from './row-values.ts';

/** A value that does not pass, and the sentence that says why. */
export interface Refusal {
  readonly code: FindingCode;
  readonly message: string;
}

/** A value that passes, with something worth knowing about it; the column's title is added to the note. */
export interface NotedValue {
  readonly value: string;
  readonly note: string;
}

/** What a check makes of a value: its canonical form where it passes. */
export type Verdict = string | NotedValue | Refusal;

/** The check of one value that is not empty; knows what its cell was where that was not text, and its row. */
export type ValueCheck = (text: string, kind: CellKind | undefined, row: RowValues) => Verdict;

export function isRefusal(verdict: NotedValue | Refusal): verdict is Refusal {
  return 'code' in verdict;
}

/** The canonical value that a check gave; undefined where it is empty or refused. */
export function passedValue(verdict: Verdict): string | undefined {
  if (typeof verdict === 'string') return verdict === '' ? undefined : verdict;
  return isRefusal(verdict) || verdict.value === '' ? undefined : verdict.value;
}
