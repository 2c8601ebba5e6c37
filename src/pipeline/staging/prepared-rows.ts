import { repairNote } from '../../domain/rows/finding.ts';
import type { ReadingRules, TableMapping } from '../../domain/tables/mapping.ts';
import { tableLike } from '../../domain/tables/table.ts';
import { createAccountLengths, needsAccountLengths } from '../../resources/check/account-lengths.ts';
import { isDittoMark } from '../../resources/check/cell-repairs.ts';
import { createNonRowCheck } from '../mapping/non-rows.ts';
import type { SourceRow, SourceTable } from '../ports.ts';
import { rowColumnsOf } from './left-out-rows.ts';

/** A column whose ditto marks a person has agreed to. */
interface DittoColumn {
  readonly index: number;
  readonly title: string;
}

/**
 * Puts the value that a ditto mark stands for in its place: the nearest one above it in its column, of a row that is
 * one; hidden rows count, since the mark was written when they were seen. A mark with nothing above it stays, for the
 * check to refuse.
 */
export function withoutDittoMarks(table: SourceTable, mapping: TableMapping): SourceTable {
  const columns = dittoColumns(mapping);
  if (columns.length === 0) return table;
  const isNoRow = createNonRowCheck(table.header, rowColumnsOf(mapping));
  const rows = async function* (): AsyncGenerator<readonly SourceRow[]> {
    const above = new Map<number, Pick<SourceRow, 'cells' | 'kinds'>>();
    for await (const group of table.rows()) {
      yield group.map((row) => {
        if (isNoRow(row) !== null) return row;
        const resolved = resolve(row, columns, above);
        for (const { index } of columns) {
          const text = resolved.cells[index]?.trim() ?? '';
          if (text !== '' && !isDittoMark(text)) above.set(index, resolved);
        }
        return resolved;
      });
    }
  };
  return tableLike(table, { rows });
}

function dittoColumns({ columns }: TableMapping): readonly DittoColumn[] {
  const places = columns.flatMap(({ index, title, repairs, joined = [] }) => [
    ...joined,
    ...(index === null ? [] : [{ index, title, ...(repairs === undefined ? {} : { repairs }) }]),
  ]);
  const marked = places.filter(({ repairs }) => repairs?.has('ditto') === true);
  return [...new Map(marked.map((place) => [place.index, place])).values()];
}

function resolve(
  row: SourceRow,
  columns: readonly DittoColumn[],
  above: ReadonlyMap<number, Pick<SourceRow, 'cells' | 'kinds'>>,
): SourceRow {
  const marked = columns.filter(({ index }) => isDittoMark(row.cells[index] ?? '') && above.has(index));
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
 * The mapping with what its repairs need to know of the table as a whole, which is read to its end for it only where
 * a repair does.
 *
 * @param isTextOnly whether every cell is text, and none of those that a person has corrected
 */
export async function withEvidence(
  mapping: TableMapping,
  table: SourceTable,
  reading: ReadingRules,
  isTextOnly: boolean,
): Promise<TableMapping> {
  const mayLoseZeros = mapping.columns.some(({ repairs }) => repairs?.has('lost_zeros'));
  const typed = isTextOnly && mayLoseZeros ? { ...mapping, isTextOnly } : mapping;
  if (!needsAccountLengths(mapping)) return typed;
  const lengths = createAccountLengths(typed, reading);
  for await (const group of table.rows()) for (const row of group) lengths.add(row);
  return { ...typed, accountLengths: lengths.result() };
}
