/* A file to fill in, as data. */

import type { Kind } from '../batches/batch.ts';

/** How strongly a template asks for a column: in every row, in some rows, or one of two columns. */
export type Need = 'required' | 'sometimes' | 'optional';

/** One column of a file to fill in, as people are told about it. */
export interface TemplateColumn {
  readonly name: string;
  readonly need: Need;
  /** The need in words: `required`, `required for sepa`, `optional; individual when empty`. */
  readonly needInWords: string;
  readonly description: string;
  readonly example: string;
  /** Text keeps leading zeros in a spreadsheet program; days and amounts are better typed as such. */
  readonly content: 'text' | 'day' | 'amount';
  /** Values to choose from; others are refused only where the set is closed. */
  readonly choices: { readonly values: readonly string[]; readonly isClosed: boolean } | null;
}

/** A file to fill in: its columns, and rows that show how. */
export interface Template {
  readonly kind: Kind;
  /** The file's name without its ending: `customers`, `recipients-sepa`. */
  readonly name: string;
  readonly columns: readonly TemplateColumn[];
  /** A cell for each column. */
  readonly exampleRows: readonly (readonly string[])[];
}
