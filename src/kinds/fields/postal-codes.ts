/* The forms of postal codes worldwide, and the places whose codes begin with a zero. */

import { readFileSync } from 'node:fs';
import { remembered } from '../../domain/machine/remembered.ts';

/** The form of a country's postal codes. */
interface PostalCodeForm {
  /** Whether a text has the form, in upper or lower case, with any spaces and hyphens. */
  readonly matches: (text: string) => boolean;
  /** The number of digits of a code, if it consists of digits and has one length; for the United States without `+4`. */
  readonly digits: number | null;
  /** The description: `five digits`, `such as SW1A 1AA`. */
  readonly inWords: string;
}

/**
 * The content of `postal-codes.json` for each country, by its code of ISO 3166-1. Lists of codes are separated by spaces.
 */
export interface PostalCodeData {
  readonly sources: string;
  /** Countries whose codes consist of digits only, by their number of digits. */
  readonly plainDigits: Readonly<Record<string, string>>;
  /**
   * All other forms, without spaces and hyphens. A form has a number of digits if it consists of digits, except for letters
   * that may be omitted. It has a description if the number of digits does not describe it.
   */
  readonly otherForms: Readonly<
    Record<string, { readonly form: string; readonly digits?: number; readonly inWords?: string }>
  >;
  /** The first three digits of ZIP codes by state (ISO 3166-2 without `US-`), as ranges. */
  readonly zipPrefixes: Readonly<Record<string, string>>;
  /**
   * The places of a country whose codes begin with one zero: the first two digits of the codes, and the subdivisions of ISO
   * 3166-2 (regions and provinces) to which these digits belong.
   */
  readonly homesOfZero: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The international vehicle registration letters, which people write for countries in addresses. */
  readonly vehicleSigns: Readonly<Record<string, string>>;
}

const postalCodes: PostalCodeData = JSON.parse(
  readFileSync(new URL('./postal-codes.json', import.meta.url), 'utf8'),
);
const { plainDigits, otherForms, zipPrefixes, homesOfZero } = postalCodes;
export const { vehicleSigns } = postalCodes;

/** The numbers from three on. No country has codes of nine digits. */
const numbersInWords = ['three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Some people write spaces and hyphens, and others omit them. */
function compact(text: string): string {
  return text.replace(/[\s\u2010-\u2015-]/g, '').toUpperCase();
}

function createForm(country: string): PostalCodeForm | undefined {
  const [plain] = Object.entries(plainDigits).find(([, list]) => list.split(' ').includes(country)) ?? [];
  const own = plain === undefined ? otherForms[country] : { form: `\\d{${plain}}`, digits: Number(plain) };
  if (own === undefined) return undefined;
  const { form, digits = null } = own;
  const words = `${numbersInWords[(digits ?? 0) - 3] ?? digits} digits`;
  const expression = new RegExp(`^(?:${form})$`);
  const matches = (text: string): boolean => expression.test(compact(text));
  return { matches, digits, inWords: 'inWords' in own ? own.inWords : words };
}

/**
 * The form of a country's postal codes; undefined for a country without codes, or without a form that is generally used.
 * @param country ISO 3166-1 alpha-2
 */
export const postalCodeForm = remembered(createForm);

/** Whether a ZIP code belongs to a state; false for an unknown state. @param state ISO 3166-2, such as `US-MA` */
export function isZipOfState(zip: string, state: string): boolean {
  const prefix = zip.slice(0, 3);
  return (zipPrefixes[state.slice(3)] ?? '').split(' ').some((range) => {
    const [first = '', last = first] = range.split('-');
    return first !== '' && prefix >= first && prefix <= last;
  });
}

/**
 * The postal code before a spreadsheet removed one or more zeros; undefined if no evidence confirms it. In the United
 * States, and if the row names a state or province, the code has to belong to that place.
 * @param country ISO 3166-1 alpha-2
 * @param state ISO 3166-2; undefined if the row has none
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
