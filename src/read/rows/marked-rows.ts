/* Rows that a file sets apart, by how they look or by a column: what a person has said about them is done here. */

import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { foldWord, type TableMapping } from '../../domain/tables/mapping.ts';
import { type FoundMark, MarkTally, marksOf, type RowMeaning } from '../../domain/tables/row-marks.ts';
import { type SourceRow, type SourceTable, tableLike, unprotectCell } from '../../domain/tables/table.ts';
import { isSameTitle, type MappingFile } from '../mapping/mapping-file.ts';
import { nonRowCheckOf } from './prepared-rows.ts';
import { CountedRows } from './rows-to-read.ts';

/** The beginning of the key of a line that explains marks which no row has. */
export const saidPrefix = 'said: ';

/** What is done with the marked rows of a table. */
interface Marking {
  readonly mapping: TableMapping;
  readonly stated: Pick<MappingFile, 'markedRows' | 'markedValues'>;
  /** Refuses a file with marks that the mapping does not know; null where no person has to be asked about them. */
  readonly refuseNew: { readonly place: string; readonly path: string } | null;
  /** Called with such marks in place of refusing the file, each time that the rows are read. */
  readonly onNew?: ((fresh: readonly FoundMark[]) => void) | undefined;
}

/** What a person has said about a row, and the words for its mark. */
interface Said {
  readonly meaning: RowMeaning;
  /** As in `they are struck through`. */
  readonly is: string;
}

type Judge = (row: SourceRow) => Said | null;

/**
 * Leaves out the marked rows that a person has said to leave out, and holds those that are to be held. The table's notes
 * name them.
 *
 * @throws PaybatchError (`file_refused`), at the end of the rows, when other rows are marked than the mapping knows
 */
export function withMarkedRows(
  table: SourceTable,
  { mapping, stated, refuseNew, onNew }: Marking,
): SourceTable {
  const judge = judgeOf(table.header, stated);
  const isWatched = refuseNew !== null || onNew !== undefined;
  if (judge === null && !isWatched) return table;
  const known = new Set(Object.keys(stated.markedRows ?? {}));
  const isNoRow = nonRowCheckOf(table, mapping);
  const leftOut = new Map<string, CountedRows>();
  const rows = async function* (): AsyncGenerator<readonly SourceRow[]> {
    leftOut.clear();
    const tally = new MarkTally(known);
    for await (const group of table.rows()) {
      const kept = group.flatMap((row): readonly SourceRow[] => {
        if (isNoRow(row) !== null) return [row];
        if (isWatched) tally.add(row);
        const said = judge?.(row) ?? null;
        if (said === null || said.meaning === 'send') return [row];
        if (said.meaning === 'hold') return [{ ...row, heldFor: heldMessage(said) }];
        const counted = leftOut.get(said.is) ?? new CountedRows();
        leftOut.set(said.is, counted);
        counted.add(row.number);
        return [];
      });
      if (kept.length > 0) yield kept;
    }
    const fresh = isWatched ? tally.found() : [];
    if (onNew !== undefined) onNew(fresh);
    else if (refuseNew !== null && fresh.length > 0) throw newMarks(fresh, refuseNew);
  };
  return tableLike(table, { rows, notes: () => [...table.notes, ...notesOf(leftOut)] });
}

/** Whether a row is left out for a mark; where a table's totals may be those of the other rows only. */
export function isLeftOutFor(
  header: readonly string[],
  stated: Marking['stated'],
): (row: SourceRow) => boolean {
  const judge = judgeOf(header, stated);
  return judge === null ? () => false : (row) => judge(row)?.meaning === 'leave_out';
}

/** @returns null where nothing is said about any row */
function judgeOf(
  header: readonly string[],
  { markedRows = {}, markedValues = {} }: Marking['stated'],
): Judge | null {
  const isAllHeld = Object.entries(markedRows).some(
    ([mark, meaning]) => mark.startsWith(saidPrefix) && meaning === 'hold',
  );
  const byMark = new Map(Object.entries(markedRows).filter(([, meaning]) => meaning !== 'send'));
  const columns = Object.entries(markedValues).flatMap(([title, meanings]) => {
    const index = header.findIndex((other) => isSameTitle(other, title));
    const folded = new Map(Object.entries(meanings).map(([value, meaning]) => [foldWord(value), meaning]));
    return index === -1 ? [] : [{ title, index, folded }];
  });
  if (byMark.size === 0 && columns.length === 0) return null;
  return (row) => {
    const all: Said[] = isAllHeld ? [{ meaning: 'hold', is: 'explained by a line of the file' }] : [];
    if (byMark.size > 0) {
      for (const mark of marksOf(row.look)) {
        const meaning = byMark.get(mark);
        if (meaning !== undefined) all.push({ meaning, is: mark });
      }
    }
    for (const { title, index, folded } of columns) {
      const text = unprotectCell(row.cells[index] ?? '').trim();
      const meaning = folded.get(foldWord(text)) ?? 'hold';
      if (meaning !== 'send') all.push({ meaning, is: `"${text}" in "${title}"` });
    }
    return all.find(({ meaning }) => meaning === 'leave_out') ?? all[0] ?? null;
  };
}

function heldMessage({ is }: Said): string {
  return `The row is held, since it is ${is}: a person has said that such rows are not sent yet.`;
}

function notesOf(leftOut: ReadonlyMap<string, CountedRows>): string[] {
  return [...leftOut].map(([is, counted]) =>
    counted.count === 1
      ? `1 row is left out, since it is ${is}: ${counted.numbers}`
      : `${counted.count} rows are left out, since they are ${is}: ${counted.numbers}`,
  );
}

function newMarks(
  fresh: readonly FoundMark[],
  { place, path }: NonNullable<Marking['refuseNew']>,
): PaybatchError {
  const marks = fresh.map(({ mark, rows, first }) => {
    const more = rows > first.length ? ', ...' : '';
    return `${mark} (${rows === 1 ? 'row' : 'rows'} ${first.join(', ')}${more})`;
  });
  return new PaybatchError(
    'mapping_open',
    `${place}: rows are marked in a way that no person has explained, so nothing of it is sent: ${marks.join('; ')}.`,
    { action: 'mapping', file: path, effect: 'asks what becomes of them' },
  );
}
