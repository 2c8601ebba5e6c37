/*
 * Values in a form that their rules do not take, and that a person has agreed to have read: phones that could be of two
 * countries or are written as before a change of the numbering plan, postal codes behind their country, and IBANs without
 * their country or with letters of another alphabet. Each is read only where the new form passes the rules of its type.
 */

import type { CellTreatment, Repair } from '../../domain/tables/mapping.ts';
import type { FieldType } from '../definition.ts';
import { checkIban } from './bank-numbers.ts';
import { phoneOfCountry, readPhone } from './phone.ts';
import { postalCodeForm, vehicleSigns } from './postal-codes.ts';
import { passedValue, type RowValues } from './value-text.ts';

/** A repair of the text of a value, whatever sort of cell has it. */
export type TextRepair = Extract<
  Repair,
  'phones_of_country' | 'old_phone_form' | 'country_prefix' | 'latin_letters' | 'iban_country'
>;

/** The value in its new form, and what was done, for the row's notes. */
interface RewrittenText {
  readonly text: string;
  readonly done: string;
}

/** What each repair is called in the notes of a row. */
const done: Readonly<Record<TextRepair, string>> = {
  phones_of_country: 'phone of its country',
  old_phone_form: 'digits that are no longer dialled',
  country_prefix: 'country before the postal code',
  latin_letters: 'letters of another alphabet',
  iban_country: 'country before the IBAN',
};

/** The types whose values a repair is for. An account number may be the phone of mobile money. */
export const typesOfTextRepair: Readonly<Record<TextRepair, readonly FieldType[]>> = {
  phones_of_country: ['phone', 'account_number', 'us_account_number'],
  old_phone_form: ['phone'],
  country_prefix: ['postal_code'],
  latin_letters: ['iban'],
  iban_country: ['iban'],
};

/** Repairs by the country of the row's address; the others are by that of its phones. */
export const byAddress: readonly TextRepair[] = ['country_prefix', 'iban_country'];

/** Reads a value of a row in its new form; undefined for one that is read as it is. */
type Rewrite = (text: string, row: RowValues) => RewrittenText | undefined;

/** The reading of a column's values by the repairs agreed for it; undefined where none is for its type. */
export function createRewriting({ repairs }: CellTreatment, type: FieldType | null): Rewrite | undefined {
  const agreed = (Object.keys(done) as TextRepair[]).filter(
    (name) => type !== null && repairs?.has(name) === true && typesOfTextRepair[name].includes(type),
  );
  if (agreed.length === 0) return undefined;
  const isAccount = type === 'account_number' || type === 'us_account_number';
  return (raw, row) => {
    const text = raw.trim();
    if (!/\d/.test(text) || (isAccount && row.valueOf('payee_type') !== 'mobile_money')) return undefined;
    for (const name of agreed) {
      const country = (): string | undefined =>
        (byAddress.includes(name) ? row.valueOf('country') : row.phoneCountry()) ?? undefined;
      const rewritten = rewrittenText(name, text, country);
      if (rewritten !== undefined) return { text: rewritten, done: done[name] };
    }
    return undefined;
  };
}

/**
 * The value in the form that a repair gives it; undefined where it needs none, or where nothing confirms it.
 * @param country ISO 3166-1 alpha-2: of the address for postal codes and IBANs, of the column's phones for phones
 */
export function rewrittenText(
  name: TextRepair,
  text: string,
  country: () => string | undefined,
): string | undefined {
  switch (name) {
    case 'phones_of_country': {
      if (text.startsWith('+')) return undefined;
      const own = country();
      return own === undefined ? undefined : phoneOfCountry(text, own);
    }
    case 'old_phone_form':
      return phoneInNewForm(text, country);
    case 'country_prefix':
      return postalCodeAlone(text, country);
    case 'latin_letters':
      return ibanInLatinLetters(text);
    case 'iban_country':
      return ibanWithCountry(text, country);
  }
}

/**
 * Mexico, since August 2019: mobiles are dialled like all other numbers, from abroad without the 1 behind +52, inside the
 * country without 044 and 045. (The 9 behind +54 of Argentina is still dialled.)
 */
const oldMexicanFromAbroad = /^(?:\+|00)?521(\d{10})$/;
const oldMexicanInside = /^04[45](\d{10})$/;

function phoneInNewForm(text: string, country: () => string | undefined): string | undefined {
  const digits = text.replace(/[\s\u2010-\u2015.()[\]/-]/g, '');
  const [, fromAbroad] = oldMexicanFromAbroad.exec(digits) ?? [];
  const [, inside] = oldMexicanInside.exec(digits) ?? [];
  const national = fromAbroad ?? inside;
  if (national === undefined) return undefined;
  // Without a sign of the country, only a number of a column of Mexican phones is one.
  if (!/^(?:\+|00)/.test(digits) && country() !== 'MX') return undefined;
  const number = `+52${national}`;
  return readPhone(number)?.isValid === true ? number : undefined;
}

const letterPrefix = /^(?<prefix>[A-Z]{1,3})[\s\u2010-\u2015-]*(?<code>\d.*)$/;

/** A postal code without the country before it, by its code or its sign on vehicles, where the code itself has none. */
function postalCodeAlone(text: string, countryOf: () => string | undefined): string | undefined {
  const { prefix, code } = letterPrefix.exec(text.toUpperCase())?.groups ?? {};
  if (prefix === undefined || code === undefined) return undefined;
  const country = countryOf();
  const form = country === undefined ? undefined : postalCodeForm(country);
  if (form === undefined || form.matches(text) || !form.matches(code)) return undefined;
  return prefix === country || vehicleSigns[prefix] === country ? code : undefined;
}

/** Capital letters of the Cyrillic and of the Greek alphabet that look like Latin ones, and the Latin ones in this order. */
const lookalikes = ['АВЕКМНОРСТУХЅІЈԚԜ', 'ABEKMHOPCTYXSIJQW', 'ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'];
const latin: ReadonlyMap<string, string> = new Map(
  [0, 2].flatMap((at) =>
    [...(lookalikes[at] ?? '')].map(
      (letter, index) => [letter, lookalikes[at + 1]?.[index] ?? letter] as const,
    ),
  ),
);
const otherLetter = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;

/** An IBAN with Latin letters in place of those that look like them, where the check digits confirm it. */
function ibanInLatinLetters(text: string): string | undefined {
  if (!otherLetter.test(text)) return undefined;
  const letters = Array.from(text.toUpperCase(), (letter) => latin.get(letter) ?? letter).join('');
  return passedValue(checkIban(letters));
}

/** An IBAN of which people leave the country out inside it: its two check digits, then the account. They confirm the country. */
function ibanWithCountry(text: string, countryOf: () => string | undefined): string | undefined {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{2}[\dA-Z]+$/i.test(digits)) return undefined;
  const country = countryOf();
  return country === undefined ? undefined : passedValue(checkIban(`${country}${digits}`));
}
