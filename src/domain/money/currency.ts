import { canonicalAmount, isPlainDecimal } from './money.ts';

/**
 * ISO 4217, list one, as in force on 2026-01-01 (BGN withdrawn, XCG in place of ANG), by number of fraction
 * digits. Codes without a minor unit (metals, testing, no currency) are left out: nobody can be paid in them.
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
 * The amount with as many digits after the point as its currency has: `1500.00` KES, `1500` UGX. Digits beyond them stay
 * where they are none but zeros; so does all of an amount whose currency is not known.
 */
export function inCurrency(amount: string, currency: string | null): string {
  const digits = currency === null ? undefined : fractionDigitsOf(currency);
  if (digits === undefined || !isPlainDecimal(amount)) return amount;
  const [whole = '', fraction = ''] = canonicalAmount(amount).split('.');
  const shown = fraction.padEnd(digits, '0');
  return shown === '' ? whole : `${whole}.${shown}`;
}
