import type { CellKind } from '../../domain/tables/cell.ts';
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
export type ValueResult = string | NotedValue | Refusal;

/** The check of one value that is not empty; knows what its cell was where that was not text, and its row. */
export type ValueCheck = (text: string, kind: CellKind | undefined, row: RowValues) => ValueResult;

export function isRefusal(result: NotedValue | Refusal): result is Refusal {
  return 'code' in result;
}

/** The canonical value that a check gave; undefined where it is empty or refused. */
export function passedValue(result: ValueResult): string | undefined {
  if (typeof result === 'string') return result === '' ? undefined : result;
  return isRefusal(result) || result.value === '' ? undefined : result.value;
}
