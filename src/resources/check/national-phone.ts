import {
  getCountryCallingCode,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';

/** A number that was read as one of a country; or why it cannot be. */
type NationalReading =
  | { readonly e164: string }
  /** No number of that country is written so. */
  | 'not_a_number'
  /** It is a number of that country without the digit before it, and just as well another country's. */
  | 'two_countries';

/** Signs that group digits, and the zero in brackets that is left out behind a country code. */
const grouping = /[\s\u2010-\u2015.()[\]/-]/g;
const longest = 17;
/** What is dialled before a number inside a country; the plan of a country that has none takes none of them off. */
const nationalPrefixes: ReadonlySet<string> = new Set(['0', '1', '8', '06']);

/** Whether a mapping may declare this `phoneCountry`. */
export function isPhoneCountry(code: string): boolean {
  return isSupportedCountry(code);
}

/**
 * Reads a number that has no `+` as one of a country, in the order in which people write them: as it is dialled
 * there (`0712 345 678`, `(415) 555-0100`), with the country code (`254712345678`, `00254…`), and without the
 * zero before it, which spreadsheets take away. Only numbers that the country's numbering plan has are read.
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
 * A number with the zero that it lost, where the zero is a part of it and nothing that is dialled before it, as in
 * Ivory Coast; undefined for other numbers, which are read as they stand or not at all.
 */
export function phoneWithZero(digits: string, country: string): string | undefined {
  if (typeof readNationalPhone(digits, country) === 'object') return undefined;
  const text = `0${digits}`;
  const reading = readNationalPhone(text, country);
  return typeof reading === 'object' && reading.e164.endsWith(text) ? text : undefined;
}

/** In the country's own form, or with the prefix before it that its people dial and that form leaves out. */
function isDialledAs(number: PhoneNumber, digits: string): boolean {
  if (digitsOf(number.formatNational()) === digits) return true;
  const prefix = digits.slice(0, -number.nationalNumber.length);
  return nationalPrefixes.has(prefix) && digits.endsWith(number.nationalNumber);
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}
