import type { Kind } from '../batches/batch.ts';
import type { RowNote } from '../rows/finding.ts';
import type { RowOfBatch } from '../rows/ledger-row.ts';
import type { Message } from '../settings/message.ts';
import type { RowLook } from './row-marks.ts';

/* Tables, rows and cells as read from a file, and how cells that look like formulas are guarded in CSV files. */

/** One row of a table, as text. */
export interface TableRow {
  /**
   * The row's number as a spreadsheet program shows it: the header is usually 1, blank rows count, and a
   * quoted line break inside a CSV value does not add a row.
   */
  readonly number: number;
  /** Padded with '' to the header's width; cells beyond it are kept only if they are not empty. */
  readonly cells: readonly string[];
  /** By column index (from 0); absent when every cell is text. */
  readonly kinds?: ReadonlyMap<number, CellKind>;
  /** Notes about the row: `hidden row`. */
  readonly notes?: readonly RowNote[];
  /** Hidden by hand, by a group or by a filter; workbooks only. */
  readonly isHidden?: true;
  /** How it looks, where cells of it are coloured or struck through; workbooks only. */
  readonly look?: RowLook;
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
  /** The rows above the header that are not blank; absent where there are none. */
  readonly above?: readonly Row[];
  /**
   * Notes about the table: its encoding, hidden sheets and columns, rows above the header.
   * Complete once `rows()` has been read to its end: some notes of a workbook are stored below its rows.
   */
  readonly notes: readonly Message[];
  /**
   * The rows below the header, in groups of up to 1,000, without blank ones. Every call reads the file anew.
   *
   * @throws InputError when the file turns out to be damaged, beyond a limit, or (`file_changed`) changed since
   *   it was opened; then the rows returned before are not to be relied on.
   */
  rows(): AsyncIterable<readonly Row[]>;
}

/** A copy of a table with another header, other rows or other notes; everything else is the table's own. */
export function tableLike<Row extends TableRow>(
  table: Table<Row>,
  own: {
    readonly header?: readonly string[];
    readonly rows?: () => AsyncIterable<readonly Row[]>;
    /** All of its notes; read each time, since the table's own notes may grow while it is read. */
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

/** A cell's value in an earlier round of a corrected row, and the code of the finding against it then. */
export interface EarlierValue {
  readonly text: string;
  readonly code: string | null;
  /** How its spreadsheet program shows it, where `text` is the value in result files. */
  readonly shown?: string;
  /** What people have typed in its place on pages, and what they have confirmed as right. */
  readonly confirmed?: readonly string[];
}

/** The values of one cell in every earlier round, the latest first. */
type EarlierValues = ReadonlyMap<number, readonly EarlierValue[]>;

/** The cells of one input row: text by column index, and the kinds of those that are not text. */
export interface Cells {
  readonly cells: readonly string[];
  readonly kinds?: ReadonlyMap<number, CellKind>;
  /** By column index; only for rows of a failed file that was corrected. */
  readonly earlier?: EarlierValues;
  /** The row's recipient kind, where that follows from the institution that it names. */
  readonly payeeType?: string;
}

/** What a spreadsheet program reads as the beginning of a formula, after any apostrophes that guard it. */
const looksLikeFormula = /^'*[=+\-@\t\r]/;

const apostrophe = 0x27;

/** `@`, in character order the last of the characters that a formula can begin with. */
const lastOfFormula = 0x40;

const isProtected = /^'+[=+\-@\t\r]/;

/**
 * The cell as it is written to a CSV file: with one apostrophe in front when a spreadsheet program would
 * read it as a formula. Text that looks guarded already gets one more, since reading removes one:
 * for every text, `unprotectCell(protectCell(text))` is that text.
 */
export function protectCell(text: string): string {
  // Runs for every cell of every result file: letters, and nearly all digits, begin no formula.
  if (text.charCodeAt(0) > lastOfFormula) return text;
  return looksLikeFormula.test(text) ? `'${text}` : text;
}

/**
 * The cell's meaning: its text without the one apostrophe that guards a formula's first character. Call it
 * exactly once for each cell that is read; a second call would remove an intended apostrophe.
 */
export function unprotectCell(text: string): string {
  // Runs for every cell of every file, and hardly any begins with an apostrophe.
  if (text.charCodeAt(0) !== apostrophe) return text;
  return isProtected.test(text) ? text.slice(1) : text;
}

/** A row of an input, with facts from elsewhere. */
export interface SourceRow extends TableRow {
  /** The earlier values of its cells, for a row of a failed file that was corrected. */
  readonly earlier?: EarlierValues;
  /** The row of an earlier round that it names. */
  readonly corrects?: RowOfBatch;
  /** Where a person finds the row that it corrects, in the first round's file: `row 57 of people.csv`. */
  readonly correctedPlace?: string;
  /** The row's recipient kind, where that follows from the institution that it names. */
  readonly payeeType?: string;
  /** Why a person has said that it is held; absent for others. */
  readonly heldFor?: string;
}

/** The code of the finding that holds such a row. */
export const heldByMark = 'marked_row';

export type SourceTable = Table<SourceRow>;

/* A file to fill in, as data. */

/** How strongly a template asks for a column: in every row, in some rows, or one of two columns. */
export type Need = 'required' | 'sometimes' | 'optional';

/** One column of a file to fill in, as it is described to people. */
export interface TemplateColumn {
  readonly name: string;
  readonly need: Need;
  /** The need in words: `required`, `required for sepa`, `optional; individual when empty`. */
  readonly needInWords: string;
  readonly description: string;
  readonly example: string;
  /** Text keeps leading zeros in a spreadsheet program; dates and amounts are better typed as such. */
  readonly content: 'text' | 'day' | 'amount';
  /** Values to choose from; others are refused only where the set is closed. */
  readonly choices: { readonly values: readonly string[]; readonly isClosed: boolean } | null;
}

/** A file to fill in: its columns, and example rows. */
export interface Template {
  readonly kind: Kind;
  /** The file's name without its ending: `customers`, `recipients-sepa`. */
  readonly name: string;
  readonly columns: readonly TemplateColumn[];
  /** A cell for each column. */
  readonly exampleRows: readonly (readonly string[])[];
}

/** A sheet of a file with rows of which nothing was read. */
export interface LeftOutSheet {
  /** The file's name. */
  readonly file: string;
  readonly sheet: string;
  /** The lines below its header that have more than one filled cell. */
  readonly rows: number;
}
