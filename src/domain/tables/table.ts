/* Tables, rows and cells as they come from a file, and how cells that look like formulas are guarded in CSV files. */

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
  /**
   * The file ends in this row, which has no line end: it may be cut off. `short` where it also has fewer cells than every
   * other row. CSV only.
   */
  readonly cut?: 'possible' | 'short';
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
    sheet,
    headerRow,
    header: own.header ?? table.header,
    rows: own.rows ?? (() => table.rows()),
    ...(isHidden === undefined ? {} : { isHidden }),
    ...(above === undefined ? {} : { above }),
    get notes() {
      return own.notes?.() ?? table.notes;
    },
  };
}

/**
 * What a cell was in its file, where that is more than text. CSV cells are always text and have no entry.
 *
 * - `number`: a numeric cell; its text is the value to 15 significant digits, as a plain decimal
 * - `shown_number`: a numeric cell of at most 15 digits whose own number format is made of zeros,
 *   at least as many as the value has digits; its text is what is displayed (`00420`)
 * - `date`: its text is `YYYY-MM-DD`, followed by ` HH:MM:SS` when there is a time of day
 * - `boolean`: its text is `TRUE` or `FALSE`
 * - `error`: its text is the error as displayed (`#REF!`)
 * - `formula_without_value`: a formula whose result is not stored; its text is empty
 */
export type CellKind = 'number' | 'shown_number' | 'date' | 'boolean' | 'error' | 'formula_without_value';

/** What a cell held in an earlier round of a corrected row, and the code of what was found against it then. */
export interface EarlierValue {
  readonly text: string;
  readonly code: string | null;
  /** How the program of its file shows it, where `text` is what result files have. */
  readonly shown?: string;
  /** What people have written in its place on pages, and what they have said is right as it is. */
  readonly confirmed?: readonly string[];
}

/** The values of one cell in every earlier round, the last one first. */
export type EarlierValues = ReadonlyMap<number, readonly EarlierValue[]>;

/** The cells of one input row: text by column index, and the kinds of those that are not text. */
export interface Cells {
  readonly cells: readonly string[];
  readonly kinds?: ReadonlyMap<number, CellKind>;
  /** By column index; only for rows of a failed file that was corrected. */
  readonly earlier?: EarlierValues;
  /** What kind of recipient it is, where that follows from the institution that it names. */
  readonly payeeType?: string;
}

/** What a spreadsheet program takes for the beginning of a formula, behind any apostrophes that guard it. */
const looksLikeFormula = /^'*[=+\-@\t\r]/;

const apostrophe = 0x27;

/** `@`, the last in the order of characters that a formula can begin with. */
const lastOfFormula = 0x40;

const isProtected = /^'+[=+\-@\t\r]/;

/**
 * The cell as it is written to a CSV file: with one apostrophe in front when a spreadsheet program would
 * take it for a formula. Text that looks protected already gets one more, since reading takes one off:
 * for every text, `unprotectCell(protectCell(text))` is that text.
 */
export function protectCell(text: string): string {
  // Every cell of every result file comes by here: letters, and nearly all digits, begin no formula.
  if (text.charCodeAt(0) > lastOfFormula) return text;
  return looksLikeFormula.test(text) ? `'${text}` : text;
}

/**
 * The cell as it is meant: without the one apostrophe that guards a formula's first character. It has to
 * be called exactly once for each cell that is read; calling it twice would take a meant apostrophe off.
 */
export function unprotectCell(text: string): string {
  // Every cell of every file comes by here, and hardly any begins with an apostrophe.
  if (text.charCodeAt(0) !== apostrophe) return text;
  return isProtected.test(text) ? text.slice(1) : text;
}

/** A row of an input, with what follows for it from elsewhere. */
export interface SourceRow extends TableRow {
  /** What its cells held before, for a row of a failed file that was corrected. */
  readonly earlier?: EarlierValues;
  /** The row of an earlier round that it names. */
  readonly corrects?: { readonly batch: string; readonly row: number };
  /** Where a person finds the row that it corrects, in the first file of all rounds: `row 57 of people.csv`. */
  readonly correctedPlace?: string;
  /** What kind of recipient it is, where that follows from the institution that it names. */
  readonly payeeType?: string;
}

export type SourceTable = Table<SourceRow>;
