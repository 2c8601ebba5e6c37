import { getCountryCallingCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { readingNote } from '../../domain/rows/reading-note.ts';
import type { CellKind } from '../../domain/tables/cell.ts';
import { mask } from '../../domain/text/masking.ts';
import { readNationalPhone } from './national-phone.ts';
import { planOfValidNumber } from './numbering-plan.ts';
import type { RowValues } from './row-values.ts';
import { passedValue, type ValueResult } from './value-result.ts';

export interface Phone {
  /** `+` and digits only. */
  readonly e164: string;
  /** Whether the numbering plan has such numbers; a possible one is only of the right length. */
  readonly isValid: boolean;
  /** ISO 3166-1 alpha-2; null where several countries share the code and the plan does not tell. */
  readonly country: string | null;
  readonly callingCode: string;
}

const punctuation = /[\s\u2010-\u2015.()[\]-]/g;
const international = /^\+[1-9]\d{5,14}$/;

/** Parsing by the library is by far the dearest check, and files repeat phones; the bound keeps memory flat. */
const rememberedPhones = 20_000;
const remembered = new Map<string, Phone | undefined>();

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
  if (remembered.has(compact)) return remembered.get(compact);
  const phone = parse(compact);
  if (remembered.size >= rememberedPhones) remembered.clear();
  remembered.set(compact, phone);
  return phone;
}

/** Whether a number may belong to the country: exactly so where the plan tells, else by its calling code. */
export function isPhoneOfCountry(phone: Phone, country: string): boolean {
  if (phone.country !== null) return phone.country === country;
  return isSupportedCountry(country) && getCountryCallingCode(country) === phone.callingCode;
}

/**
 * The check of a phone number: in international form, or as the country that the mapping declares writes it. A
 * number cell holds no `+` and no zero before its digits, so it has to be valid by that country's plan too.
 */
export function checkPhone(text: string, _kind: CellKind | undefined, row: RowValues): ValueResult {
  const phone = readPhone(text);
  if (phone !== undefined) {
    return phone.isValid
      ? phone.e164
      : { value: phone.e164, note: 'possible but not valid by the numbering plan' };
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
      return { value: reading.e164, note: readingNote(reading.e164) };
  }
}

const notInternational =
  'is not a possible phone number in international form; write + and the country code, then the number';

function refuse(text: string, problem: string): ValueResult {
  return { code: 'invalid_phone', message: `${mask(text)} ${problem}` };
}

/** A number in any of the forms that `checkPhone` takes, as `+` and digits; undefined for another value. */
export function phoneIn(text: string, row: RowValues): string | undefined {
  return passedValue(checkPhone(text, undefined, row));
}
