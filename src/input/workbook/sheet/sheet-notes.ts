import type { OpenedTable } from '../../table/opened-table.ts';

/** What a reader saw around a sheet's rows. */
export interface SheetSurroundings {
  readonly hiddenColumns: readonly string[];
  readonly mergedRanges: number;
}

const RANGES_SHOWN = 10;

/** What was seen around the rows, in words. */
export function sheetNotes({ hiddenColumns, mergedRanges }: SheetSurroundings): string[] {
  const notes: string[] = [];
  if (hiddenColumns.length > 0) {
    const shown = hiddenColumns.slice(0, RANGES_SHOWN).join(', ');
    notes.push(`hidden columns are read like the others: ${shown}`);
  }
  if (mergedRanges > 0) {
    notes.push('there are merged cells; their value counts for the first cell only, the others are empty');
  }
  return notes;
}

/** The notes of one table, which grow as its rows are read again and again; none is there twice. */
export class TableNotes {
  readonly all: string[] = [];

  add(notes: readonly string[]): void {
    for (const note of notes) if (!this.all.includes(note)) this.all.push(note);
  }
}

/** What there is to say about the workbook as a whole stands on its first table, whose own notes may still grow. */
export function withNotes(table: OpenedTable, notes: readonly string[]): OpenedTable {
  if (notes.length === 0) return table;
  return {
    ...table,
    get notes() {
      return [...notes, ...table.notes];
    },
  };
}
