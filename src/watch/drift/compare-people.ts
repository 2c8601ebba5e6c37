/* Compares what the columns of two files hold of the same people, and finds what that says about the columns. */

import type { DriftWhat, LayoutProfile } from '../../domain/batches/last-time.ts';
import type { Difference, DriftColumn } from './columns.ts';
import { type ColumnOfPeople, isClose, type PeopleFound } from './people.ts';

/** With fewer people, a column is not judged. */
const fewestPeople = 3;
const fewestAmounts = 5;
const fewestFresh = 2;

/* From these shares of the people on, a difference is too large for two correct files. */
const manyChanged = 0.2;
const someChanged = 0.12;
const manyReordered = 0.25;
const mostHeldByAnother = 0.5;
const aboveMoreOften = 0.3;
const mostAlike = 0.8;

/** A growth of four times or more, as a logarithm. */
const anotherUnit = 0.6;
/** Some amounts in another unit: fifty times as large or small. */
const someInAnotherUnit = 1.69;
const sameGrowth = 0.0003;
const nearlyAll = 0.9;
/** Amounts that are lower by 3 to 70 per cent. */
const lower = { least: -0.52, most: -0.013 } as const;

/** The key whose people agree best in their other values. The column in question is not used as a key for itself. */
function bestKey(found: readonly PeopleFound[], without: number | null = null): PeopleFound | undefined {
  const agreement = ({ columns, key }: PeopleFound): number =>
    columns.reduce((sum, { same }, at) => sum + (at === key ? 0 : same), 0);
  return found
    .filter(({ key, found: people }) => key !== without && people >= fewestPeople)
    .sort((one, other) => agreement(other) - agreement(one) || other.found - one.found)[0];
}

/** Whether known people have the same values in a column, however they are written. */
export function isReadAlike(found: readonly PeopleFound[], column: number): boolean {
  const { both = 0, same = 0 } = bestKey(found, column)?.columns[column] ?? {};
  return both >= fewestAmounts && same >= mostAlike * both;
}

/** Compares the columns of the people who are in both files. */
export function comparePeople(
  before: LayoutProfile,
  columns: readonly DriftColumn[],
  placeBefore: readonly number[],
  found: readonly PeopleFound[],
): Difference[] {
  return columns.flatMap((column, at) => {
    const place = placeBefore[at] ?? -1;
    if (!column.isRead || place < 0) return [];
    const key = bestKey(found, at);
    const of = key?.columns[at];
    if (key === undefined || of === undefined || key.key === at) return [];
    const by = `of ${of.both} found by ${key.title}`;
    const earlier = { rows: of.changed.map(({ earlierRow }) => earlierRow), column: place };
    const now = of.changed.map((cell) => cell.now);
    const difference = (what: DriftWhat, remark: string): Difference => ({
      column: at,
      what,
      stops: true,
      earlier,
      now,
      remark: { now: remark },
    });
    const swapped = heldByAnother(before, of, place, key);
    if (swapped !== null) return [difference('swapped', `as ${swapped} had it, ${by}`)];
    if (isOneRowOff(of)) return [difference('one_row_off', `as the row above or below had it, ${by}`)];
    if (of.reordered >= fewestPeople && of.reordered >= manyReordered * of.both)
      return [difference('names_exchanged', `${of.reordered} ${by}`)];
    if (column.role === 'amount') return amounts(of, difference, by);
    const changed = column.isLasting ? of.both - of.same : 0;
    // A single new word may be another name of the same institution.
    const isRenamed = column.isClosed && of.fresh >= fewestFresh;
    if (!isRenamed && (changed < fewestPeople || changed < someChanged * of.both)) {
      const isNoted = column.isClosed && of.fresh > 0;
      return isNoted ? [{ ...difference('values', `${of.fresh} new, ${by}`), stops: false }] : [];
    }
    const stops = column.isClosed || changed >= manyChanged * of.both;
    const differs = isRenamed
      ? difference('values', `${of.fresh} new, ${by}`)
      : difference('by_person', `${changed} ${by}`);
    return [{ ...differs, stops }];
  });
}

/** The title of the column of the earlier file that had most of the values; null for none. */
function heldByAnother(
  before: LayoutProfile,
  { heldBy, both, same }: ColumnOfPeople,
  place: number,
  key: PeopleFound,
): string | null {
  let other = -1;
  heldBy.forEach((count, at) => {
    if (at !== place && count > (heldBy[other] ?? 0)) other = at;
  });
  const count = heldBy[other] ?? 0;
  const people = Math.max(both, key.found);
  const isOther = count >= fewestPeople && count >= mostHeldByAnother * people && same < 0.3 * people;
  return isOther ? (before.columns[other]?.title ?? null) : null;
}

function isOneRowOff({
  both,
  same,
  sameAbove,
  sameBelow,
  pairsAbove,
  closeAbove,
  growths,
}: ColumnOfPeople): boolean {
  if (pairsAbove < fewestPeople || both < fewestPeople) return false;
  const shifted = Math.max(sameAbove, sameBelow) / pairsAbove;
  if (shifted >= mostHeldByAnother && shifted >= same / both + aboveMoreOften) return true;
  if (growths.length < fewestAmounts) return false;
  const above = closeAbove / pairsAbove;
  return above >= 0.6 && above >= growths.filter(isClose).length / growths.length + aboveMoreOften;
}

/** Amounts in another unit, and amounts of which nearly all are lower, as net amounts are. */
function amounts(
  { growths }: ColumnOfPeople,
  difference: (what: Difference['what'], remark: string) => Difference,
  by: string,
): Difference[] {
  if (growths.length < fewestAmounts) return [];
  const sorted = [...growths].sort((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  const times = (growth: number): string => `${Number((10 ** growth).toPrecision(2))} times as much`;
  if (Math.abs(at(0.5)) >= anotherUnit) return [difference('size', `${times(at(0.5))}, ${by}`)];
  const far = growths.filter((growth) => Math.abs(growth) >= someInAnotherUnit);
  if (far.length >= Math.max(2, 0.1 * growths.length)) {
    return [difference('size', `${far.length} are at least 50 times as much or as little, ${by}`)];
  }
  const down = growths.filter((growth) => growth < -sameGrowth).length;
  const median = at(0.5);
  if (down >= nearlyAll * growths.length && median >= lower.least && median <= lower.most)
    return [difference('size', `${down} are lower, ${times(median)}, ${by}`)];
  return [];
}
