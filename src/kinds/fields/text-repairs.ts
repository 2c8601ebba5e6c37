/*
 * Reads values in a form that their rules do not accept, if a person has agreed. These are phones that could belong to two
 * countries or have a form from before a change of the numbering plan, postal codes after their country, IBANs without
 * their country or with letters of another alphabet, numbers in groups, and values with a label beside them. A value is
 * read only if the new form passes the rules of its type.
 */

import type { CellTreatment, Repair } from '../../domain/tables/mapping.ts';
import type { FieldType } from '../definition.ts';
import { checkIban, checkRoutingNumber } from './bank-numbers.ts';
import { isValidPhone, phoneOfCountry, readPhone } from './phone.ts';
import { postalCodeForm, vehicleSigns } from './postal-codes.ts';
import { typesBesideLabels, valueBesideLabel } from './value-beside-label.ts';
import { passedValue, type RowValues } from './value-text.ts';

/** A repair of a value's text, whatever the type of its cell is. */
export type TextRepair = Extract<
  Repair,
  | 'phones_of_country'
  | 'old_phone_form'
  | 'country_prefix'
  | 'latin_letters'
  | 'iban_country'
  | 'label_beside'
  | 'digit_groups'
  | 'first_phone'
>;

/** The value in its new form, and the repair, for the row's notes. */
interface RewrittenText {
  readonly text: string;
  readonly done: string;
}

/** The name of each repair in the notes of a row. */
const done: Readonly<Record<TextRepair, string>> = {
  phones_of_country: 'phone of its country',
  old_phone_form: 'digits that are no longer dialled',
  country_prefix: 'country before the postal code',
  latin_letters: 'letters of another alphabet',
  iban_country: 'country before the IBAN',
  label_beside: 'label beside the value',
  digit_groups: 'signs between digits',
  first_phone: 'first of several phones',
};

/** The types of values for each repair. An account number may be the phone for mobile money. */
export const typesOfTextRepair: Readonly<Record<TextRepair, readonly FieldType[]>> = {
  phones_of_country: ['phone', 'account_number', 'us_account_number'],
  old_phone_form: ['phone'],
  country_prefix: ['postal_code'],
  latin_letters: ['iban'],
  iban_country: ['iban'],
  label_beside: typesBesideLabels,
  digit_groups: ['iban', 'routing_number', 'us_account_number'],
  first_phone: ['phone', 'account_number', 'us_account_number'],
};

/** Repairs of phones, which concern an account number only where it is one. */
const ofPhones: readonly TextRepair[] = ['phones_of_country', 'first_phone'];

/** Repairs that use the country of the row's address. The others use the country of its phones. */
export const byAddress: readonly TextRepair[] = ['country_prefix', 'iban_country'];

/** Reads a value of a row in its new form; undefined for a value that is not changed. */
type Rewrite = (text: string, row: RowValues) => RewrittenText | undefined;

/**
 * The reading of a column's values with the repairs to which a person has agreed; undefined if no repair is for its type.
 */
export function createRewriting({ repairs }: CellTreatment, type: FieldType | null): Rewrite | undefined {
  const agreed = (Object.keys(done) as TextRepair[]).filter(
    (name) => type !== null && repairs?.has(name) === true && typesOfTextRepair[name].includes(type),
  );
  if (agreed.length === 0) return undefined;
  const isAccount = type === 'account_number' || type === 'us_account_number';
  return (raw, row) => {
    const text = raw.trim();
    if (!/[\d@]/.test(text)) return undefined;
    for (const name of agreed) {
      if (ofPhones.includes(name) && isAccount && row.valueOf('payee_type') !== 'mobile_money') continue;
      const country = (): string | undefined =>
        (byAddress.includes(name) ? row.valueOf('country') : row.phoneCountry()) ?? undefined;
      const rewritten = rewrittenText(name, text, country, type);
      if (rewritten !== undefined) return { text: rewritten, done: done[name] };
    }
    return undefined;
  };
}

/**
 * The value in the form that a repair gives it; undefined if it needs no repair, or if no evidence confirms the repair.
 * @param country ISO 3166-1 alpha-2: the country of the address for postal codes and IBANs, the country of the column's
 * phones for phones
 * @param type the type of the value, for repairs that several types have
 */
export function rewrittenText(
  name: TextRepair,
  text: string,
  country: () => string | undefined,
  type: FieldType | null,
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
    case 'label_beside':
      return type === null ? undefined : valueBesideLabel(type, text, country);
    case 'digit_groups':
      return type === null ? undefined : withoutGroups(type, text);
    case 'first_phone':
      return firstOfPhones(text, country);
  }
}

/**
 * Mexico, since August 2019: mobiles are dialled like all other numbers, from abroad without the 1 after +52, and inside the
 * country without 044 and 045. (In Argentina the 9 after +54 is still dialled.)
 */
const oldMexicanFromAbroad = /^(?:\+|00)?521(\d{10})$/;
const oldMexicanInside = /^04[45](\d{10})$/;

function phoneInNewForm(text: string, country: () => string | undefined): string | undefined {
  const digits = text.replace(/[\s\u2010-\u2015.()[\]/-]/g, '');
  const [, fromAbroad] = oldMexicanFromAbroad.exec(digits) ?? [];
  const [, inside] = oldMexicanInside.exec(digits) ?? [];
  const national = fromAbroad ?? inside;
  if (national === undefined) return undefined;
  // Without a sign of the country, a number is Mexican only in a column of Mexican phones.
  if (!/^(?:\+|00)/.test(digits) && country() !== 'MX') return undefined;
  const number = `+52${national}`;
  return readPhone(number)?.isValid === true ? number : undefined;
}

/** The first of several phone numbers, each of which is valid by itself: `0772 742469 / 0752 441038`. */
function firstOfPhones(text: string, country: () => string | undefined): string | undefined {
  const [first, ...others] = text.split(/\s*[/;,&|\n]\s*/);
  if (first === undefined || others.length === 0) return undefined;
  return [first, ...others].every((number) => isValidPhone(number, country)) ? first : undefined;
}

/** Digits and letters with single signs between groups of them, blanks beside these allowed. */
const grouped = /^[A-Z]{0,2}\d+(?:\s?[\s.\u2010-\u2015-]\s?[A-Z\d]+)+$/i;

/** A number of a bank or an account without the signs between its groups; an IBAN only if its check digits confirm it. */
function withoutGroups(type: FieldType, text: string): string | undefined {
  if (!grouped.test(text)) return undefined;
  const joined = text.replace(/[\s.\u2010-\u2015-]/g, '');
  if (type === 'us_account_number') return /^\d{4,17}$/.test(joined) ? joined : undefined;
  if (type === 'routing_number') return passedValue(checkRoutingNumber(joined));
  return passedValue(checkIban(text)) === undefined ? passedValue(checkIban(joined)) : undefined;
}

const letterPrefix = /^(?<prefix>[A-Z]{1,3})[\s\u2010-\u2015-]*(?<code>\d.*)$/;

/** A postal code without the country's code or vehicle letters before it, unless the whole text is a valid code. */
function postalCodeAlone(text: string, countryOf: () => string | undefined): string | undefined {
  const { prefix, code } = letterPrefix.exec(text.toUpperCase())?.groups ?? {};
  if (prefix === undefined || code === undefined) return undefined;
  const country = countryOf();
  const form = country === undefined ? undefined : postalCodeForm(country);
  if (form === undefined || form.matches(text) || !form.matches(code)) return undefined;
  return prefix === country || vehicleSigns[prefix] === country ? code : undefined;
}

/**
 * Capital letters of the Cyrillic and the Greek alphabet that look like Latin letters, and these Latin letters in the same
 * order.
 */
const lookalikes = ['АВЕКМНОРСТУХЅІЈԚԜ', 'ABEKMHOPCTYXSIJQW', 'ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'];
const latin: ReadonlyMap<string, string> = new Map(
  [0, 2].flatMap((at) =>
    [...(lookalikes[at] ?? '')].map(
      (letter, index) => [letter, lookalikes[at + 1]?.[index] ?? letter] as const,
    ),
  ),
);
const otherLetter = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;

/** An IBAN with Latin letters instead of letters that look like them, if the check digits confirm it. */
function ibanInLatinLetters(text: string): string | undefined {
  if (!otherLetter.test(text)) return undefined;
  const letters = Array.from(text.toUpperCase(), (letter) => latin.get(letter) ?? letter).join('');
  return passedValue(checkIban(letters));
}

/**
 * An IBAN without its country, as people write it within the country: two check digits, then the account. The check digits
 * confirm the country.
 */
function ibanWithCountry(text: string, countryOf: () => string | undefined): string | undefined {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{2}[\dA-Z]+$/i.test(digits)) return undefined;
  const country = countryOf();
  return country === undefined ? undefined : passedValue(checkIban(`${country}${digits}`));
}
