/* Finds the people of an earlier file again, and counts column by column what they have now. */

import type { LayoutProfile } from '../../domain/batches/last-time.ts';
import type { StagedRow } from '../../domain/rows/ledger-row.ts';
import { unprotectCell } from '../../domain/tables/table.ts';
import type { DriftColumn } from './columns.ts';
import type { RowMarks } from './profile.ts';
import { growthOf, numbersIn } from './value-forms.ts';

/** A cell of a person that has another value now. */
interface ChangedCell {
  /** The person's row in the earlier file. */
  readonly earlierRow: number;
  readonly now: string;
}

const samplesKept = 2;

/** What was found about one column of the people who were found by one key. */
export interface ColumnOfPeople {
  /** People with a value in both files. */
  both: number;
  same: number;
  /** Values that the column never had, in a column of few words. */
  fresh: number;
  /** Other values with the same words in another order. */
  reordered: number;
  /** Values that the person of the row above had before, and that the row's own person did not have. */
  sameAbove: number;
  /** Values that the person of the row below had before. */
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
  /** The title of the key's column. */
  readonly title: string;
  /** The place of the key's column among the current columns. */
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
        if (isClose(growth)) of.closeAbove += 1;
      }
      const nowAbove = marksAbove[2 * at] ?? 0;
      if (own !== 0 && nowAbove === own && nowAbove !== ofAbove) of.sameBelow += 1;
    });
  }
}

/** One comparison for each column that identifies people of the earlier file. */
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

/** The largest growth of amounts that count as close, as a logarithm: 12 per cent. */
const closeGrowth = 0.05;

/** Whether two amounts are close, by their growth (`growthOf`). */
export function isClose(growth: number): boolean {
  return Math.abs(growth) <= closeGrowth;
}
