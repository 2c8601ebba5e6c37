/* Phone numbers: checked by real numbering plans, written nationally or internationally. */

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
  /** Whether the numbering plan has such numbers; a merely possible number only has the right length. */
  readonly isValid: boolean;
  /** ISO 3166-1 alpha-2; null where several countries share the code and the plan does not distinguish them. */
  readonly country: string | null;
  readonly callingCode: string;
}

const punctuation = /[\s\u2010-\u2015.()[\]-]/g;
const international = /^\+[1-9]\d{5,14}$/;

/**
 * A cache, since parsing by the library is by far the most expensive check and files repeat phones. Its limit bounds
 * memory.
 */
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

/** Reads a phone number in international form with a leading `+`; undefined when it is not a possible one. */
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

/** Whether a number may belong to the country: certain where the plan decides, else by its calling code. */
export function isPhoneOfCountry(phone: Phone, country: string): boolean {
  if (phone.country !== null) return phone.country === country;
  return isSupportedCountry(country) && getCountryCallingCode(country) === phone.callingCode;
}

/**
 * The check of a phone number: in international form, or as written in the country that the mapping declares. A
 * number cell holds no `+` and no zero before its digits, so it has to be valid by that country's plan too.
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

/** A number in any of the forms that `checkPhone` takes, as `+` and digits; undefined for another value. */
export function phoneIn(text: string, row: RowValues): string | undefined {
  return passedValue(checkPhone(text, undefined, row));
}

/** A number that was read as one of a country; or why it cannot be one. */
type NationalReading =
  | { readonly e164: string }
  /** That country has no number of this form. */
  | 'not_a_number'
  /** It is a number of that country without its leading digit, and equally possibly another country's. */
  | 'two_countries';

/** Signs that group digits, and the zero in brackets that is left out after a country code. */
const grouping = /[\s\u2010-\u2015.()[\]/-]/g;
const longest = 17;
/** The prefix that is dialled before a number inside a country; a plan without a prefix removes none. */
const nationalPrefixes: ReadonlySet<string> = new Set(['0', '1', '8', '06']);

/** Whether a mapping may declare this `phoneCountry`. */
export function isPhoneCountry(code: string): boolean {
  return isSupportedCountry(code);
}

/**
 * Reads a number that has no `+` as one of a country, in the order in which people write them: as dialled
 * there (`0712 345 678`, `(415) 555-0100`), with the country code (`254712345678`, `00254…`), and without the
 * leading zero, which spreadsheets remove. Only numbers that the country's numbering plan has are read.
 *
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
 * A number that may be one of this country without its leading digit, or another country's, as one of this country; undefined
 * for all others.
 */
export function phoneOfCountry(text: string, country: string): string | undefined {
  if (readNationalPhone(text, country) !== 'two_countries' || !isSupportedCountry(country)) return undefined;
  return `+${getCountryCallingCode(country)}${text.replace(grouping, '')}`;
}

/**
 * A number with its lost zero, where it cannot be read without: the zero is part of the number, as in Ivory Coast, or
 * only the first digit of the dialling prefix, as in Hungary (06). Undefined for other numbers, which are read unchanged
 * or not at all.
 */
export function phoneWithZero(digits: string, country: string): string | undefined {
  const asItIs = readNationalPhone(digits, country);
  if (typeof asItIs === 'object') return undefined;
  const text = `0${digits}`;
  const reading = readNationalPhone(text, country);
  if (typeof reading !== 'object') return undefined;
  return asItIs === 'not_a_number' || reading.e164.endsWith(text) ? text : undefined;
}

/** In the country's own form, or with the prefix that its people dial and that form leaves out. */
function isDialledAs(number: PhoneNumber, digits: string): boolean {
  if (number.formatNational().replace(/\D/g, '') === digits) return true;
  const prefix = digits.slice(0, -number.nationalNumber.length);
  return nationalPrefixes.has(prefix) && digits.endsWith(number.nationalNumber);
}

/** The least number of phones that shows the country of their column. */
const fewestPhones = 5;

/**
 * What the phones of a column show of its country: a number that could also be of another one is of this one only where all
 * others are.
 */
export class PhonesOfColumn {
  readonly #country: string;
  readonly #isPhone: boolean;
  #own = 0;
  #doubtful = 0;
  #others = 0;

  /**
   * @param country ISO 3166-1 alpha-2: that of numbers without `+`
   * @param isPhone whether every value is a phone, and none an account number
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
    // Among account numbers, other digits are no phones.
    else if (this.#isPhone && readPhone(`+${text.replace(/^\+/, '')}`)?.isValid === true) this.#others += 1;
  }

  /** Whether all phones that can only be of one country are of this one, and are the most. */
  get isOfCountry(): boolean {
    return this.#others === 0 && this.#own >= fewestPhones && this.#own > this.#doubtful;
  }

  /** Whether they speak against the country, so that it was right for an earlier file only. A short file does not. */
  get isContradicted(): boolean {
    return this.#others > 0 || (this.#doubtful >= fewestPhones && this.#doubtful >= this.#own);
  }

  /** The numbers that could be of another country too. */
  get doubtful(): number {
    return this.#doubtful;
  }
}
