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
