/**
 * What a cell was in its file, where that is not plain text. CSV cells are always text. A `number`
 * holds its value to 15 significant digits; a `shown_number` is a number whose own format fixes its
 * digits (leading zeros), and holds what the spreadsheet displays.
 */
export type CellKind = 'number' | 'shown_number' | 'date' | 'boolean' | 'error' | 'formula_without_value';

/** What a cell held in an earlier round of a corrected row, and the code of what was found against it then. */
export interface EarlierValue {
  readonly text: string;
  readonly code: string | null;
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
