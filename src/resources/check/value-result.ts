import type { CellKind, EarlierValue } from '../../domain/tables/table.ts';
import type { FindingCode } from './catalogue.ts';
import type { RowValues } from './row-values.ts';

/** A value that does not pass, and the sentence that says why. */
export interface ValueRefusal {
  readonly code: FindingCode;
  readonly message: string;
}

/** A value that passes, with something worth knowing about it; the column's title is added to the note. */
export interface NotedValue {
  readonly value: string;
  /** Empty where there is nothing to say beside what was repaired. */
  readonly note: string;
  /** What was repaired in the cell, as a person has agreed to. */
  readonly repaired?: string;
  /** How result files write a cell whose repair depends on more than the cell. */
  readonly cell?: string;
}

/** What a check makes of a value: its canonical form where it passes. */
export type ValueResult = string | NotedValue | ValueRefusal;

/** The check of one value that is not empty; knows what its cell was where that was not text, and its row. */
export type ValueCheck = (text: string, kind: CellKind | undefined, row: RowValues) => ValueResult;

/** Reads one cell: '' for an empty one, else what the checks made of its value. */
export type CellCheck = (
  raw: string,
  kind: CellKind | undefined,
  /** What the cell held in earlier rounds of a corrected row. */
  earlier?: readonly EarlierValue[],
  row?: RowValues,
) => ValueResult;

export function isValueRefusal(result: NotedValue | ValueRefusal): result is ValueRefusal {
  return 'code' in result;
}

/** The canonical value that a check gave; undefined where it is empty or refused. */
export function passedValue(result: ValueResult): string | undefined {
  if (typeof result === 'string') return result === '' ? undefined : result;
  return isValueRefusal(result) || result.value === '' ? undefined : result.value;
}
