/* Phone numbers in national or international form, checked by the countries' numbering plans. */

import {
  getCountryCallingCode,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { readAs } from '../../domain/rows/finding.ts';
import { say } from '../../domain/settings/message.ts';
import type { CellKind } from '../../domain/tables/table.ts';
import { planOfValidNumber } from './numbering-plans.ts';
import { maskedValue, passedValue, type RowValues, type ValueResult } from './value-text.ts';

interface Phone {
  /** `+` and digits only. */
  readonly e164: string;
  /** Whether the numbering plan has such numbers. A number that is only possible just has the right length. */
  readonly isValid: boolean;
  /** ISO 3166-1 alpha-2; null if several countries share the code and the plan does not distinguish them. */
  readonly country: string | null;
  readonly callingCode: string;
}

const punctuation = /[\s\u2010-\u2015.()[\]-]/g;
const international = /^\+[1-9]\d{5,14}$/;

/** The size of a cache. Parsing by the library is by far the most expensive check, and files repeat phones. */
const rememberedPhones = 20_000;
const knownPhones = new Map<string, Phone | undefined>();

function parse(compact: string): Phone | undefined {
  const parsed = parsePhoneNumberFromString(compact, { extract: false });
  if (parsed === undefined || !parsed.isPossible()) return undefined;
  return {
    e164: parsed.number,
    isValid: parsed.isValid(),
    country: parsed.country ?? null,
    callingCode: parsed.countryCallingCode,
  };
}

/** Reads a phone number in international form with a leading `+`; undefined if it is not a possible number. */
export function readPhone(text: string): Phone | undefined {
  const isCompact = international.test(text);
  const compact = isCompact ? text : text.replace(punctuation, '');
  if (!isCompact && !international.test(compact)) return undefined;
  const plan = planOfValidNumber(compact);
  if (plan !== undefined) {
    return { e164: compact, isValid: true, country: plan.country, callingCode: plan.callingCode };
  }
  if (knownPhones.has(compact)) return knownPhones.get(compact);
  const phone = parse(compact);
  if (knownPhones.size >= rememberedPhones) knownPhones.clear();
  knownPhones.set(compact, phone);
  return phone;
}

/** Whether a number may belong to the country. The plan decides if it can; otherwise the calling code decides. */
export function isPhoneOfCountry(phone: Phone, country: string): boolean {
  if (phone.country !== null) return phone.country === country;
  return isSupportedCountry(country) && getCountryCallingCode(country) === phone.callingCode;
}

/**
 * The check of a phone number in international form, or in the form of the country that the mapping declares. A number cell
 * contains no `+` and no leading zero, so its number also has to be valid by that country's plan.
 */
export function checkPhone(text: string, _kind: CellKind | undefined, row: RowValues): ValueResult {
  const phone = readPhone(text);
  if (phone !== undefined) {
    return phone.isValid ? phone.e164 : { value: phone.e164, notes: [{ kind: 'unusual_number' }] };
  }
  const country = row.phoneCountry();
  if (country === null) return refuse(text, notInternational);
  if (country === undefined)
    return refuse(text, `${notInternational}; its row names no country to read it by`);
  const reading = readNationalPhone(text, country);
  switch (reading) {
    case 'not_a_number':
      return refuse(
        text,
        `is not a phone number of ${country}; write it as there, or write + and the country code, then the number`,
      );
    case 'two_countries':
      return refuse(
        text,
        `may be a phone number of ${country} or of another country; write + and the country code, then the number`,
      );
    default:
      return { value: reading.e164, notes: [readAs(reading.e164)] };
  }
}

const notInternational =
  'is not a possible phone number in international form; write + and the country code, then the number';

function refuse(text: string, problem: string): ValueResult {
  return { code: 'invalid_phone', message: say`${maskedValue(text)} ${problem}` };
}

/** A number in any form that `checkPhone` accepts, as `+` and digits; undefined for another value. */
export function phoneIn(text: string, row: RowValues): string | undefined {
  return passedValue(checkPhone(text, undefined, row));
}

/** A number that was read as a number of a country, or the reason why it cannot be one. */
type NationalReading =
  | { readonly e164: string }
  /** The country has no number of this form. */
  | 'not_a_number'
  /** It may be a number of that country without its leading digit, but also a number of another country. */
  | 'two_countries';

/** Signs that group digits, and the zero in brackets that is omitted after a country code. */
const grouping = /[\s\u2010-\u2015.()[\]/-]/g;
const longest = 17;
/** Prefixes that people dial before a number within a country. Where a plan has no prefix, none is removed. */
const nationalPrefixes: ReadonlySet<string> = new Set(['0', '1', '8', '06']);

/** Whether a mapping may declare this `phoneCountry`. */
export function isPhoneCountry(code: string): boolean {
  return isSupportedCountry(code);
}

/**
 * Reads a number without `+` as a number of a country. It tries the forms in which people write numbers, in this order: as
 * dialled in the country (`0712 345 678`, `(415) 555-0100`), with the country code (`254712345678`, `00254…`), and without
 * the leading zero, which spreadsheets remove. Only numbers of the country's numbering plan are read.
 * @param country ISO 3166-1 alpha-2
 */
export function readNationalPhone(text: string, country: string): NationalReading {
  const digits = text.replace(grouping, '');
  if (!isSupportedCountry(country) || !/^\d+$/.test(digits) || digits.length > longest) return 'not_a_number';
  const code = getCountryCallingCode(country);
  const isOfCountry = (number: { countryCallingCode: string; isValid: () => boolean } | undefined): boolean =>
    number?.countryCallingCode === code && number.isValid();
  if (digits.startsWith('00')) {
    const international = parsePhoneNumberFromString(`+${digits.slice(2)}`, { extract: false });
    return international !== undefined && isOfCountry(international)
      ? { e164: international.number }
      : 'not_a_number';
  }
  const dialled = parsePhoneNumberFromString(digits, { defaultCountry: country, extract: false });
  if (dialled !== undefined && isOfCountry(dialled) && isDialledAs(dialled, digits))
    return { e164: dialled.number };
  const international = parsePhoneNumberFromString(`+${digits}`, { extract: false });
  if (international !== undefined && isOfCountry(international) && international.number === `+${digits}`)
    return { e164: international.number };
  const shortened = parsePhoneNumberFromString(`+${code}${digits}`, { extract: false });
  if (shortened === undefined || !isOfCountry(shortened) || shortened.nationalNumber !== digits)
    return 'not_a_number';
  return international?.isValid() ? 'two_countries' : { e164: shortened.number };
}

/**
 * Whether a text is a valid phone number: in international form with a plus, or as it is dialled in a country.
 * @param countryOf ISO 3166-1 alpha-2, asked for only without a plus; undefined if it is not known
 */
export function isValidPhone(text: string, countryOf: () => string | undefined): boolean {
  if (text.startsWith('+')) return readPhone(text)?.isValid === true;
  const country = countryOf();
  return country !== undefined && typeof readNationalPhone(text, country) === 'object';
}

/**
 * Reads a number that may be one of this country without its leading digit, or one of another country, as one of this
 * country; undefined for all other numbers.
 */
export function phoneOfCountry(text: string, country: string): string | undefined {
  if (readNationalPhone(text, country) !== 'two_countries' || !isSupportedCountry(country)) return undefined;
  return `+${getCountryCallingCode(country)}${text.replace(grouping, '')}`;
}

/**
 * A number with its lost zero, if it cannot be read without it. The zero is part of the number, as in Ivory Coast, or only
 * the first digit of the dialling prefix, as in Hungary (06). Undefined for other numbers, which are read unchanged or not
 * at all.
 */
export function phoneWithZero(digits: string, country: string): string | undefined {
  const asItIs = readNationalPhone(digits, country);
  if (typeof asItIs === 'object') return undefined;
  const text = `0${digits}`;
  const reading = readNationalPhone(text, country);
  if (typeof reading !== 'object') return undefined;
  return asItIs === 'not_a_number' || reading.e164.endsWith(text) ? text : undefined;
}

/** Whether the digits have the country's own form, or have the prefix that people dial and that this form omits. */
function isDialledAs(number: PhoneNumber, digits: string): boolean {
  if (number.formatNational().replace(/\D/g, '') === digits) return true;
  const prefix = digits.slice(0, -number.nationalNumber.length);
  return nationalPrefixes.has(prefix) && digits.endsWith(number.nationalNumber);
}

/** The minimum number of phones that prove the country of their column. */
const fewestPhones = 5;

/**
 * The evidence about a column's country from its phones. A number that could also belong to another country belongs to this
 * one only if all other numbers do.
 */
export class PhonesOfColumn {
  readonly #country: string;
  readonly #isPhone: boolean;
  #own = 0;
  #doubtful = 0;
  #others = 0;

  /**
   * @param country ISO 3166-1 alpha-2, the country of numbers without `+`
   * @param isPhone whether every value is a phone number, and none is an account number
   */
  constructor(country: string, isPhone: boolean) {
    this.#country = country;
    this.#isPhone = isPhone;
  }

  add(text: string): void {
    const stated = /^(?:\+|00)/.test(text) ? readPhone(text.replace(/^00/, '+')) : undefined;
    if (stated !== undefined) {
      if (stated.country === this.#country) this.#own += 1;
      else this.#others += 1;
      return;
    }
    const reading = readNationalPhone(text, this.#country);
    if (typeof reading === 'object') this.#own += 1;
    else if (reading === 'two_countries') this.#doubtful += 1;
    // In a column of account numbers, other digits are not phone numbers.
    else if (this.#isPhone && readPhone(`+${text.replace(/^\+/, '')}`)?.isValid === true) this.#others += 1;
  }

  /** Whether all phones that can belong to only one country belong to this one, and are the majority. */
  get isOfCountry(): boolean {
    return this.#others === 0 && this.#own >= fewestPhones && this.#own > this.#doubtful;
  }

  /**
   * Whether the phones contradict the country, so that it was right only for an earlier file. A short file is no
   * contradiction.
   */
  get isContradicted(): boolean {
    return this.#others > 0 || (this.#doubtful >= fewestPhones && this.#doubtful >= this.#own);
  }

  /** How many numbers could also belong to another country. */
  get doubtful(): number {
    return this.#doubtful;
  }
}
