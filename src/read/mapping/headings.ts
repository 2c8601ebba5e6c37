/*
 * Headings between the rows, such as `Bank: GTBank` or `BANK | 68 | Equity Bank`: what they say of the rows below them. A mapping
 * reads them as columns. `(heading)` has the nearest heading, and `(heading BANK)` the nearest one with that label.
 */

import { unprotectCell } from '../../domain/tables/table.ts';

/** Lines among the rows of a file that are not rows, but were written for human readers. */
export type NonRow =
  | 'heading'
  | 'total'
  | 'carried total'
  | 'signature'
  | 'repeated header'
  | 'empty form'
  | 'example';

/** The cells of a row, as the file has them. */
export type CellsOf = { readonly cells: readonly string[]; readonly number?: number };

/** The columns of a table that distinguish rows from other lines. */
export interface RowColumns {
  /** The columns that make a row: those that a mapping uses, or all that have a name. */
  readonly own: readonly number[];
  /** The columns of account numbers, phone numbers and the like. A line with digits there is a row. */
  readonly identifiers?: ReadonlySet<number>;
  /** The columns of amounts and days. */
  readonly figures?: ReadonlySet<number>;
  /** Whether a row repeats the header in other words; absent while the columns' meaning is unknown. */
  readonly isHeaderAgain?: (row: CellsOf) => boolean;
  /** The lines above the header: a program that prints pages repeats them before each page. */
  readonly above?: readonly CellsOf[];
  /** The labels of headings that have their value in cells of their own: `BANK | 68 | Equity Bank`. */
  readonly labels?: ReadonlySet<string>;
}

/** The title of the column of the nearest heading. */
export const headingColumn = '(heading)';
const labelledColumn = /^\(heading (.+)\)$/;

/** The title of the column of the nearest heading with a label. */
export function columnOfLabel(label: string): string {
  return `(heading ${label})`;
}

/** The label of the headings that a column has; undefined for another column. */
export function labelOfColumn(title: string): string | undefined {
  return labelledColumn.exec(title)?.[1];
}

/** The labels of the headings that a header has as columns. */
export function labelsIn(header: readonly string[]): ReadonlySet<string> {
  return new Set(header.flatMap((title) => labelOfColumn(title) ?? []));
}

/** What is before a heading's own text: `Bank: `. */
const headingLabel = /^\p{L}[^\d:]{0,40}:\s*(?=\S)/u;
/** How many rows follow, as a heading says it: `(23)`, `- 23 employees`. */
const headingCount = /\s*(?:\(\s*\d+(?:\s+\p{L}+\.?)?\s*\)|[-–—,;:]\s*\d+\s+\p{L}+\.?)$/u;
/** What programs write behind a heading that a new page repeats. */
const continued =
  /\s*\((?:contd?|cont['’]?d|continued|continua(?:ción|ção)?|segue|suite|forts(?:etzung)?|vervolg)\.?\)$/iu;

/** The most cells of a heading: a label, a code and a name, and perhaps how many rows follow and their sums. */
const mostCells = 6;
const count = /^\d+\s+\p{L}+\.?$/u;
const label = /^\p{L}[^\d:]{0,40}$/u;
const hasLetter = /\p{L}/u;

/** The label and the text of a heading that has them in cells of their own; undefined for another line. */
export function labelledHeading(
  cells: readonly string[],
): { readonly label: string; readonly text: string } | undefined {
  const filled = cells.map((cell) => unprotectCell(cell).trim()).filter((text) => text !== '');
  const [first = '', ...others] = filled;
  const own = first.replace(/\s*:$/, '');
  const names = others.filter((text) => hasLetter.test(text) && !count.test(text));
  if (names.length === 0 || filled.length > mostCells || !label.test(own)) return undefined;
  return { label: own, text: plainHeading(names.join(' ')) };
}

/** Follows the lines of a table in their order, and knows the headings that the present line is below. */
export class HeadingsAbove {
  readonly #own: readonly number[];
  readonly #identifiers: readonly number[];
  readonly #figures: readonly number[];
  readonly #labels: ReadonlySet<string>;
  /** By label, those of larger groups first. */
  readonly #labelled = new Map<string, string>();
  #nearest: string;

  /** @param columns the columns of the rows' own cells; with the lines above the header, whose last may be the first heading */
  constructor({ own, identifiers, figures, above = [], labels = new Set() }: RowColumns) {
    this.#own = own;
    this.#identifiers = [...(identifiers ?? [])];
    this.#figures = [...(figures ?? [])];
    this.#labels = labels;
    const [first, another] = textsIn(above.at(-1) ?? { cells: [] });
    this.#nearest = first === undefined || another !== undefined ? '' : plainHeading(first);
  }

  /**
   * The text of the nearest heading above the present line, without its label and the number of its rows; empty where there is none.
   * @param own the label of the heading, if it has to be one with that label
   */
  textOf(own: string | undefined): string {
    return own === undefined ? this.#nearest : (this.#labelled.get(own) ?? '');
  }

  /**
   * Takes the next line. The rows behind a total, or behind a line that may be another heading, must not go to the institution
   * above it. A sum that is carried to the next page ends no group.
   * @param looks what the line is, as `createNonRowCheck` says
   */
  next(row: CellsOf, looks: NonRow | null): void {
    if (looks === 'heading') this.#begin(row);
    else if (looks === 'total') this.#endGroup();
    else if (this.#mayBeHeading(row, looks)) {
      this.#nearest = '';
      this.#labelled.clear();
    }
  }

  #begin(row: CellsOf): void {
    const found = labelledHeading(row.cells);
    if (found === undefined || !this.#labels.has(found.label)) {
      this.#nearest = plainHeading(textsIn(row).join(' '));
      return;
    }
    // A new larger group ends the smaller ones in it.
    const labels = [...this.#labelled.keys()];
    const place = labels.indexOf(found.label);
    for (const smaller of place === -1 ? [] : labels.slice(place)) this.#labelled.delete(smaller);
    this.#labelled.set(found.label, found.text);
  }

  /** A total is that of the smallest group. */
  #endGroup(): void {
    this.#nearest = '';
    const smallest = [...this.#labelled.keys()].at(-1);
    if (smallest !== undefined) this.#labelled.delete(smallest);
  }

  /** Whether a line lacks more than a mistake explains: its identifiers, and its figures or half of its values. */
  #mayBeHeading({ cells }: CellsOf, looks: NonRow | null): boolean {
    if (looks === 'empty form') return cells.some((cell) => /^[A-Z]{3}$/.test(unprotectCell(cell).trim()));
    if (looks !== null) return false;
    const filled = this.#own.filter((index) => (cells[index] ?? '').trim() !== '').length;
    const lacksDigits = (columns: readonly number[]): boolean =>
      columns.every((index) => !/\d/.test(cells[index] ?? '') || count.test(cells[index] ?? ''));
    if (!lacksDigits(this.#identifiers)) return false;
    // `KAMPALA | Mr. Okello | 12 staff | MTN` has as many values as a row.
    const hasNoFigure = this.#figures.length > 0 && lacksDigits(this.#figures);
    return filled * 2 <= this.#own.length || (this.#identifiers.length > 0 && hasNoFigure);
  }
}

/** The texts of a line. A merged line that a program has written into several cells has one. */
function textsIn({ cells }: CellsOf): readonly string[] {
  return [...new Set(cells.map((cell) => unprotectCell(cell).trim()).filter((text) => text !== ''))];
}

function plainHeading(whole: string): string {
  const text = whole.replace(headingLabel, '').replace(headingCount, '').replace(continued, '');
  return text === '' ? whole : text;
}
