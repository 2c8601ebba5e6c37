import type { CellKind } from './cell.ts';

/** One row of a table, as text. */
export interface TableRow {
  /**
   * The row's number as a spreadsheet program shows it: the header is usually 1, blank rows count, and a
   * quoted line break inside a CSV value does not add a row.
   */
  readonly number: number;
  /** Padded with '' to the header's width; cells beyond it are kept only if something is in them. */
  readonly cells: readonly string[];
  /** By column index (from 0); absent when every cell is text. */
  readonly kinds?: ReadonlyMap<number, CellKind>;
  /** What is worth knowing about the row: `hidden row`. */
  readonly notes?: readonly string[];
  /** Hidden by hand, by a group or by a filter; workbooks only. */
  readonly isHidden?: true;
}

/** A CSV file's only table, or one sheet of a workbook. */
export interface Table<Row extends TableRow = TableRow> {
  /** The sheet's name; null for CSV. */
  readonly sheet: string | null;
  /** Whether the whole sheet is hidden; workbooks only. */
  readonly isHidden?: boolean;
  /** The header's cells, without white space around them. */
  readonly header: readonly string[];
  readonly headerRow: number;
  /** The rows above the header that have something in them; absent where there are none. */
  readonly above?: readonly Row[];
  /**
   * What is worth knowing about the table: its encoding, hidden sheets and columns, rows above the header.
   * Complete once `rows()` has been read to its end: a workbook says some of it below its rows.
   */
  readonly notes: readonly string[];
  /**
   * The rows below the header, in groups of up to 1,000, without blank ones. Every call reads the file anew.
   *
   * @throws InputError when the file turns out to be damaged, beyond a limit, or (`file_changed`) other than
   *   it was when it was opened; rows that came out before are then not to be relied on.
   */
  rows(): AsyncIterable<readonly Row[]>;
}

/** A table with another header, other rows or other notes than one has; everything else is that table's. */
export function tableLike<Row extends TableRow>(
  table: Table<Row>,
  own: {
    readonly header?: readonly string[];
    readonly rows?: () => AsyncIterable<readonly Row[]>;
    /** All of its notes; asked for each time, since a table's own may still grow while it is read. */
    readonly notes?: () => readonly string[];
  },
): Table<Row> {
  const { sheet, isHidden, headerRow, above } = table;
  return {
    ...{ sheet, headerRow, header: own.header ?? table.header, rows: own.rows ?? (() => table.rows()) },
    ...(isHidden === undefined ? {} : { isHidden }),
    ...(above === undefined ? {} : { above }),
    get notes() {
      return own.notes?.() ?? table.notes;
    },
  };
}
