/* Exact sums of amounts, by currency and status, and how those of a file differ from what a person expects. */

import { type ResultStatus, resultStatuses } from '../rows/row-state.ts';
import {
  addDecimals,
  areSameAmounts,
  type Decimal,
  formatDecimal,
  fractionDigits,
  fractionDigitsOf,
  parseDecimal,
} from './money.ts';

/** What a person says that a file contains, to be compared with what was read from it. */
export interface Expectation {
  /** Null where the number of rows was not stated. */
  readonly rows: number | null;
  /** Currency to plain decimal; null where no amounts were stated. */
  readonly totals: Readonly<Record<string, string>> | null;
}

/** The amounts of one currency. */
export interface CurrencySum {
  readonly currency: string;
  readonly rows: number;
  /** A plain decimal. */
  readonly amount: string;
}

/** What was read from a table: its rows, and the amounts of rows with a readable amount and currency. */
export interface ReadSums {
  readonly rows: number;
  readonly amounts: readonly CurrencySum[];
}

/** How what was read differs from what a person expects. */
export type Difference =
  | { readonly kind: 'rows'; readonly expected: number; readonly found: number }
  | {
      readonly kind: 'total';
      readonly currency: string;
      /** Plain decimals; null for a currency that is not expected. */
      readonly expected: string | null;
      readonly found: string;
    };

/** Adds up the amounts of one currency, exactly, row by row. */
export class AmountSums {
  readonly #sums = new Map<string, { rows: number; amount: Decimal }>();

  /** @param amount a plain decimal; anything else counts as no amount */
  add(currency: string, amount: string, rows = 1): void {
    const value = parseDecimal(amount);
    if (value === undefined) return;
    const sum = this.#sums.get(currency);
    if (sum === undefined) this.#sums.set(currency, { rows, amount: value });
    else {
      sum.rows += rows;
      sum.amount = addDecimals(sum.amount, value);
    }
  }

  /** By currency, in alphabetical order. */
  result(): CurrencySum[] {
    return [...this.#sums]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([currency, { rows, amount }]) => ({ currency, rows, amount: formatDecimal(amount) }));
  }
}

/** Rows and amount of one currency among the rows of one status. */
export interface StatusTotal extends CurrencySum {
  readonly status: ResultStatus;
}

/** The amount and currency of a row: a plain decimal of a currency. */
interface Money {
  readonly currency: string;
  readonly amount: string;
}

/** Whether a row's amount is possible in its currency: half a franc of XOF is a mistake, and is not added up. */
export function isPayable(money: Money | undefined): money is Money {
  const value = money === undefined ? undefined : parseDecimal(money.amount);
  if (money === undefined || value === undefined) return false;
  return fractionDigits(value) <= (fractionDigitsOf(money.currency) ?? Number.POSITIVE_INFINITY);
}

/** Adds amounts up by status and currency, which are never mixed. */
export class StatusSums {
  readonly #sums = new Map<ResultStatus, AmountSums>();

  /** @param money the row's amount and currency; absent where it has no readable amount */
  add(status: ResultStatus, money: Money | undefined): void {
    if (!isPayable(money)) return;
    const own = this.#sums.get(status) ?? new AmountSums();
    this.#sums.set(status, own);
    own.add(money.currency, money.amount);
  }

  result(): StatusTotal[] {
    return resultStatuses.flatMap((status) =>
      (this.#sums.get(status)?.result() ?? []).map((sum) => ({ status, ...sum })),
    );
  }
}

/** The tables that share one expectation. */
export function joinSums(all: readonly ReadSums[]): ReadSums {
  const sums = new AmountSums();
  for (const { amounts } of all) {
    for (const { currency, amount, rows } of amounts) sums.add(currency, amount, rows);
  }
  return { rows: all.reduce((sum, { rows }) => sum + rows, 0), amounts: sums.result() };
}

/**
 * The differences between what was read and what is expected; empty when there are none. Once totals are stated, a
 * currency without a total is a difference too: a person who adds up a file knows every currency in it.
 */
export function differencesFrom({ rows, totals }: Expectation, found: ReadSums): Difference[] {
  const differences: Difference[] = [];
  if (rows !== null && rows !== found.rows) {
    differences.push({ kind: 'rows', expected: rows, found: found.rows });
  }
  if (totals === null) return differences;
  const amounts = new Map(found.amounts.map(({ currency, amount }) => [currency, amount]));
  for (const [currency, expected] of Object.entries(totals)) {
    const amount = amounts.get(currency) ?? '0';
    amounts.delete(currency);
    if (!areSameAmounts(expected, amount))
      differences.push({ kind: 'total', currency, expected, found: amount });
  }
  for (const [currency, amount] of amounts) {
    differences.push({ kind: 'total', currency, expected: null, found: amount });
  }
  return differences;
}
