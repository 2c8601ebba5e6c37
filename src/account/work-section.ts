/* The lines of the work list that are of one kind, and what they add up to as far as it is known. */

import type { CurrencySum } from '../domain/money/expectation.ts';
import type { NamedBatch } from '../ledger/after-sending/worklist.ts';
import { addedUp } from './amounts.ts';

/** What all lines of the work list have. */
export interface Task {
  readonly batch: NamedBatch;
  /** Null where the rows have changed since a run last added them up. */
  readonly rows: number | null;
  /** Amounts of those with one that can be read; null where they are not added up. */
  readonly sums: readonly CurrencySum[] | null;
}

/** The lines of one kind, the first ones of them. */
export interface WorkSection<Line extends Task> {
  readonly tasks: readonly Line[];
  /** Lines that are not among them. */
  readonly more: number;
  /** Of all lines whose rows are known. */
  readonly rows: number;
  readonly sums: readonly CurrencySum[];
  /** Lines that are in neither: their rows are not counted. */
  readonly uncounted: number;
  /** Lines that are not in the sums: their amounts are not added up. */
  readonly unsummed: number;
}

/** @param unread lines that are known to be there, and were not read */
export function workSection<Line extends Task>(
  tasks: readonly Line[],
  limit: number,
  unread = 0,
): WorkSection<Line> {
  return {
    tasks: tasks.slice(0, limit),
    more: Math.max(0, tasks.length - limit) + unread,
    rows: tasks.reduce((sum, { rows }) => sum + (rows ?? 0), 0),
    sums: addedUp(tasks.flatMap(({ sums }) => sums ?? [])),
    uncounted: tasks.filter(({ rows }) => rows === null).length + unread,
    unsummed: tasks.filter(({ sums }) => sums === null).length + unread,
  };
}

/** Sums together, by currency; null where one of them is not added up. */
export function joinedSums(all: readonly Task['sums'][]): Task['sums'] {
  const known = all.filter((sums) => sums !== null);
  return known.length < all.length ? null : addedUp(known.flat());
}
