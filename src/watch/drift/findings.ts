/* Differences between two files of one layout, and which of them are read wrongly if nothing is done. */

import type { DriftWhat } from '../../domain/batches/drift.ts';
import type { ChangedCell } from './people.ts';

/** A difference, before its samples are shown to a person. */
export interface Difference {
  /** The column's place among the compared columns. */
  readonly column: number;
  readonly what: DriftWhat;
  /** Whether nothing may be sent before a person has looked at it. */
  readonly stops: boolean;
  /** Rows of the earlier file that show what was there, and the column there in which it was. */
  readonly earlier: { readonly rows: readonly number[]; readonly column: number } | null;
  /** Cells of this file. */
  readonly now: readonly string[];
  /** What to say of the whole in figures: `in 35 of 60 rows`. */
  readonly remark?: { readonly before?: string; readonly now?: string };
}

/** The difference of cells of the same people. */
export function differenceOfCells(
  column: number,
  place: number,
  what: DriftWhat,
  changed: readonly ChangedCell[],
  remark: string,
): Difference {
  const rows = changed.map(({ earlierRow }) => earlierRow);
  const now = changed.map((cell) => cell.now);
  return { column, what, stops: true, earlier: { rows, column: place }, now, remark: { now: remark } };
}

/** Counts of one kind of thing before and now. */
export type Shares = ReadonlyMap<string, number>;

/** Half the sum of the differences of shares: 0 for the same, 1 for nothing in common. */
export function distance(before: Shares, now: Shares): number {
  const [allBefore, allNow] = [sumOf(before), sumOf(now)];
  if (allBefore === 0 || allNow === 0) return 0;
  let sum = 0;
  for (const form of new Set([...before.keys(), ...now.keys()])) {
    sum += Math.abs((before.get(form) ?? 0) / allBefore - (now.get(form) ?? 0) / allNow);
  }
  return sum / 2;
}

export function sumOf(counts: Shares): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}

/** The form that has grown most. */
export function grownMost(before: Shares, now: Shares): string | undefined {
  const [allBefore, allNow] = [Math.max(sumOf(before), 1), Math.max(sumOf(now), 1)];
  const growth = (form: string): number =>
    (now.get(form) ?? 0) / allNow - (before.get(form) ?? 0) / allBefore;
  return [...now.keys()].sort((one, other) => growth(other) - growth(one))[0];
}
