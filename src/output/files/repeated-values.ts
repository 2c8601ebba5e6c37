/* The faulty values that several rows have: each stands once on a sheet of the failed workbook. */

/** Of a column's faulty values so many are kept and listed; those that came first. */
const MOST_VALUES = 500;

/** A faulty cell, as it stands in the workbook. */
export interface FaultyCell {
  readonly column: string;
  readonly value: string;
  readonly message: string;
}

/** Counts the faulty values of each column; nothing grows with the rows. */
export class RepeatedValues {
  readonly #columns = new Map<string, Map<string, FaultyCell & { rows: number }>>();

  add(cell: FaultyCell): void {
    const ofColumn = this.#columns.get(cell.column) ?? new Map();
    this.#columns.set(cell.column, ofColumn);
    const known = ofColumn.get(cell.value);
    if (known !== undefined) known.rows += 1;
    else if (ofColumn.size < MOST_VALUES) ofColumn.set(cell.value, { ...cell, rows: 1 });
  }

  /** Those of several rows, the most frequent first. */
  list(): readonly (FaultyCell & { readonly rows: number })[] {
    return [...this.#columns.values()]
      .flatMap((ofColumn) => [...ofColumn.values()].filter(({ rows }) => rows > 1))
      .sort((left, right) => right.rows - left.rows);
  }
}
