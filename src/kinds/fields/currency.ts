/* Currencies: the countries that use them, their codes in cells, and the signs that people write for them. */

import { readFileSync } from 'node:fs';
import { remembered } from '../../domain/machine/remembered.ts';
import { currencyCodes, fractionDigitsOf } from '../../domain/money/money.ts';
import { say } from '../../domain/settings/message.ts';
import { namesIn } from '../words-of-files.ts';
import { shownValue, type ValueResult } from './value-text.ts';

/** Currencies that are legal tender in more than one country, by ISO 4217's list one. They do not determine a country. */
const sharedCurrencies: ReadonlySet<string> = new Set(
  'AUD CHF DKK EUR GBP ILS INR MAD NOK NZD USD XAF XCD XCG XOF XPF ZAR'.split(' '),
);

/**
 * The only country with this currency, ISO 3166-1 alpha-2; undefined for a currency of several countries. The first two
 * letters of such a code are the code of its country (ISO 4217).
 */
export function countryOfCurrency(currency: string): string | undefined {
  return fractionDigitsOf(currency) !== undefined && !sharedCurrencies.has(currency)
    ? currency.slice(0, 2)
    : undefined;
}

/** The members of the two African monetary unions, whose francs have the same signs (BCEAO, BEAC; as of 2026). */
const unions: Readonly<Record<string, string>> = {
  XOF: 'BF BJ CI GW ML NE SN TG',
  XAF: 'CF CG CM GA GQ TD',
};

/** Whether a currency is legal tender in a country, as far as the code or its union shows. */
export function isCurrencyOf(currency: string, country: string): boolean {
  return currency.slice(0, 2) === country || (unions[currency]?.split(' ').includes(country) ?? false);
}

/** The only currency of a country according to its code or its union; undefined if there is none, or several. */
export function currencyOfCountry(country: string): string | undefined {
  const [only, another] = currencyCodes.filter((code) => isCurrencyOf(code, country) && !funds.has(code));
  return another === undefined ? only : undefined;
}

/** Whether a code is no money that people are paid in, though ISO 4217 lists it: `CHW` is a fund of Switzerland. */
export function isFundCode(code: string): boolean {
  return funds.has(code);
}

/** Units of account and other codes that a country has in addition to its money, by ISO 4217's list one. */
const funds: ReadonlySet<string> = new Set('BOV CHE CHW CLF COU MXV USN UYI UYW VED'.split(' '));

export function checkCurrency(text: string): ValueResult {
  if (fractionDigitsOf(text) !== undefined) return text;
  const code = text.toUpperCase();
  if (fractionDigitsOf(code) !== undefined) return code;
  const message = say`${shownValue(text)} is not a currency in use; write the three letters of ISO 4217, such as KES or EUR`;
  return { code: 'invalid_currency', message };
}

/** Texts that people write for a currency, besides its code and the signs in Unicode's CLDR, separated by semicolons. */
const commonSigns: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('./currency-signs.json', import.meta.url), 'utf8'),
);

/** The languages from which signs are taken. In them the CLDR has the signs that the currencies' home countries use. */
const languages = ['en', 'en-KE', 'en-NG', 'en-GH', 'en-TZ', 'en-UG', 'en-ZA', 'de', 'fr', 'sw', 'pt'];

const signBefore = /^(?<sign>[^\d\s][^\d]*?)\s*(?<number>\d.*)$/u;
const signBehind = /^(?<number>\d(?:.*\d)?)\s*(?<sign>[^\d\s][^\d]*)$/u;
const isMark = /^(?:[\p{L}\p{M}\p{Sc}./=]{1,8}(?:\s[\p{L}.]{1,5})?|\/-|#)$/u;

const knownSigns = new Map<string, boolean>();

/** Whether a sign or code is used for any currency. */
export function isSignOfAny(sign: string): boolean {
  let isKnown = knownSigns.get(sign);
  if (isKnown === undefined) {
    isKnown = currencyCodes.some((code) => isSignOf(sign, code));
    // The cache of texts from files has a limit.
    if (knownSigns.size < 1_000) knownSigns.set(sign, isKnown);
  }
  return isKnown;
}

/** An amount without the currency's signs before and after it; unchanged if there is other text. */
export function splitCurrencySigns(text: string): {
  readonly signs: readonly string[];
  readonly number: string;
} {
  const signs: string[] = [];
  let number = text;
  for (const form of [signBefore, signBehind]) {
    const parts = form.exec(number)?.groups;
    const sign = parts?.['sign']?.trim() ?? '';
    // A minus may be before an amount too, but it is no currency sign.
    if (!isMark.test(sign) || !/[\p{L}\p{Sc}/#]/u.test(sign)) continue;
    signs.push(sign);
    number = parts?.['number'] ?? number;
  }
  return { signs, number };
}

/** The same for only the first sign; an empty text if there is none. */
export function splitCurrencySign(text: string): { readonly sign: string; readonly number: string } {
  const { signs, number } = splitCurrencySigns(text);
  return { sign: signs[0] ?? '', number };
}

const signsByCurrency = remembered(signsOf);

/** Whether a sign or code is used for a currency (ISO 4217): `KSh` and `/=` for KES, `$` for USD. */
export function isSignOf(sign: string, currency: string): boolean {
  return signsByCurrency(currency).has(fold(sign));
}

/** A code that is not in ISO 4217 has no sign except itself. */
function signsOf(currency: string): ReadonlySet<string> {
  if (fractionDigitsOf(currency) === undefined) return new Set([fold(currency)]);
  const found = languages.flatMap((language) =>
    (['symbol', 'narrowSymbol'] as const).map((currencyDisplay) => {
      const format = new Intl.NumberFormat(language, { style: 'currency', currency, currencyDisplay });
      return format.formatToParts(1).find(({ type }) => type === 'currency')?.value ?? '';
    }),
  );
  return new Set(
    [currency, ...found, ...namesIn(commonSigns[currency] ?? '')].map(fold).filter((sign) => sign !== ''),
  );
}

function fold(sign: string): string {
  return sign.toLowerCase().replace(/[\s.\u00a0\u202f]/gu, '');
}
