/*
 * Compares what a file holds of known people with the last file of its layout, and finds what that says about its
 * columns.
 */

import type { DriftWhat, LayoutProfile } from '../../domain/batches/last-time.ts';
import type { StagedRow } from '../../domain/rows/ledger-row.ts';
import { unprotectCell } from '../../domain/tables/table.ts';
import type { DriftColumn } from './columns.ts';
import { numbersIn, type RowMarks } from './profile.ts';
import { growthOf } from './value-forms.ts';

/** A person's cell that is another one now. */
interface ChangedCell {
  /** The person's row in the earlier file. */
  readonly earlierRow: number;
  readonly now: string;
}

const samplesKept = 2;
/** Amounts that differ by less than a third count as close. */
const closeGrowth = 0.05;

/** What was found about one column of the people who were found by one key. */
interface ColumnOfPeople {
  /** People with a value in both files. */
  both: number;
  same: number;
  /** Values that the column never had, in a column of few words. */
  fresh: number;
  /** Other values with the same words in another order. */
  reordered: number;
  /** Values that the person of the row above had, and another one than the row's own person. */
  sameAbove: number;
  /** Values that the person of the row below had. */
  sameBelow: number;
  pairsAbove: number;
  /** The growth of amounts (`growthOf`). */
  readonly growths: number[];
  closeAbove: number;
  readonly changed: ChangedCell[];
  /** By column of the earlier file: how many values that column had of the same person. */
  readonly heldBy: Uint32Array;
}

interface EarlierPerson {
  readonly row: number;
  readonly marks: RowMarks;
  isFound: boolean;
}

/** The people of an earlier file who are found by one of its columns. */
export class PeopleFound {
  /** Titles of the key. */
  readonly title: string;
  /** Place of the key among the current columns. */
  readonly key: number;
  readonly columns: readonly ColumnOfPeople[];
  people = 0;
  found = 0;
  readonly #earlier = new Map<number, EarlierPerson>();
  /** By current column: its place in the earlier file; -1 for a new one. */
  readonly #placeBefore: readonly number[];
  readonly #before: LayoutProfile;
  #personAbove: EarlierPerson | undefined;
  #marksAbove: RowMarks | null = null;

  constructor(
    profile: LayoutProfile,
    sample: LayoutProfile['people'][number],
    key: number,
    columns: readonly DriftColumn[],
    placeBefore: readonly number[],
  ) {
    const count = profile.columns.length;
    this.title = columns[key]?.title ?? '';
    this.key = key;
    this.#before = profile;
    this.#placeBefore = placeBefore;
    this.columns = columns.map(() => ({
      both: 0,
      same: 0,
      fresh: 0,
      reordered: 0,
      sameAbove: 0,
      sameBelow: 0,
      pairsAbove: 0,
      closeAbove: 0,
      growths: [],
      changed: [],
      heldBy: new Uint32Array(count),
    }));
    const numbers = numbersIn(sample.people);
    const width = 1 + 2 * count;
    for (let at = 0; at + width <= numbers.length; at += width) {
      const marks = numbers.subarray(at + 1, at + width);
      const person = { row: numbers[at] ?? 0, marks, isFound: false };
      this.#earlier.set(marks[2 * sample.key] ?? 0, person);
    }
    this.people = this.#earlier.size;
  }

  /** @returns whether the row's person was in the earlier file */
  take(row: StagedRow, marks: RowMarks, columns: readonly DriftColumn[]): boolean {
    const person = this.#earlier.get(marks[2 * this.key] ?? 0);
    const isFirst = person !== undefined && !person.isFound;
    if (isFirst) {
      person.isFound = true;
      this.found += 1;
      this.#compare(person, row, marks, columns);
    }
    const isKnown = person !== undefined || this.#personAbove !== undefined;
    if (isKnown && this.#marksAbove !== null) this.#compareWithAbove(person, marks, this.#marksAbove);
    this.#personAbove = person;
    this.#marksAbove = marks;
    return person !== undefined;
  }

  #compare(person: EarlierPerson, row: StagedRow, marks: RowMarks, columns: readonly DriftColumn[]): void {
    this.columns.forEach((of, at) => {
      const now = marks[2 * at] ?? 0;
      if (now === 0) return;
      for (let other = 0; other < of.heldBy.length; other += 1) {
        if (person.marks[2 * other] === now) of.heldBy[other] = (of.heldBy[other] ?? 0) + 1;
      }
      const place = this.#placeBefore[at] ?? -1;
      const before = place < 0 ? 0 : (person.marks[2 * place] ?? 0);
      if (before === 0) return;
      of.both += 1;
      const [earlier, own] = [person.marks[2 * place + 1] ?? 0, marks[2 * at + 1] ?? 0];
      if (columns[at]?.role === 'amount' && earlier > 0 && own > 0) of.growths.push(growthOf(earlier, own));
      if (before === now) of.same += 1;
      else {
        if (earlier !== 0 && earlier === own) of.reordered += 1;
        const known = this.#before.columns[place]?.values ?? null;
        if (known !== null && known[now] === undefined) of.fresh += 1;
        if (of.changed.length < samplesKept) {
          const text = unprotectCell(row.cells[columns[at]?.index ?? -1] ?? '').trim();
          of.changed.push({ earlierRow: person.row, now: text });
        }
      }
    });
  }

  #compareWithAbove(person: EarlierPerson | undefined, marks: RowMarks, marksAbove: RowMarks): void {
    const above = this.#personAbove;
    this.columns.forEach((of, at) => {
      const place = this.#placeBefore[at] ?? -1;
      if (place < 0) return;
      const now = marks[2 * at] ?? 0;
      const ofAbove = above?.marks[2 * place] ?? 0;
      const own = person?.marks[2 * place] ?? 0;
      if (above !== undefined && now !== 0 && ofAbove !== 0) {
        of.pairsAbove += 1;
        if (now === ofAbove && now !== own) of.sameAbove += 1;
        const growth = growthOf(above.marks[2 * place + 1] ?? 0, marks[2 * at + 1] ?? 0);
        if (Math.abs(growth) <= closeGrowth) of.closeAbove += 1;
      }
      const nowAbove = marksAbove[2 * at] ?? 0;
      if (own !== 0 && nowAbove === own && nowAbove !== ofAbove) of.sameBelow += 1;
    });
  }
}

/** How many of the growths are close to none. */
function closeOf(growths: readonly number[]): number {
  return growths.filter((growth) => Math.abs(growth) <= closeGrowth).length;
}

/** A comparison by each column by which people of the earlier file are found. */
export function peopleFoundBy(
  profile: LayoutProfile,
  columns: readonly DriftColumn[],
  placeBefore: readonly number[],
): readonly PeopleFound[] {
  return profile.people.flatMap((sample) => {
    const key = placeBefore.indexOf(sample.key);
    return key < 0 ? [] : [new PeopleFound(profile, sample, key, columns, placeBefore)];
  });
}

/* Differences between two files of one layout, and which of them are read wrongly if nothing is done. */

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

/* What the values of known people say about the columns of a file. */

/** Fewer people say nothing about a column. */
const fewestPeople = 3;
const fewestAmounts = 5;
const fewestFresh = 2;

/* Shares of the people from which on a difference is none of honest months. */
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

/** The key by which the people are found whose other values agree best, without a column that is itself in question. */
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
    // A new word may be another name of the same institution, and words change one by one.
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
  return above >= 0.6 && above >= closeOf(growths) / growths.length + aboveMoreOften;
}

/** Amounts of another unit, and amounts of which nearly all are lower, as net ones are. */
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
