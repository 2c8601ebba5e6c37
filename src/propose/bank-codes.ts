/* Finds the bank that a code means: a national bank code, the code of a branch that begins with it, or a BIC. */

import { readFileSync } from 'node:fs';
import { isCountryCode } from '../kinds/fields/places.ts';
import { branchCodeDigits } from '../kinds/institutions/directory.ts';
import { synonymsOf } from '../kinds/words-of-files.ts';
import { lowerTitle, wordsOf } from './title-words.ts';

const titles = synonymsOf(
  JSON.parse(readFileSync(new URL('./bank-code-titles.json', import.meta.url), 'utf8')),
);
const plainTitle = (title: string): string => wordsOf(title).join('');
const codeTitles = new Set(Object.values(titles).flat().map(plainTitle));

/** Whether the title of a column says that it has codes of banks. Numbers alone say nothing. */
export function namesBankCode(title: string): boolean {
  return codeTitles.has(plainTitle(lowerTitle(title)));
}

/** A BIC of ISO 9362: four letters of the institution, the country, a place, and perhaps a branch. */
const bicForm = /^([A-Z]{4})([A-Z]{2})[A-Z\d]{2}(?:[A-Z\d]{3})?$/;

/** The country of a BIC in capitals; undefined for another text: many a word of eight letters is like one in its form. */
export function bicCountry(text: string): string | undefined {
  const code = bicForm.exec(text.trim())?.[2];
  return code !== undefined && isCountryCode(code) ? code : undefined;
}

/** What is known of a bank's codes. */
interface Coded {
  readonly codes: readonly string[];
  readonly bic: string | null;
}

/** The most zeros that a spreadsheet takes from the front of a branch's code, as far as anything is left of the bank's. */
const mostLostZeros = 2;

/**
 * Finds the banks of one country that a text may mean. Only a single one is an answer, so all that are possible come
 * back: `11` may be `011` that lost its zero, and `000011`.
 */
export function createBankCodes<Bank extends Coded>(
  country: string,
  banks: readonly Bank[],
): (text: string) => readonly Bank[] {
  const whole = branchCodeDigits(country);
  const withCode = (fits: (code: string) => boolean): readonly Bank[] =>
    banks.filter(({ codes }) => codes.some(fits));
  return (text) => {
    const plain = text.trim().toUpperCase();
    const [, letters = /^[A-Z]{4}$/.test(plain) ? plain : undefined, place = country] =
      bicForm.exec(plain) ?? [];
    const byBic =
      place === country && letters !== undefined ? banks.filter(({ bic }) => bic === letters) : [];
    if (byBic.length > 0) return byBic;
    const code = plain.replace(/[\s./-]/g, '').replace(new RegExp(`^${country}(?=\\d)`), '');
    const same = withCode((own) => own === code);
    if (same.length > 0 || !/^\d+$/.test(code)) return same;
    const zerosLost = code.startsWith('0') ? [] : withCode((own) => own.replace(/^0+/, '') === code);
    const isBranch = whole !== undefined && code.length <= whole && code.length >= whole - mostLostZeros;
    if (!isBranch || (code.startsWith('0') && code.length < whole)) return zerosLost;
    const full = code.padStart(whole, '0');
    const begun = withCode((own) => own.length < whole && full.startsWith(own));
    return [...new Set([...zerosLost, ...begun])];
  };
}
