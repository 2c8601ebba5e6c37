import type { CellKind } from '../../domain/cell.ts';
import type { FindingCode } from './catalogue.ts';

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

/** The check of one value that is not empty; knows what its cell was where that was not text. */
export type ValueCheck = (text: string, kind: CellKind | undefined) => Verdict;

export function isRefusal(verdict: NotedValue | Refusal): verdict is Refusal {
  return 'code' in verdict;
}
