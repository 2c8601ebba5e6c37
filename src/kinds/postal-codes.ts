/*
 * The forms of the world's postal codes, and the places of codes that begin with a zero. Their data and its sources stand in
 * `postal-codes.json`.
 */

import { readFileSync } from 'node:fs';
import { dataOf } from '../domain/text/data-file.ts';

/** The form of a country's postal codes. */
interface PostalCodeForm {
  /** Whether a text has the form, in any case, with any spaces and hyphens. */
  readonly matches: (text: string) => boolean;
  /** How many digits a code has, where it is all digits and of one length; for the United States without `+4`. */
  readonly digits: number | null;
  /** In words: `five digits`, `such as SW1A 1AA`. */
  readonly inWords: string;
}

/** What `postal-codes.json` has of each country, by its code of ISO 3166-1. Lists of codes are separated by spaces. */
export interface PostalCodeData {
  readonly sources: string;
  /** Countries whose codes are digits only, by their number of digits. */
  readonly plainDigits: Readonly<Record<string, string>>;
  /** Countries with all-digit codes whose first digits are restricted. */
  readonly restrictedDigits: Readonly<Record<string, { readonly digits: number; readonly form: string }>>;
  /** Letters before the digits that belong to the code or may be left out, where a postal service writes them this way. */
  readonly optionalLetters: Readonly<Record<string, { readonly letters: string; readonly digits: number }>>;
  /** All other forms, without spaces and hyphens, and an example as people write it. */
  readonly otherForms: Readonly<Record<string, { readonly form: string; readonly example: string }>>;
  /** The first three digits of ZIP codes by state (ISO 3166-2 without `US-`), as ranges. */
  readonly zipPrefixes: Readonly<Record<string, string>>;
  /**
   * The places of a country's codes that begin with one zero: their first two digits, and the subdivisions of
   * ISO 3166-2 (regions and provinces) that these belong to.
   */
  readonly homesOfZero: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const { plainDigits, restrictedDigits, optionalLetters, otherForms, zipPrefixes, homesOfZero } =
  dataOf<PostalCodeData>(readFileSync(new URL('./postal-codes.json', import.meta.url), 'utf8'));

const numbersInWords: Readonly<Record<number, string>> = {
  3: 'three',
  4: 'four',
  5: 'five',
  6: 'six',
  7: 'seven',
  8: 'eight',
  10: 'ten',
};

function formOf(pattern: string, digits: number | null, inWords: string): PostalCodeForm {
  const expression = new RegExp(`^(?:${pattern})$`);
  return { matches: (text) => expression.test(compact(text)), digits, inWords };
}

/** Some people write spaces and hyphens, others leave them out. */
function compact(text: string): string {
  return text.replace(/[\s\u2010-\u2015-]/g, '').toUpperCase();
}

function digitsInWords(digits: number): string {
  return `${numbersInWords[digits] ?? digits} digits`;
}

function createForm(country: string): PostalCodeForm | undefined {
  if (country === 'US') return formOf('\\d{5}(?:\\d{4})?', 5, 'five digits, or nine as in 02108-1234');
  const [plain] = Object.entries(plainDigits).find(([, list]) => list.split(' ').includes(country)) ?? [];
  if (plain !== undefined) return formOf(`\\d{${plain}}`, Number(plain), digitsInWords(Number(plain)));
  const restricted = restrictedDigits[country];
  if (restricted !== undefined) {
    return formOf(restricted.form, restricted.digits, digitsInWords(restricted.digits));
  }
  const letters = optionalLetters[country];
  if (letters !== undefined) {
    const form = `(?:${letters.letters})?\\d{${letters.digits}}`;
    return formOf(form, letters.digits, digitsInWords(letters.digits));
  }
  const other = otherForms[country];
  return other === undefined ? undefined : formOf(other.form, null, `such as ${other.example}`);
}

const forms = new Map<string, PostalCodeForm | undefined>();

/**
 * The form of a country's postal codes; undefined for a country that has none, or none that is generally followed.
 *
 * @param country ISO 3166-1 alpha-2
 */
export function postalCodeForm(country: string): PostalCodeForm | undefined {
  if (!forms.has(country)) forms.set(country, createForm(country));
  return forms.get(country);
}

/** Whether a ZIP code belongs to a state; false for an unknown state. @param state ISO 3166-2, such as `US-MA` */
export function isZipOfState(zip: string, state: string): boolean {
  const prefix = zip.slice(0, 3);
  return (zipPrefixes[state.slice(3)] ?? '').split(' ').some((range) => {
    const [first = '', last = first] = range.split('-');
    return first !== '' && prefix >= first && prefix <= last;
  });
}

/**
 * The postal code before a spreadsheet removed one zero or more; undefined where nothing confirms it. In the
 * United States, and where the row names a state or province, the code has to belong to that.
 *
 * @param country ISO 3166-1 alpha-2
 * @param state ISO 3166-2; undefined where the row has none
 */
export function withLostZeros(
  digits: string,
  country: string,
  state: string | undefined,
): string | undefined {
  if (country === 'US') {
    const zip = digits.padStart(5, '0');
    const isPossible = /^\d{3,4}$/.test(digits) && state !== undefined && isZipOfState(zip, state);
    return isPossible ? zip : undefined;
  }
  const form = postalCodeForm(country);
  const missing = (form?.digits ?? 0) - digits.length;
  if (form === undefined || !/^\d+$/.test(digits) || missing < 1 || missing > 2) return undefined;
  const code = digits.padStart(form.digits ?? 0, '0');
  if (!form.matches(code)) return undefined;
  const homes = homesOfZero[country]?.[code.slice(0, 2)];
  if (homes === undefined) return undefined;
  return state === undefined || homes.split(' ').includes(state.slice(3)) ? code : undefined;
}
