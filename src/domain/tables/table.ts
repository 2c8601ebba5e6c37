import type { Kind } from '../batches/batch.ts';
import type { RowNote } from '../rows/finding.ts';
import type { RowOfBatch } from '../rows/ledger-row.ts';
import type { Message } from '../settings/message.ts';
import type { RowLook } from './row-marks.ts';

/* Tables, rows and cells as read from a file, and how cells that look like formulas are protected in CSV files. */

/** One row of a table, as text. */
export interface TableRow {
  /**
   * The row's number as a spreadsheet program shows it. The header usually is row 1, blank rows count, and a quoted line
   * break inside a CSV value does not add a row.
   */
  readonly number: number;
  /** Padded with '' to the header's width. Cells beyond it are included only if they are not empty. */
  readonly cells: readonly string[];
  /** By column index (from 0); absent if every cell is text. */
  readonly kinds?: ReadonlyMap<number, CellKind>;
  /** Notes about the row, for example `hidden row`. */
  readonly notes?: readonly RowNote[];
  /** Whether it is hidden by hand, by a group or by a filter; workbooks only. */
  readonly isHidden?: true;
  /** The look of the row, if any of its cells are coloured or struck through; workbooks only. */
  readonly look?: RowLook;
  /**
   * Set if the file ends in this row without a line end, so that the row may be cut off. `short`: it also has fewer cells
   * than every other row. CSV only.
   */
  readonly cut?: 'possible' | 'short';
}

/** A CSV file's only table, or one sheet of a workbook. */
export interface Table<Row extends TableRow = TableRow> {
  /** The sheet's name; null for CSV. */
  readonly sheet: string | null;
  /** Whether the whole sheet is hidden; workbooks only. */
  readonly isHidden?: boolean;
  /** The header's cells, without leading and trailing white space. */
  readonly header: readonly string[];
  readonly headerRow: number;
  /** The rows above the header that are not blank; absent if there are none. */
  readonly above?: readonly Row[];
  /**
   * Notes about the table: its encoding, hidden sheets and columns, rows above the header. They are complete once `rows()`
   * was read to its end, because a workbook stores some of them below its rows.
   */
  readonly notes: readonly Message[];
  /**
   * The rows below the header, in groups of up to 1,000, without blank rows. Every call reads the file again.
   * @throws InputError if the file is damaged, exceeds a limit, or (`file_changed`) has changed since it was opened; then
   * the rows that were returned before must not be used
   */
  rows(): AsyncIterable<readonly Row[]>;
}

/** A copy of a table with another header, other rows or other notes. All other properties are those of the table. */
export function tableLike<Row extends TableRow>(
  table: Table<Row>,
  own: {
    readonly header?: readonly string[];
    readonly rows?: () => AsyncIterable<readonly Row[]>;
    /** All notes of the copy. They are read at each access, since the table's own notes may grow while it is read. */
    readonly notes?: () => readonly Message[];
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
 * The type of a cell in its file, where it is not plain text. CSV cells are always text and have no entry.
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

/** A cell's value in an earlier round of a corrected row, and the code of the finding about it then. */
export interface EarlierValue {
  readonly text: string;
  readonly code: string | null;
  /** How the spreadsheet program shows it, if `text` is the value in result files. */
  readonly shown?: string;
  /** The values that people have typed in its place on pages, or confirmed as right. */
  readonly confirmed?: readonly string[];
}

/** The values of one cell in every earlier round, the latest first. */
type EarlierValues = ReadonlyMap<number, readonly EarlierValue[]>;

/** The cells of one input row: text by column index, and the kinds of the cells that are not text. */
export interface Cells {
  readonly cells: readonly string[];
  readonly kinds?: ReadonlyMap<number, CellKind>;
  /** By column index; only for rows of a failed file that was corrected. */
  readonly earlier?: EarlierValues;
  /** The row's recipient kind, if it follows from the row's institution. */
  readonly payeeType?: string;
}

/** A text that a spreadsheet program reads as the beginning of a formula, after any apostrophes that protect it. */
const looksLikeFormula = /^'*[=+\-@\t\r]/;

const apostrophe = 0x27;

/** `@` has the highest character code among the characters that begin a formula. */
const lastOfFormula = 0x40;

const isProtected = /^'+[=+\-@\t\r]/;

/**
 * The cell in the form for a CSV file: with an apostrophe in front if a spreadsheet program would read it as a formula. A
 * text that already looks protected gets one more apostrophe, since reading removes one. So
 * `unprotectCell(protectCell(text))` is `text` for every text.
 */
export function protectCell(text: string): string {
  // This runs for every cell of every result file. Letters, and nearly all digits, cannot begin a formula.
  if (text.charCodeAt(0) > lastOfFormula) return text;
  return looksLikeFormula.test(text) ? `'${text}` : text;
}

/**
 * The cell's value: its text without the one apostrophe that protects a formula's first character. Call it exactly once for
 * each cell that is read, because a second call would remove an intended apostrophe.
 */
export function unprotectCell(text: string): string {
  // This runs for every cell of every file, and hardly any cell begins with an apostrophe.
  if (text.charCodeAt(0) !== apostrophe) return text;
  return isProtected.test(text) ? text.slice(1) : text;
}

/** A row of an input, with data from other sources. */
export interface SourceRow extends TableRow {
  /** The earlier values of its cells, for a row of a failed file that was corrected. */
  readonly earlier?: EarlierValues;
  /** The row of an earlier round that this row names. */
  readonly corrects?: RowOfBatch;
  /** Where a person finds the row that it corrects, in the file of the first round: `row 57 of people.csv`. */
  readonly correctedPlace?: string;
  /** The row's recipient kind, if it follows from the row's institution. */
  readonly payeeType?: string;
  /** The reason why a person has marked it to be held; absent for other rows. */
  readonly heldFor?: string;
}

/** The code of the finding for such a row. */
export const heldByMark = 'marked_row';

export type SourceTable = Table<SourceRow>;

/* A template: a file to fill in, as data. */

/** When a template requires a column: in every row, in some rows or in place of another column, or never. */
export type Need = 'required' | 'sometimes' | 'optional';

/** One column of a template, as it is described to people. */
export interface TemplateColumn {
  readonly name: string;
  readonly need: Need;
  /** The need as text: `required`, `required for sepa`, `optional; individual when empty`. */
  readonly needInWords: string;
  readonly description: string;
  readonly example: string;
  /** A text column keeps leading zeros in a spreadsheet program. Dates and amounts have their own types. */
  readonly content: 'text' | 'day' | 'amount';
  /** The values to choose from. Other values are refused only if the set is closed. */
  readonly choices: { readonly values: readonly string[]; readonly isClosed: boolean } | null;
}

/** A file to fill in, with its columns and example rows. */
export interface Template {
  readonly kind: Kind;
  /** The file's name without its extension: `customers`, `recipients-sepa`. */
  readonly name: string;
  readonly columns: readonly TemplateColumn[];
  /** One cell for each column. */
  readonly exampleRows: readonly (readonly string[])[];
}

/** A sheet of a file whose rows were not read. */
export interface LeftOutSheet {
  /** The file's name. */
  readonly file: string;
  readonly sheet: string;
  /** The number of lines below its header that have more than one filled cell. */
  readonly rows: number;
}
