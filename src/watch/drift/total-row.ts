/* Finds rows whose amount is the sum of the others: totals that are taken for rows. */

import { addDecimals, compareDecimals, type Decimal, parseDecimal } from '../../domain/money/money.ts';
import type { StagedRow } from '../../domain/rows/ledger-row.ts';

const zero: Decimal = { units: 0n, scale: 0 };

/** With fewer rows, an amount is the sum of the others by chance. */
const fewestRows = 4;

/** A row whose amount is the sum of all rows above it, of those since the last total, or of all below it. */
export interface TotalRow {
  readonly row: number;
  readonly amount: string;
}

/** Adds up the amounts of a table, whatever their currency: a file with several has no total of all. */
export class TotalWatch {
  #sum = zero;
  /** Since the last total. */
  #section = zero;
  #rowsOfSection = 0;
  #mostOfSection = zero;
  #rows = 0;
  #first: TotalRow | null = null;
  readonly #found: TotalRow[] = [];

  take({ row, state, record: { amount } }: StagedRow): void {
    const value = amount === undefined ? undefined : parseDecimal(amount);
    if (amount === undefined || value === undefined) return;
    this.#rows += 1;
    const isSumOf = (sum: Decimal, rows: number): boolean =>
      rows >= fewestRows && compareDecimals(value, sum) === 0;
    const isSum = isSumOf(this.#sum, this.#rows - 1) || isSumOf(this.#section, this.#rowsOfSection);
    if (isSum && compareDecimals(value, this.#mostOfSection) > 0 && state !== 'invalid') {
      this.#found.push({ row, amount });
      this.#section = zero;
      this.#mostOfSection = zero;
      this.#rowsOfSection = 0;
      return;
    }
    this.#section = addDecimals(this.#section, value);
    this.#rowsOfSection += 1;
    if (this.#rows === 1 && state !== 'invalid') this.#first = { row, amount };
    this.#sum = addDecimals(this.#sum, value);
    if (compareDecimals(value, this.#mostOfSection) > 0) this.#mostOfSection = value;
  }

  result(): readonly TotalRow[] {
    const first = this.#first;
    const value = first === null ? undefined : parseDecimal(first.amount);
    if (first === null || value === undefined || this.#rows <= fewestRows) return this.#found;
    const isSum =
      compareDecimals(value, zero) > 0 && compareDecimals(addDecimals(value, value), this.#sum) === 0;
    return isSum ? [first, ...this.#found] : this.#found;
  }
}
