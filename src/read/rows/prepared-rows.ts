/* Prepares the rows of a table: headings and totals are left out, and values of the rows above are filled in. */

import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { canonicalAmount } from '../../domain/money/money.ts';
import { repairNote } from '../../domain/rows/finding.ts';
import { type Message, say } from '../../domain/settings/message.ts';
import type { ReadingRules, TableMapping } from '../../domain/tables/mapping.ts';
import { type SourceRow, type SourceTable, tableLike } from '../../domain/tables/table.ts';
import { isDittoMark } from '../../kinds/fields/cell-repairs.ts';
import { fieldTypes } from '../../kinds/fields/field-types.ts';
import { createHeaderAgainCheck } from '../../kinds/fields/row-checker.ts';
import { ruleOf } from '../../kinds/registry.ts';
import {
  HeadingsAbove,
  headingColumn,
  labelOfColumn,
  labelsIn,
  type RowColumns,
} from '../mapping/headings.ts';
import { createNonRowCheck } from '../mapping/non-rows.ts';
import { areTitles, isFigureType } from '../mapping/titles.ts';
import { type DifferingTotal, SumsOfSections } from './row-sums.ts';

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
  /** Totals, as plain decimals, of which a person has said that the rows are right nevertheless. */
  readonly accepted?: readonly string[] | undefined;
  /** Called for each total that is none of the rows, in place of refusing the file. */
  readonly onDiffering?: ((total: DifferingTotal) => void) | undefined;
}

/**
 * Recognises headings, subtotals and other lines among a table's rows, reports them in its notes, and leaves them out
 * if requested. Then each total has to be the sum of a group of rows that ends above it.
 *
 * @throws PaybatchError (`file_refused`), while the rows are read, at a wrong total
 */
export function withoutNonRows(
  table: SourceTable,
  { mapping, reading, isMeant, place, isLeftOut = () => false, accepted = [], onDiffering }: LeavingOut,
): SourceTable {
  const check = nonRowCheckOf(table, mapping);
  const seen = new CountedRows();
  const unchecked = new CountedRows();
  const differing = new CountedRows();
  const judge = (difference: DifferingTotal): void => {
    if (accepted.map(canonicalAmount).includes(canonicalAmount(difference.total)))
      differing.add(difference.row);
    else if (onDiffering === undefined) throw refuseTotal(place, difference);
    else onDiffering(difference);
  };
  const rows = async function* (): AsyncGenerator<readonly SourceRow[]> {
    for (const counted of [seen, unchecked, differing]) counted.clear();
    const sums = new SumsOfSections(mapping, reading, judge);
    for await (const group of table.rows()) {
      const kept = group.filter((row) => {
        const looks = check(row);
        // An incomplete last row may have as few cells as a heading, but is not one.
        const isCutRow = row.cut === 'short' && (looks === 'heading' || looks === 'empty form');
        const found = isCutRow ? null : looks;
        if (found === null) {
          sums.add(row, isLeftOut(row));
          return true;
        }
        seen.add(row.number);
        const isTotal = found === 'total' || found === 'carried total';
        if (isMeant && isTotal && !sums.compare(row)) unchecked.add(row.number);
        sums.endGroup();
        return !isMeant;
      });
      if (kept.length > 0) yield kept;
    }
  };
  return tableLike(table, {
    rows,
    notes: () => [...table.notes, ...notesOf(seen, unchecked, differing, isMeant)],
  });
}

/** The check for lines of a table that are no rows. */
export function nonRowCheckOf(
  { header, headerRow, above = [] }: Pick<SourceTable, 'header' | 'headerRow' | 'above'>,
  mapping: TableMapping,
) {
  return createNonRowCheck(header, { ...rowColumnsOf(mapping, headerRow), above, labels: labelsIn(header) });
}

/** The columns that distinguish a mapping's rows from other lines. */
function rowColumnsOf(mapping: TableMapping, headerRow: number): RowColumns {
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
  const figures = columns.flatMap(({ field, index }) => {
    const type = ruleOf(kind, field)?.type;
    return index !== null && type !== undefined && isFigureType(type) ? [index] : [];
  });
  const isHeaderAgain = createHeaderAgainCheck(mapping);
  return {
    own,
    identifiers: new Set(identifiers),
    figures: new Set(figures),
    isHeaderAgain: (row) =>
      isHeaderAgain(row) || (row.number === headerRow + 1 && areTitles(row.cells, own, figures)),
  };
}

function notesOf(
  seen: CountedRows,
  unchecked: CountedRows,
  differing: CountedRows,
  isMeant: boolean,
): Message[] {
  if (seen.count === 0) return [];
  const looks =
    seen.count === 1
      ? '1 row looks like a heading, a total or an example'
      : `${seen.count} rows look like headings, totals or examples`;
  if (!isMeant) return [say`${looks}: ${seen.numbers}; ${{ setting: 'leaveOutNonRows' }} leaves them out`];
  const notChecked =
    unchecked.count === 0
      ? []
      : [`totals that could not be compared with the rows above: ${unchecked.numbers}`];
  const agreed =
    differing.count === 0
      ? []
      : [`totals that differ from the rows, which a person has said are right: ${differing.numbers}`];
  return [`${looks}: ${seen.numbers}; left out`, ...notChecked, ...agreed];
}

function refuseTotal(place: string, { row, total, section, all }: DifferingTotal): PaybatchError {
  return new PaybatchError(
    'subtotal_differs',
    `${place}: the total in row ${row} is ${total}, but the rows above it add up to ${section} since the total before, and to ${all} in all.`,
    'compare the file with its source: a row may be missing or have another amount; or take that total out',
  );
}

/** A column for which a person has agreed to fill in the value above. */
interface RepeatingColumn {
  readonly index: number;
  readonly title: string;
  /** What is done to a cell with this text, without white space around it; undefined where it has its own value. */
  readonly repairOf: (text: string) => 'ditto mark' | 'value above' | undefined;
  /** Whether a value counts only up to the next line that is no row: what follows a subtotal or a heading is another group. */
  readonly isOfGroup: boolean;
}

/**
 * Replaces a ditto mark, and an empty cell of a column whose values are written once for a group of rows, with the nearest value
 * above it in its column. Lines that are not rows are skipped; an empty cell below one has no value above it. Hidden
 * rows count, since they were visible when the mark was written. A cell with nothing above it stays, and validation
 * refuses it.
 * @param isCorrection whether these are single rows of an earlier file, in which empty cells were filled in: now the rows above
 *   are others
 */
export function withValuesAbove(
  table: SourceTable,
  mapping: TableMapping,
  isCorrection: boolean,
): SourceTable {
  const columns = repeatingColumns(mapping, isCorrection);
  if (columns.length === 0) return table;
  const isNoRow = nonRowCheckOf(table, mapping);
  const rows = async function* (): AsyncGenerator<readonly SourceRow[]> {
    const above = new Map<number, Pick<SourceRow, 'cells' | 'kinds'>>();
    for await (const group of table.rows()) {
      yield group.map((row) => {
        if (isNoRow(row) !== null) {
          for (const { index, isOfGroup } of columns) if (isOfGroup) above.delete(index);
          return row;
        }
        const resolved = resolve(row, columns, above);
        for (const { index, repairOf } of columns) {
          const text = resolved.cells[index]?.trim() ?? '';
          if (text !== '' && repairOf(text) === undefined) above.set(index, resolved);
        }
        return resolved;
      });
    }
  };
  return tableLike(table, { rows });
}

function repeatingColumns({ columns }: TableMapping, isCorrection: boolean): readonly RepeatingColumn[] {
  const places = columns.flatMap(({ index, title, repairs, marks, joined = [] }) => [
    ...joined,
    ...(index === null ? [] : [{ index, title, repairs, marks }]),
  ]);
  const repeating = places.flatMap(({ index, title, repairs, marks }): RepeatingColumn[] => {
    const hasMarks = repairs?.has('ditto') === true;
    const isOfGroup = repairs?.has('value_above') === true && !isCorrection;
    const repairOf: RepeatingColumn['repairOf'] = (text) => {
      if (text === '') return isOfGroup ? 'value above' : undefined;
      return hasMarks && isDittoMark(text, marks) ? 'ditto mark' : undefined;
    };
    return hasMarks || isOfGroup ? [{ index, title, repairOf, isOfGroup }] : [];
  });
  return [...new Map(repeating.map((place) => [place.index, place])).values()];
}

function resolve(
  row: SourceRow,
  columns: readonly RepeatingColumn[],
  above: ReadonlyMap<number, Pick<SourceRow, 'cells' | 'kinds'>>,
): SourceRow {
  const repaired = columns.flatMap(({ index, title, repairOf }) => {
    const repair = repairOf(row.cells[index]?.trim() ?? '');
    return repair === undefined || !above.has(index) ? [] : [{ index, note: repairNote(title, repair) }];
  });
  if (repaired.length === 0) return row;
  const cells = [...row.cells];
  const kinds = new Map(row.kinds);
  for (const { index } of repaired) {
    const source = above.get(index);
    cells[index] = source?.cells[index] ?? '';
    const kind = source?.kinds?.get(index);
    if (kind !== undefined) kinds.set(index, kind);
  }
  const notes = repaired.map(({ note }) => note);
  return { ...row, cells, ...(kinds.size === 0 ? {} : { kinds }), notes: [...(row.notes ?? []), ...notes] };
}

/**
 * Fills the columns of headings, where a mapping reads them: each row gets the text of the nearest heading above it. Rows of
 * a failed file have it in a cell of their own.
 */
export function withHeadings(table: SourceTable, mapping: TableMapping, isCorrection: boolean): SourceTable {
  const places = table.header.flatMap((title, index) => {
    const label = labelOfColumn(title);
    return title === headingColumn || label !== undefined ? [{ index, label }] : [];
  });
  if (places.length === 0 || isCorrection) return table;
  const check = nonRowCheckOf(table, mapping);
  const columns = rowColumnsOf(mapping, table.headerRow);
  const own = columns.own.filter((index) => places.every((place) => place.index !== index));
  const ofCells = { ...columns, own, above: table.above ?? [], labels: labelsIn(table.header) };
  const rows = async function* (): AsyncGenerator<readonly SourceRow[]> {
    const headings = new HeadingsAbove(ofCells);
    for await (const group of table.rows()) {
      yield group.map((row) => {
        const looks = check(row);
        headings.next(row, looks);
        if (looks !== null) return row;
        const cells = [...row.cells];
        for (const { index, label } of places) if (cells[index] === '') cells[index] = headings.textOf(label);
        return { ...row, cells };
      });
    }
  };
  return tableLike(table, { rows });
}

/** Counts rows of one sort, and keeps the numbers of the first. */
export class CountedRows {
  #count = 0;
  #first: number[] = [];

  get count(): number {
    return this.#count;
  }

  /** The numbers, for a sentence: `3, 7, 9 and 12 more`. */
  get numbers(): string {
    const more = this.#count - this.#first.length;
    return `${this.#first.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  }

  add(row: number): void {
    this.#count += 1;
    if (this.#first.length < rowsNamed) this.#first.push(row);
  }

  clear(): void {
    this.#count = 0;
    this.#first = [];
  }
}

export const rowsNamed = 10;
