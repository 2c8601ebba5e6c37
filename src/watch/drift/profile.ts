/* Makes the profile of a file while its rows are read, in memory that does not grow with them. */

import type { ColumnContent, Counted, LayoutProfile, PeopleSample } from '../../domain/batches/last-time.ts';
import { compareDecimals, type Decimal, formatDecimal, parseDecimal } from '../../domain/money/money.ts';
import type { StagedRow } from '../../domain/rows/ledger-row.ts';
import { unprotectCell } from '../../domain/tables/table.ts';
import { readPhone } from '../../kinds/fields/phone.ts';
import type { DriftColumn } from './columns.ts';
import {
  classOf,
  foldedText,
  formOf,
  inBase64,
  isRounded,
  looksLikeName,
  markOf,
  markOfWords,
  plainNumber,
  sizeOf,
} from './value-forms.ts';

const mostForms = 24;
const mostValues = 40;
const mostMarks = 128;
const peopleKept = 48;
const mostKeys = 4;
const startOfPhone = 3;

/** Counts values by their form, and keeps the first row and a sample of each form. */
export class Tally {
  readonly counts = new Map<string, { rows: number; readonly firstRow: number; readonly sample: string }>();

  add(form: string, row: number, sample: string): void {
    const known = this.counts.get(form);
    if (known !== undefined) known.rows += 1;
    else if (this.counts.size < mostForms) this.counts.set(form, { rows: 1, firstRow: row, sample });
    else if (form !== others) this.add(others, row, sample);
  }

  result(): Record<string, Counted> {
    return Object.fromEntries(
      [...this.counts].map(([form, { rows, firstRow }]) => [form, [rows, firstRow] as const]),
    );
  }
}

/** The form under which all forms beyond the limit are counted. */
const others = '…';

/** The marks of the cells of a row: two for each column. The second is the size of a number, else of its words in any order. */
export type RowMarks = Uint32Array;

/** A value of a column whose mark is among the smallest, and the row in which it was first. */
interface KeptValue {
  readonly row: number;
  readonly marks: RowMarks;
  isRepeated: boolean;
}

/** The values of a column with the smallest marks: the same ones in every file that has them. */
class SmallestMarks {
  readonly values = new Map<number, KeptValue>();
  isWhole = true;
  #limit = 0xffffffff;

  add(mark: number, row: number, marks: RowMarks): void {
    if (mark > this.#limit) return;
    const known = this.values.get(mark);
    if (known !== undefined) {
      known.isRepeated = true;
      return;
    }
    this.values.set(mark, { row, marks, isRepeated: false });
    if (this.values.size >= 2 * mostMarks) this.trim();
  }

  trim(): void {
    if (this.values.size <= mostMarks) return;
    const sorted = this.sorted();
    for (const [mark] of sorted.slice(mostMarks)) this.values.delete(mark);
    this.#limit = sorted[mostMarks - 1]?.[0] ?? this.#limit;
    this.isWhole = false;
  }

  sorted(): [number, KeptValue][] {
    return [...this.values].sort(([one], [other]) => one - other);
  }
}

/** The counts and samples of one column. */
export class ColumnWatch {
  readonly column: DriftColumn;
  readonly classes = new Tally();
  readonly forms = new Tally();
  readonly lengths = new Tally();
  readonly starts = new Tally();
  readonly marks = new SmallestMarks();
  /** Null once there are too many different values. */
  values: Map<number, { rows: number; readonly firstRow: number; readonly sample: string }> | null =
    new Map();
  filled = 0;
  rounded = 0;
  names = 0;
  fullNames = 0;
  characters = 0;
  isFirstEmpty = false;
  readonly samples: string[] = [];
  readonly #amounts = new Map<number, Decimal>();
  #least: Decimal | null = null;
  #most: Decimal | null = null;

  constructor(column: DriftColumn) {
    this.column = column;
  }

  /** The two marks of a cell, by which it is found again. */
  marksOf(text: string, record: StagedRow['record']): readonly [number, number] {
    const { role, field, decimal } = this.column;
    const read = field === null ? undefined : record[field];
    const isReading = role === 'phone' || role === 'account' || role === 'day';
    const isNumber = role === 'amount' || role === 'unread';
    const plain = isNumber
      ? ((role === 'amount' ? read : undefined) ?? plainNumber(text, decimal))
      : undefined;
    if (plain !== undefined) return [markOf(withoutLastZeros(plain)), sizeOf(plain)];
    const folded = foldedText((isReading ? read : undefined) ?? text);
    return [markOf(folded), role === 'words' ? markOfWords(folded) : 0];
  }

  /** Counts a cell that is not empty. */
  look(text: string, mark: number, record: StagedRow['record'], row: number): void {
    const { role, field, decimal } = this.column;
    this.filled += 1;
    if (this.samples.length < samplesKept) this.samples.push(text);
    this.classes.add(classOf(text, role), row, text);
    this.forms.add(formOf(text, role, decimal), row, text);
    this.characters += text.length;
    if (looksLikeName(text)) {
      this.names += 1;
      if (/[\s,]/.test(text)) this.fullNames += 1;
    }
    const isNumber = role === 'phone' || role === 'account';
    if (isNumber) {
      this.lengths.add(String(text.replace(/[\s()./-]/g, '').length), row, text);
      if (isRounded(text)) this.rounded += 1;
    }
    const read = field === null ? undefined : record[field];
    if (role === 'phone') this.#takePhone(text, read, row);
    const number = role === 'amount' ? (read ?? plainNumber(text, decimal)) : undefined;
    if (number !== undefined) this.#takeAmount(number, row);
    this.#takeValue(mark, row, text);
  }

  #takePhone(text: string, read: string | undefined, row: number): void {
    const country = read === undefined ? undefined : readPhone(read)?.country;
    if (country != null) this.starts.add(`country ${country}`, row, text);
    this.starts.add(`start ${text.replace(/[\s()./-]/g, '').slice(0, startOfPhone)}`, row, text);
  }

  #takeValue(mark: number, row: number, sample: string): void {
    if (this.values === null) return;
    const known = this.values.get(mark);
    if (known !== undefined) known.rows += 1;
    else if (this.values.size < mostValues) this.values.set(mark, { rows: 1, firstRow: row, sample });
    else this.values = null;
  }

  #takeAmount(amount: string, row: number): void {
    const value = parseDecimal(amount);
    if (value === undefined) return;
    if (this.#least === null || compareDecimals(value, this.#least) < 0) this.#least = value;
    if (this.#most === null || compareDecimals(value, this.#most) > 0) this.#most = value;
    // Every row has the same chance to be among those of which the median is taken.
    this.#amounts.set(markOf(String(row)), value);
    if (this.#amounts.size <= 4 * mostMarks) return;
    const kept = [...this.#amounts].sort(([one], [other]) => one - other).slice(0, 2 * mostMarks);
    this.#amounts.clear();
    for (const [mark, amountKept] of kept) this.#amounts.set(mark, amountKept);
  }

  /** The smallest, the middle and the largest amount; null where there are none. */
  get sizes(): ColumnContent['amounts'] {
    const [least, most] = [this.#least, this.#most];
    const amounts = [...this.#amounts.values()].sort(compareDecimals);
    const median = amounts[Math.floor(amounts.length / 2)];
    if (least === null || most === null || median === undefined) return null;
    const [leastText, medianText, mostText] = [least, median, most].map(formatDecimal);
    return { least: leastText ?? '', median: medianText ?? '', most: mostText ?? '' };
  }

  content(): ColumnContent {
    const { title, index } = this.column;
    this.marks.trim();
    return {
      ...{ title, index, filled: this.filled },
      classes: this.classes.result(),
      forms: this.forms.result(),
      lengths: this.lengths.result(),
      starts: this.starts.result(),
      rounded: this.rounded,
      values:
        this.values === null
          ? null
          : Object.fromEntries(
              [...this.values].map(([mark, { rows, firstRow }]) => [mark, [rows, firstRow] as const]),
            ),
      vocabulary: inBase64(Uint32Array.from(this.marks.sorted().map(([mark]) => mark))),
      isWhole: this.marks.isWhole,
      amounts: this.sizes,
    };
  }
}

const samplesKept = 3;

/** Amounts are the same however many decimals are written. */
function withoutLastZeros(number: string): string {
  return number.includes('.') ? number.replace(/\.?0+$/, '') : number;
}

/** So many rows are counted, and then every eighth row: the shares among more rows hardly differ. */
const closelyLookedAt = 4_096;
const eachFurther = 8;

/** Gathers the profile of a table. */
export class ProfileWatch {
  readonly columns: readonly ColumnWatch[];
  /** The number of rows that were counted. */
  rows = 0;
  #rowsInAll = 0;

  constructor(columns: readonly DriftColumn[]) {
    this.columns = columns.map((column) => new ColumnWatch(column));
  }

  /** Takes a row. @returns the marks of its cells: two for each column, 0 for an empty one */
  take({ row, cells, record }: StagedRow): RowMarks {
    this.#rowsInAll += 1;
    const isLookedAt = this.#rowsInAll <= closelyLookedAt || this.#rowsInAll % eachFurther === 0;
    if (isLookedAt) this.rows += 1;
    const marks = new Uint32Array(2 * this.columns.length);
    this.columns.forEach((watch, at) => {
      const text = unprotectCell(cells[watch.column.index] ?? '').trim();
      if (text === '') {
        if (this.#rowsInAll === 1) watch.isFirstEmpty = true;
        return;
      }
      const [mark, second] = watch.marksOf(text, record);
      marks[2 * at] = mark;
      marks[2 * at + 1] = second;
      if (isLookedAt) watch.look(text, mark, record, row);
    });
    this.columns.forEach(({ marks: smallest }, at) => {
      const mark = marks[2 * at] ?? 0;
      if (mark !== 0) smallest.add(mark, row, marks);
    });
    return marks;
  }

  result(): LayoutProfile {
    const columns = this.columns.map((watch) => watch.content());
    return { rows: this.rows, columns, people: this.#people() };
  }

  #people(): PeopleSample[] {
    return this.columns
      .flatMap((watch, key) => (this.#isKey(watch) ? [{ watch, key }] : []))
      .sort((one, other) => keyRank(one.watch) - keyRank(other.watch))
      .slice(0, mostKeys)
      .map(({ watch, key }) => {
        const single = watch.marks.sorted().filter(([, { isRepeated }]) => !isRepeated);
        const people = single.slice(0, peopleKept).flatMap(([, { row, marks }]) => [row, ...marks]);
        return { key, people: inBase64(Uint32Array.from(people)) };
      });
  }

  /** Whether nearly every row has a value of its own there, so that a person is found by it. */
  #isKey({ column: { role }, filled, marks, classes }: ColumnWatch): boolean {
    if (role === 'amount' || role === 'day' || role === 'code') return false;
    const numbers = classes.counts.get('number')?.rows ?? 0;
    if (filled < 0.8 * this.rows || (role === 'unread' && numbers > 0.2 * filled)) return false;
    const repeated = [...marks.values.values()].filter(({ isRepeated }) => isRepeated).length;
    return marks.values.size >= 4 && repeated <= 0.35 * marks.values.size;
  }
}

/** References tell people apart best, then accounts, then names. */
function keyRank({ column: { role }, classes }: ColumnWatch): number {
  if (role === 'reference') return 0;
  if (role === 'account' || role === 'phone') return 2;
  const words = classes.counts.get('words')?.rows ?? 0;
  return words === 0 ? 1 : 3;
}
