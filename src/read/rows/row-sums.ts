/* What the rows of a table add up to: for the totals of the file, and for a line of it that counts rows. */

import {
  addDecimals,
  type Decimal,
  formatDecimal,
  parseDecimal,
  withoutTrailingZeros,
} from '../../domain/money/money.ts';
import { AmountSums, type ReadSums } from '../../domain/money/sums.ts';
import type { ReadingRules, TableMapping } from '../../domain/tables/mapping.ts';
import { type SourceRow, unprotectCell } from '../../domain/tables/table.ts';
import { checkAmountInCurrency, createAmountCheck } from '../../kinds/fields/amount.ts';
import { readingOfColumn, treatText } from '../../kinds/fields/cell-repairs.ts';
import { checkCurrency } from '../../kinds/fields/currency.ts';
import { createTranslation, noOtherValues, passedValue } from '../../kinds/fields/value-text.ts';
import { ruleOf } from '../../kinds/registry.ts';

/** A total in the file, and what its rows add up to; plain decimals. */
export interface DifferingTotal {
  readonly row: number;
  readonly total: string;
  /** Of the rows since the total before. */
  readonly section: string;
  readonly all: string;
}

const zero: Decimal = { units: 0n, scale: 0 };

/** What rows added up to, and how many they were: in all, since the last total, and wherever a heading or a total ended a group. */
class SumOfRows {
  readonly #sumsAtEnds = new Set([formatDecimal(zero)]);
  readonly #rowsAtEnds = new Set([0]);
  #rows = 0;
  section = zero;
  all = zero;

  add(amount: Decimal): void {
    this.section = addDecimals(this.section, amount);
    this.all = addDecimals(this.all, amount);
    this.#rows += 1;
  }

  endGroup(): void {
    this.#sumsAtEnds.add(plain(this.all));
    this.#rowsAtEnds.add(this.#rows);
  }

  /** Whether a total is the sum or the number of the rows of a group that ends here. */
  hasGroupOf(total: Decimal): boolean {
    const before = addDecimals(this.all, { ...total, units: -total.units });
    const isCount = total.scale === 0 && this.#rowsAtEnds.has(this.#rows - Number(total.units));
    return isCount || this.#sumsAtEnds.has(plain(before));
  }
}

/** Compares totals with the amounts of rows: since the last total, since the start of each group, and in all. */
export class SumsOfSections {
  readonly #read: ReadAmount | null;
  readonly #onDiffering: (total: DifferingTotal) => void;
  /** Of all rows, and of those that are not left out: a total may be of either. */
  readonly #sums = { all: new SumOfRows(), meant: new SumOfRows() };
  #isReadable = true;

  constructor(mapping: TableMapping, reading: ReadingRules, onDiffering: (total: DifferingTotal) => void) {
    this.#onDiffering = onDiffering;
    this.#read = amountReader(mapping, reading);
  }

  add(row: SourceRow, isLeftOut: boolean): void {
    const amount = this.#read?.(row)?.amount;
    if (amount === undefined) this.#isReadable = false;
    this.#sums.all.add(amount ?? zero);
    if (!isLeftOut) this.#sums.meant.add(amount ?? zero);
  }

  /** After a line that is no row: the rows above it are the end of a group, whose total may come later. */
  endGroup(): void {
    this.#sums.all.endGroup();
    this.#sums.meant.endGroup();
  }

  /**
   * Compares a total with the groups of rows that end above it: all rows, or those since any heading or total.
   * @returns false where it has no amount, or not every amount above it can be read
   */
  compare(row: SourceRow): boolean {
    const total = this.#read?.(row)?.amount;
    if (total === undefined || !this.#isReadable) return false;
    const { all, meant } = this.#sums;
    if (!all.hasGroupOf(total) && !meant.hasGroupOf(total)) {
      this.#onDiffering({
        row: row.number,
        total: formatDecimal(total),
        section: formatDecimal(all.section),
        all: formatDecimal(all.all),
      });
    }
    all.section = zero;
    meant.section = zero;
    return true;
  }
}

/** The amount of a row, and its currency where it has one; undefined where there is none that can be read. */
type ReadAmount = (
  row: SourceRow,
) => { readonly amount: Decimal; readonly currency: string | undefined } | undefined;

/** Null for a table without a column of amounts. */
function amountReader({ kind, columns }: TableMapping, reading: ReadingRules): ReadAmount | null {
  const column = columns.find(({ field }) => ruleOf(kind, field)?.type === 'amount');
  if (column === undefined || column.index === null) return null;
  const { index } = column;
  const check = createAmountCheck(readingOfColumn(column, reading));
  const currencyIn = currencyReader(columns);
  return ({ cells, kinds }) => {
    const currency = currencyIn(cells);
    const text = treatText(unprotectCell(cells[index] ?? ''), column).text.trim();
    if (text === '') return undefined;
    const read = passedValue(check(text, kinds?.get(index), { ...noOtherValues, valueOf: () => currency }));
    if (read === undefined) return undefined;
    // An amount that its row is refused for says nothing about a total.
    const inCurrency = currency === undefined ? read : checkAmountInCurrency(read, currency);
    const amount = parseDecimal(passedValue(inCurrency) ?? '');
    return amount === undefined ? undefined : { amount, currency };
  };
}

/** The number and amounts of rows that are left out: a line of the file that counts rows may count them. */
export class SumsOfLeftOut {
  readonly #read: ReadAmount | null;
  #sums = new AmountSums();
  #rows = 0;

  constructor(mapping: TableMapping, reading: ReadingRules) {
    this.#read = amountReader(mapping, reading);
  }

  clear(): void {
    this.#sums = new AmountSums();
    this.#rows = 0;
  }

  add(row: SourceRow): void {
    this.#rows += 1;
    const read = this.#read?.(row);
    if (read?.currency !== undefined) this.#sums.add(read.currency, formatDecimal(read.amount), 1);
  }

  get sums(): ReadSums {
    return { rows: this.#rows, amounts: this.#sums.result() };
  }
}

/** Reads the currency of a row; undefined where the mapping has none, or the row has none of its own. */
function currencyReader(columns: TableMapping['columns']): (cells: readonly string[]) => string | undefined {
  const column = columns.find(({ field }) => field === 'currency');
  const translate = createTranslation(column?.values);
  return (cells) => {
    const text = column?.constant ?? unprotectCell(cells[column?.index ?? -1] ?? '').trim();
    const meant = translate(text) ?? text;
    return meant === '' ? undefined : passedValue(checkCurrency(meant));
  };
}

function plain(value: Decimal): string {
  return formatDecimal(withoutTrailingZeros(value));
}
