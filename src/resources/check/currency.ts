import type { ValueResult } from './value-result.ts';
import { shorten } from './wording.ts';

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

/** Legal tender in more than one country, by ISO 4217's list one, so that none follows from them. */
const sharedCurrencies: ReadonlySet<string> = new Set(
  'AUD CHF DKK EUR GBP ILS INR MAD NOK NZD USD XAF XCD XCG XOF XPF ZAR'.split(' '),
);

/**
 * The one country whose currency it is, ISO 3166-1 alpha-2; undefined for one of several countries. The first two
 * letters of such a code are those of its country (ISO 4217).
 */
export function countryOfCurrency(currency: string): string | undefined {
  return digitsByCode.has(currency) && !sharedCurrencies.has(currency) ? currency.slice(0, 2) : undefined;
}

export const currencyCodes: readonly string[] = [...digitsByCode.keys()].sort();

export function checkCurrency(text: string): ValueResult {
  if (digitsByCode.has(text)) return text;
  const code = text.toUpperCase();
  if (digitsByCode.has(code)) return code;
  const message = `${shorten(text)} is not a currency in use; write the three letters of ISO 4217, such as KES or EUR`;
  return { code: 'invalid_currency', message };
}
