/* Exact sums of amounts by currency and status, and the differences between a file's sums and a person's expectation. */

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

/** A person's statement about the content of a file, to be compared with the content that was read. */
export interface Expectation {
  /** Null if the number of rows was not stated. */
  readonly rows: number | null;
  /** Currency to plain decimal; null if no amounts were stated. */
  readonly totals: Readonly<Record<string, string>> | null;
}

/** The amounts of one currency. */
export interface CurrencySum {
  readonly currency: string;
  readonly rows: number;
  /** A plain decimal. */
  readonly amount: string;
}

/** The sums that were read from a table: its rows, and the amounts of the rows with a readable amount and currency. */
export interface ReadSums {
  readonly rows: number;
  readonly amounts: readonly CurrencySum[];
}

/** A difference between the sums that were read and a person's expectation. */
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

  /** @param amount a plain decimal; any other text counts as no amount */
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

/** The rows and the amount of one currency in one status. */
export interface StatusTotal extends CurrencySum {
  readonly status: ResultStatus;
}

/** The amount (a plain decimal) and the currency of a row. */
interface Money {
  readonly currency: string;
  readonly amount: string;
}

/**
 * Whether a row's amount is possible in its currency. Half a franc of XOF, for example, is a mistake and is not added up.
 */
export function isPayable(money: Money | undefined): money is Money {
  const value = money === undefined ? undefined : parseDecimal(money.amount);
  if (money === undefined || value === undefined) return false;
  return fractionDigits(value) <= (fractionDigitsOf(money.currency) ?? Number.POSITIVE_INFINITY);
}

/** Adds up amounts by status and currency, which are never mixed. */
export class StatusSums {
  readonly #sums = new Map<ResultStatus, AmountSums>();

  /** @param money the row's amount and currency; absent if it has no readable amount */
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

/** The common sums of the tables that share one expectation. */
export function joinSums(all: readonly ReadSums[]): ReadSums {
  const sums = new AmountSums();
  for (const { amounts } of all) {
    for (const { currency, amount, rows } of amounts) sums.add(currency, amount, rows);
  }
  return { rows: all.reduce((sum, { rows }) => sum + rows, 0), amounts: sums.result() };
}

/**
 * The differences between the sums that were read and the expected ones; empty if there are none. Once totals are stated, a
 * currency without a total is a difference too, because a person who adds up a file knows every currency in it.
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
