import { currencyCodes, fractionDigitsOf } from '../../domain/money/currency.ts';
import type { ValueResult } from './value-result.ts';
import { shorten } from './wording.ts';

export { currencyCodes, fractionDigitsOf } from '../../domain/money/currency.ts';

/** Legal tender in more than one country, by ISO 4217's list one, so that none follows from them. */
const sharedCurrencies: ReadonlySet<string> = new Set(
  'AUD CHF DKK EUR GBP ILS INR MAD NOK NZD USD XAF XCD XCG XOF XPF ZAR'.split(' '),
);

/**
 * The one country whose currency it is, ISO 3166-1 alpha-2; undefined for one of several countries. The first two
 * letters of such a code are those of its country (ISO 4217).
 */
export function countryOfCurrency(currency: string): string | undefined {
  return fractionDigitsOf(currency) !== undefined && !sharedCurrencies.has(currency)
    ? currency.slice(0, 2)
    : undefined;
}

/** The members of the two African monetary unions, whose francs are written alike (BCEAO, BEAC; as of 2026). */
const unions: Readonly<Record<string, string>> = {
  XOF: 'BF BJ CI GW ML NE SN TG',
  XAF: 'CF CG CM GA GQ TD',
};

/** Whether a currency is legal tender in a country, as far as the code or its union tells. */
export function isCurrencyOf(currency: string, country: string): boolean {
  return currency.slice(0, 2) === country || (unions[currency]?.split(' ').includes(country) ?? false);
}

/** The one currency that is a country's by its code or its union; undefined where none is, or several are. */
export function currencyOfCountry(country: string): string | undefined {
  const [only, another] = currencyCodes.filter((code) => isCurrencyOf(code, country) && !funds.has(code));
  return another === undefined ? only : undefined;
}

/** Units of account and other codes beside a country's money, by ISO 4217's list one. */
const funds: ReadonlySet<string> = new Set('BOV CHE CHW CLF COU MXV USN UYI UYW VED'.split(' '));

export function checkCurrency(text: string): ValueResult {
  if (fractionDigitsOf(text) !== undefined) return text;
  const code = text.toUpperCase();
  if (fractionDigitsOf(code) !== undefined) return code;
  const message = `${shorten(text)} is not a currency in use; write the three letters of ISO 4217, such as KES or EUR`;
  return { code: 'invalid_currency', message };
}
