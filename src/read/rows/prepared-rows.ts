/*
 * Prepares the rows of a table: headings and totals are left out, ditto marks are filled in, evidence about
 * numbers is collected.
 */

import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatDecimal,
  parseDecimal,
} from '../../domain/money/money.ts';
import { repairNote } from '../../domain/rows/finding.ts';
import { type Message, say } from '../../domain/settings/message.ts';
import type { ReadingRules, TableMapping } from '../../domain/tables/mapping.ts';
import { type SourceRow, type SourceTable, tableLike, unprotectCell } from '../../domain/tables/table.ts';
import { createAmountCheck } from '../../kinds/fields/amount.ts';
import { amountReadingOf, isDittoMark, treatText } from '../../kinds/fields/cell-repairs.ts';
import { createAccountLengths, needsAccountLengths } from '../../kinds/fields/definition-plan.ts';
import { fieldTypes } from '../../kinds/fields/field-types.ts';
import { createHeaderAgainCheck } from '../../kinds/fields/row-checker.ts';
import { noOtherValues, passedValue } from '../../kinds/fields/value-text.ts';
import { ruleOf } from '../../kinds/registry.ts';
import { createNonRowCheck, type NonRow, type RowColumns } from '../mapping/non-rows.ts';
import { CountedRows } from './rows-to-read.ts';

/** How headings and totals of a table are treated. */
interface LeavingOut {
  readonly mapping: TableMapping;
  readonly reading: ReadingRules;
  /** Whether they are left out, or only reported. */
  readonly isMeant: boolean;
  /** The table, as messages name it. */
  readonly place: string;
  /** Whether a row is left out for another reason; totals may be those of the other rows only. */
  readonly isLeftOut?: (row: SourceRow) => boolean;
}

/**
 * Recognises headings, subtotals and other lines among a table's rows, reports them in its notes, and leaves them out
 * if requested. Then each subtotal has to be the sum of the rows above it.
 *
 * @throws PaybatchError (`file_refused`), while the rows are read, at a wrong total
 */
export function withoutNonRows(
  table: SourceTable,
  { mapping, reading, isMeant, place, isLeftOut = () => false }: LeavingOut,
): SourceTable {
  const check = nonRowCheckOf(table, mapping);
  const seen = new CountedRows();
  const unchecked = new CountedRows();
  const rows = async function* (): AsyncGenerator<readonly SourceRow[]> {
    seen.clear();
    unchecked.clear();
    const sums = new SumsOfSections(mapping, reading, place);
    for await (const group of table.rows()) {
      const kept = group.filter((row) => {
        const looks = check(row);
        const found = isCutRow(row, looks) ? null : looks;
        if (found === null) {
          sums.add(row, isLeftOut(row));
          return true;
        }
        seen.add(row.number);
        if (isMeant && found === 'total' && !sums.compare(row)) unchecked.add(row.number);
        return !isMeant;
      });
      if (kept.length > 0) yield kept;
    }
  };
  return tableLike(table, { rows, notes: () => [...table.notes, ...notesOf(seen, unchecked, isMeant)] });
}

/** The check for lines of a table that are no rows. */
export function nonRowCheckOf({ header }: Pick<SourceTable, 'header'>, mapping: TableMapping) {
  return createNonRowCheck(header, rowColumnsOf(mapping));
}

/** An incomplete last row may have as few cells as a heading, but is not one. */
function isCutRow({ cut }: SourceRow, found: NonRow | null): boolean {
  return cut === 'short' && (found === 'heading' || found === 'empty form');
}

/** The columns that distinguish a mapping's rows from other lines. */
function rowColumnsOf(mapping: TableMapping): RowColumns {
  const { kind, columns } = mapping;
  const places = columns.flatMap(({ index, joined = [] }) =>
    index === null ? joined.map((part) => part.index) : [index],
  );
  // A column that is split into two counts once.
  const own = [...new Set(places)];
  const identifiers = columns.flatMap(({ field, index }) => {
    const type = ruleOf(kind, field)?.type;
    return index !== null && type !== undefined && fieldTypes[type].isIdentifier ? [index] : [];
  });
  return { own, identifiers: new Set(identifiers), isHeaderAgain: createHeaderAgainCheck(mapping) };
}

function notesOf(seen: CountedRows, unchecked: CountedRows, isMeant: boolean): Message[] {
  if (seen.count === 0) return [];
  const looks =
    seen.count === 1
      ? '1 row looks like a heading or total'
      : `${seen.count} rows look like headings or totals`;
  if (!isMeant) return [say`${looks}: ${seen.numbers}; ${{ setting: 'leaveOutNonRows' }} leaves them out`];
  const notChecked =
    unchecked.count === 0
      ? []
      : [`totals that could not be compared with the rows above: ${unchecked.numbers}`];
  return [`${looks}: ${seen.numbers}; left out`, ...notChecked];
}

const zero: Decimal = { units: 0n, scale: 0 };

/** The sum and the number of rows, since the last total and in all. */
class SumOfRows {
  ofSection = zero;
  ofAll = zero;
  #inSection = 0;
  #inAll = 0;

  add(amount: Decimal): void {
    this.ofSection = addDecimals(this.ofSection, amount);
    this.ofAll = addDecimals(this.ofAll, amount);
    this.#inSection += 1;
    this.#inAll += 1;
  }

  /** What a total may say. */
  figures(): readonly Decimal[] {
    const counts = [this.#inSection, this.#inAll].map(
      (count): Decimal => ({ units: BigInt(count), scale: 0 }),
    );
    return [this.ofSection, this.ofAll, ...counts];
  }

  endSection(): void {
    this.ofSection = zero;
    this.#inSection = 0;
  }
}

/** Compares totals with the amounts of rows: since the last subtotal, and in all. */
class SumsOfSections {
  readonly #index: number | null;
  readonly #read: (row: SourceRow) => Decimal | undefined;
  readonly #place: string;
  /** Of all rows, and of those that are not left out. */
  readonly #sums = { all: new SumOfRows(), meant: new SumOfRows() };
  #isReadable = true;

  constructor({ kind, columns }: TableMapping, reading: ReadingRules, place: string) {
    const amount = columns.find(({ field }) => ruleOf(kind, field)?.type === 'amount');
    const index = amount?.index ?? null;
    const check = createAmountCheck(amount === undefined ? reading : amountReadingOf(amount, reading));
    this.#place = place;
    this.#index = index;
    this.#read = ({ cells, kinds }) => {
      if (index === null) return undefined;
      const text = treatText(unprotectCell(cells[index] ?? ''), amount ?? {}).text.trim();
      const amountInCell =
        text === '' ? undefined : passedValue(check(text, kinds?.get(index), noOtherValues));
      return amountInCell === undefined ? undefined : parseDecimal(amountInCell);
    };
  }

  add(row: SourceRow, isLeftOut: boolean): void {
    const amount = this.#read(row);
    if (amount === undefined) this.#isReadable = false;
    this.#sums.all.add(amount ?? zero);
    if (!isLeftOut) this.#sums.meant.add(amount ?? zero);
  }

  /**
   * Compares a total with the rows above it.
   * @returns false where it has no amount, or not every amount above it can be read
   * @throws PaybatchError (`file_refused`) when the sum differs
   */
  compare(row: SourceRow): boolean {
    const total = this.#read(row);
    if (this.#index === null || total === undefined || !this.#isReadable) return false;
    const { all, meant } = this.#sums;
    const isSum = [...all.figures(), ...meant.figures()].some((sum) => compareDecimals(sum, total) === 0);
    if (!isSum) throw this.#differs(row.number, total);
    all.endSection();
    meant.endSection();
    return true;
  }

  #differs(row: number, total: Decimal): PaybatchError {
    return new PaybatchError(
      'subtotal_differs',
      `${this.#place}: the total in row ${row} is ${formatDecimal(total)}, but the rows above it add up to ${formatDecimal(this.#sums.all.ofSection)} since the total before, and to ${formatDecimal(this.#sums.all.ofAll)} in all.`,
      'compare the file with its source: a row may be missing or have another amount; or take that total out',
    );
  }
}

/** A column for which a person has agreed to fill in ditto marks. */
interface DittoColumn {
  readonly index: number;
  readonly title: string;
  /** Marks of this file besides the usual ones. */
  readonly marks?: ReadonlySet<string> | undefined;
}

/**
 * Replaces a ditto mark with the nearest value above it in its column. Lines that are not rows are skipped. Hidden
 * rows count, since they were visible when the mark was written. A mark with nothing above it stays, and validation
 * refuses it.
 */
export function withoutDittoMarks(table: SourceTable, mapping: TableMapping): SourceTable {
  const columns = dittoColumns(mapping);
  if (columns.length === 0) return table;
  const isNoRow = nonRowCheckOf(table, mapping);
  const rows = async function* (): AsyncGenerator<readonly SourceRow[]> {
    const above = new Map<number, Pick<SourceRow, 'cells' | 'kinds'>>();
    for await (const group of table.rows()) {
      yield group.map((row) => {
        if (isNoRow(row) !== null) return row;
        const resolved = resolve(row, columns, above);
        for (const { index, marks } of columns) {
          const text = resolved.cells[index]?.trim() ?? '';
          if (text !== '' && !isDittoMark(text, marks)) above.set(index, resolved);
        }
        return resolved;
      });
    }
  };
  return tableLike(table, { rows });
}

function dittoColumns({ columns }: TableMapping): readonly DittoColumn[] {
  const places = columns.flatMap(({ index, title, repairs, marks, joined = [] }) => [
    ...joined,
    ...(index === null ? [] : [{ index, title, repairs, marks }]),
  ]);
  const marked = places.filter(({ repairs }) => repairs?.has('ditto') === true);
  return [...new Map(marked.map((place) => [place.index, place])).values()];
}

function resolve(
  row: SourceRow,
  columns: readonly DittoColumn[],
  above: ReadonlyMap<number, Pick<SourceRow, 'cells' | 'kinds'>>,
): SourceRow {
  const marked = columns.filter(
    ({ index, marks }) => isDittoMark(row.cells[index] ?? '', marks) && above.has(index),
  );
  if (marked.length === 0) return row;
  const cells = [...row.cells];
  const kinds = new Map(row.kinds);
  for (const { index } of marked) {
    const source = above.get(index);
    cells[index] = source?.cells[index] ?? '';
    const kind = source?.kinds?.get(index);
    if (kind !== undefined) kinds.set(index, kind);
  }
  const notes = marked.map(({ title }) => repairNote(title, 'ditto mark'));
  return { ...row, cells, ...(kinds.size === 0 ? {} : { kinds }), notes: [...(row.notes ?? []), ...notes] };
}

/**
 * The mapping with the evidence that its repairs need from the whole table. The table is read to its end only if a
 * repair needs it.
 *
 * @param isTextOnly whether every cell is text and none was corrected by a person
 */
export async function withEvidence(
  mapping: TableMapping,
  table: SourceTable,
  reading: ReadingRules,
  isTextOnly: boolean,
): Promise<TableMapping> {
  const mayLoseZeros = mapping.columns.some(
    ({ repairs }) => repairs?.has('lost_zeros') === true || repairs?.has('zeros_in_front') === true,
  );
  const typed = isTextOnly && mayLoseZeros ? { ...mapping, isTextOnly } : mapping;
  if (!needsAccountLengths(mapping)) return typed;
  const lengths = createAccountLengths(typed, reading);
  for await (const group of table.rows()) for (const row of group) lengths.add(row);
  return { ...typed, accountLengths: lengths.result() };
}
