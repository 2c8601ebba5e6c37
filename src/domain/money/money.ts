/* Amounts as exact decimals, and the sums of a file. */

import { type ResultStatus, resultStatuses } from '../rows/row-state.ts';

/**
 * An exact decimal number: `units` times ten to the power of minus `scale`. `0.10` is 10 units at scale 2;
 * the scale is kept as written, so zeros at the end stay until they are removed explicitly.
 */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

/** Text with more digits than this on either side of the point is no amount, and is slow to compute with. */
const digitLimit = 400;

const zero = '0'.charCodeAt(0);

const plainDecimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const jsonNumber = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Whether `parseDecimal` can read a text. */
export function isPlainDecimal(text: string): boolean {
  return text.length <= digitLimit && plainDecimal.test(text);
}

/**
 * Reads a plain decimal such as `1234.50` or `-3`: no plus sign, separators, exponent, leading zeros or
 * bare point. Returns undefined for anything else, and beyond 400 digits.
 */
export function parseDecimal(text: string): Decimal | undefined {
  if (!isPlainDecimal(text)) return undefined;
  const point = text.indexOf('.');
  if (point === -1) return { units: BigInt(text), scale: 0 };
  return { units: BigInt(text.slice(0, point) + text.slice(point + 1)), scale: text.length - point - 1 };
}

/**
 * Reads a number as JSON and spreadsheets write it, exponents included: `1e21`, `0.10`, `5E-7`. Returns
 * undefined for anything else, and where the number would need more than 400 digits written out.
 */
export function parseNumberText(text: string): Decimal | undefined {
  const parts = text.length > digitLimit ? null : jsonNumber.exec(text);
  if (parts === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = parts;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > digitLimit) return undefined;
  const units = BigInt(sign + whole + fraction);
  const scale = fraction.length - exponent;
  if (scale >= 0) return { units, scale };
  return { units: units * 10n ** BigInt(-scale), scale: 0 };
}

function unitsAt(value: Decimal, scale: number): bigint {
  return value.scale === scale ? value.units : value.units * 10n ** BigInt(scale - value.scale);
}

/** Negative when left is the smaller, zero when both are equal in value, positive when left is the greater. */
export function compareDecimals(left: Decimal, right: Decimal): -1 | 0 | 1 {
  const scale = Math.max(left.scale, right.scale);
  const leftUnits = unitsAt(left, scale);
  const rightUnits = unitsAt(right, scale);
  if (leftUnits === rightUnits) return 0;
  return leftUnits < rightUnits ? -1 : 1;
}

function wholeLength(plain: string): number {
  const point = plain.indexOf('.');
  return point === -1 ? plain.length : point;
}

/**
 * The same result as `compareDecimals` for two plain decimals without a sign, but much faster: without leading
 * zeros the longer whole part is the greater, and digits of equal place compare as texts do.
 */
export function comparePlainDecimals(left: string, right: string): -1 | 0 | 1 {
  const leftPoint = wholeLength(left);
  const rightPoint = wholeLength(right);
  if (leftPoint !== rightPoint) return leftPoint < rightPoint ? -1 : 1;
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    if (index === leftPoint) continue;
    const leftDigit = index < left.length ? left.charCodeAt(index) : zero;
    const rightDigit = index < right.length ? right.charCodeAt(index) : zero;
    if (leftDigit !== rightDigit) return leftDigit < rightDigit ? -1 : 1;
  }
  return 0;
}

/** The exact sum, at the greater of both scales. */
export function addDecimals(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale);
  return { units: unitsAt(left, scale) + unitsAt(right, scale), scale };
}

/** How many fraction digits the value needs, without zeros at its end: 1 for `1.50`, 0 for `100.00`. */
export function fractionDigits(value: Decimal): number {
  let { units, scale } = value;
  while (scale > 0 && units % 10n === 0n) {
    units /= 10n;
    scale -= 1;
  }
  return scale;
}

/** Writes the value out in full with as many fraction digits as its scale: `-0.50`. Never an exponent. */
export function formatDecimal(value: Decimal): string {
  const sign = value.units < 0n ? '-' : '';
  const digits = (value.units < 0n ? -value.units : value.units).toString().padStart(value.scale + 1, '0');
  if (value.scale === 0) return sign + digits;
  return `${sign}${digits.slice(0, -value.scale)}.${digits.slice(-value.scale)}`;
}

/** An amount without zeros at the end of its fraction, so that equal amounts are the same text. Other text is unchanged. */
export function canonicalAmount(text: string): string {
  const value = parseDecimal(text);
  return value === undefined ? text : formatDecimal(withoutTrailingZeros(value));
}

/** The same value without zeros at the end of its fraction. */
export function withoutTrailingZeros(value: Decimal): Decimal {
  const scale = fractionDigits(value);
  return { units: value.units / 10n ** BigInt(value.scale - scale), scale };
}

/**
 * ISO 4217, list one, as in force on 2026-01-01 (BGN withdrawn, XCG in place of ANG), by number of fraction
 * digits. Codes without a minor unit (metals, testing, no currency) are left out: no payment can be made in them.
 */
const codesByFractionDigits: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE
      CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD
      HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK
      MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD
      RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH
      USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const digitsByCode: ReadonlyMap<string, number> = new Map(
  Object.entries(codesByFractionDigits).flatMap(([digits, codes]) =>
    codes.split(/\s+/).map((code) => [code, Number(digits)] as const),
  ),
);

/** How many fraction digits amounts of a currency have; undefined for a code that is not in use. */
export function fractionDigitsOf(currency: string): number | undefined {
  return digitsByCode.get(currency);
}

export const currencyCodes: readonly string[] = [...digitsByCode.keys()].sort();

/**
 * The amount with as many fraction digits as its currency has: `1500.00` KES, `1500` UGX. Further digits stay, except
 * zeros at the end. An amount of an unknown currency is unchanged.
 */
export function inCurrency(amount: string, currency: string | null): string {
  const digits = currency === null ? undefined : fractionDigitsOf(currency);
  if (digits === undefined || !isPlainDecimal(amount)) return amount;
  const [whole = '', fraction = ''] = canonicalAmount(amount).split('.');
  const shown = fraction.padEnd(digits, '0');
  return shown === '' ? whole : `${whole}.${shown}`;
}

/* Numbers and amounts as people read them. */

/** A whole number as people read it: `20,000`. */
export function groupedNumber(value: number): string {
  return value.toLocaleString('en-US');
}

/** `1 row`, `20,000 rows`; `2 batches`, where the plural is more than an s. */
export function countOf(value: number, noun: string, plural = `${noun}s`): string {
  return `${groupedNumber(value)} ${value === 1 ? noun : plural}`;
}

/**
 * A plain decimal as people read it: `1,234,567.50`.
 * @param currency sets the number of fraction digits; absent where the amount is quoted as another party wrote it
 */
export function groupedAmount(amount: string, currency: string | null = null): string {
  const [whole = '', fraction] = inCurrency(amount, currency).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/* Exact sums of a file's amounts, and how they differ from what a person expects. */

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

/** Whether two texts are plain decimals of the same value. */
export function areSameAmounts(left: string, right: string): boolean {
  const [one, other] = [parseDecimal(left), parseDecimal(right)];
  return one !== undefined && other !== undefined && compareDecimals(one, other) === 0;
}
