/* Amounts as exact decimals, the currencies in use, and the form in which people read numbers. */

/**
 * An exact decimal number: `units` times ten to the power of minus `scale`. `0.10` is 10 units at scale 2. The scale is the
 * one that was written, so trailing zeros stay until they are removed explicitly.
 */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

/** A text with more digits than this on either side of the point is no amount, and is slow to compute with. */
const digitLimit = 400;

const zero = '0'.charCodeAt(0);

const plainDecimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const jsonNumber = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Whether `parseDecimal` can read a text. */
export function isPlainDecimal(text: string): boolean {
  return text.length <= digitLimit && plainDecimal.test(text);
}

/**
 * Reads a plain decimal such as `1234.50` or `-3`, without plus sign, separators, exponent, leading zeros or bare point.
 * Returns undefined for any other text, and for more than 400 digits.
 */
export function parseDecimal(text: string): Decimal | undefined {
  if (!isPlainDecimal(text)) return undefined;
  const point = text.indexOf('.');
  if (point === -1) return { units: BigInt(text), scale: 0 };
  return { units: BigInt(text.slice(0, point) + text.slice(point + 1)), scale: text.length - point - 1 };
}

/**
 * Reads a number as JSON and spreadsheets write it, including exponents: `1e21`, `0.10`, `5E-7`. Returns undefined for any
 * other text, and if the number would need more than 400 digits when written out.
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

/** -1 if left is smaller, 0 if both are equal in value, 1 if left is greater. */
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
 * The same result as `compareDecimals` for two plain decimals without a sign, but much faster. Without leading zeros the
 * longer whole part is greater, and whole parts of equal length compare as texts do.
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

/** The exact sum, with the greater one of both scales. */
export function addDecimals(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale);
  return { units: unitsAt(left, scale) + unitsAt(right, scale), scale };
}

/** Whether two texts are plain decimals of the same value. */
export function areSameAmounts(left: string, right: string): boolean {
  const [one, other] = [parseDecimal(left), parseDecimal(right)];
  return one !== undefined && other !== undefined && compareDecimals(one, other) === 0;
}

/** How many fraction digits the value needs, without trailing zeros: 1 for `1.50`, 0 for `100.00`. */
export function fractionDigits(value: Decimal): number {
  let { units, scale } = value;
  while (scale > 0 && units % 10n === 0n) {
    units /= 10n;
    scale -= 1;
  }
  return scale;
}

/** Writes the value in full with as many fraction digits as its scale: `-0.50`. It never uses an exponent. */
export function formatDecimal(value: Decimal): string {
  const sign = value.units < 0n ? '-' : '';
  const digits = (value.units < 0n ? -value.units : value.units).toString().padStart(value.scale + 1, '0');
  if (value.scale === 0) return sign + digits;
  return `${sign}${digits.slice(0, -value.scale)}.${digits.slice(-value.scale)}`;
}

/** An amount without trailing zeros in its fraction, so that equal amounts are the same text. Other text is unchanged. */
export function canonicalAmount(text: string): string {
  const value = parseDecimal(text);
  return value === undefined ? text : formatDecimal(withoutTrailingZeros(value));
}

/** The same value without trailing zeros in its fraction. */
export function withoutTrailingZeros(value: Decimal): Decimal {
  const scale = fractionDigits(value);
  return { units: value.units / 10n ** BigInt(value.scale - scale), scale };
}

/**
 * ISO 4217, list one, as in force on 2026-01-01 (BGN withdrawn, XCG replaces ANG), by number of fraction digits. Codes
 * without a minor unit (metals, testing, no currency) are omitted, because no payment can be made in them.
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
 * trailing zeros. An amount of an unknown currency is unchanged.
 */
export function inCurrency(amount: string, currency: string | null): string {
  const digits = currency === null ? undefined : fractionDigitsOf(currency);
  if (digits === undefined || !isPlainDecimal(amount)) return amount;
  const [whole = '', fraction = ''] = canonicalAmount(amount).split('.');
  const shown = fraction.padEnd(digits, '0');
  return shown === '' ? whole : `${whole}.${shown}`;
}

/* Numbers and amounts in the form in which people read them. */

/** A whole number with separators for people: `20,000`. */
export function groupedNumber(value: number): string {
  return value.toLocaleString('en-US');
}

/** `1 row`, `20,000 rows`. With a plural that does not only add an s: `2 batches`. */
export function countOf(value: number, noun: string, plural = `${noun}s`): string {
  return `${groupedNumber(value)} ${value === 1 ? noun : plural}`;
}

/**
 * A plain decimal with separators for people: `1,234,567.50`.
 * @param currency sets the number of fraction digits; absent if the amount is quoted as another party wrote it
 */
export function groupedAmount(amount: string, currency: string | null = null): string {
  const [whole = '', fraction] = inCurrency(amount, currency).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
