/* Phone numbers: the numbering plans of countries, and how numbers are normalised. */

import { getCountryCallingCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/max/metadata';
import * as z from 'zod';
import { readingNote } from '../../domain/rows/finding.ts';
import type { CellKind } from '../../domain/tables/table.ts';
import { mask } from '../../domain/text/characters.ts';
import { readNationalPhone } from './national-phone.ts';
import type { RowValues } from './row-values.ts';
import { passedValue, type ValueResult } from './value-result.ts';

interface Phone {
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

/** A calling code that belongs to one country alone. */
interface CountryPlan {
  readonly country: string;
  readonly callingCode: string;
  /** Matches whole numbers, `+` and calling code included, that the library reads as they stand and holds for valid. */
  readonly validNumber: RegExp;
  /** Matches numbers of landlines, and of mobile phones; undefined where the plan does not tell them apart. */
  readonly landline: RegExp | undefined;
  readonly mobile: RegExp | undefined;
}

const longestCallingCode = 3;

const lengthsSchema = z.array(z.int());
const typeSchema = z.tuple([z.string()], z.unknown());
const prefixSchema = z.union([z.string(), z.literal(0), z.undefined()]);

/** Where the library's metadata, in its fourth version, has what decides whether a number is valid. */
const planSchema = z
  .array(z.unknown())
  .transform((plan) => ({
    pattern: plan[2],
    lengths: plan[3],
    nationalPrefix: plan[5],
    prefixForParsing: plan[7],
    types: plan[11],
  }))
  .pipe(
    z.object({
      pattern: z.string(),
      lengths: lengthsSchema,
      nationalPrefix: prefixSchema,
      prefixForParsing: prefixSchema,
      types: z.array(z.union([typeSchema, z.literal(0), z.null(), z.undefined()])),
    }),
  );

function ofLengths(lengths: readonly number[]): string {
  return `(?=(?:${lengths.map((length) => `\\d{${length}}`).join('|')})$)`;
}

/**
 * Valid is what has one of the plan's lengths and its general form, and the form and one of the lengths of one
 * of its types of number. A number that begins like one with a national prefix may be read without it, so it is
 * left to the library.
 */
function compile(callingCode: string, plan: z.output<typeof planSchema>): RegExp {
  const prefix = plan.prefixForParsing || plan.nationalPrefix;
  const types = plan.types.flatMap((type) => {
    if (!type || type[0] === '') return [];
    const lengths = lengthsSchema.safeParse(type[1]);
    return [`${ofLengths(lengths.success ? lengths.data : plan.lengths)}(?:${type[0]})$`];
  });
  const national = `${ofLengths(plan.lengths)}(?=(?:${plan.pattern})$)(?:${types.join('|')})`;
  return new RegExp(`^\\+${callingCode}${prefix ? `(?!${prefix})` : ''}${national}`);
}

function createPlan(callingCode: string): CountryPlan | undefined {
  const countries = metadata.country_calling_codes[callingCode] ?? [];
  const [country] = countries;
  const plan = planSchema.safeParse(country === undefined ? undefined : metadata.countries[country]);
  if (country === undefined || countries.length > 1 || !plan.success) return undefined;
  // The first two types of number are landlines and mobile phones, in this order.
  const [landline, mobile] = plan.data.types.map((type) =>
    !type || type[0] === '' ? undefined : new RegExp(`^\\+${callingCode}(?:${type[0]})$`),
  );
  return { country, callingCode, validNumber: compile(callingCode, plan.data), landline, mobile };
}

/** Whether a valid number is that of a landline and cannot be a mobile phone's, by its country's numbering plan. */
export function isLandline(number: string): boolean {
  const plan = planOfNumber(number);
  if (plan === undefined)
    return parsePhoneNumberFromString(number, { extract: false })?.getType() === 'FIXED_LINE';
  const { landline, mobile } = plan;
  return landline?.test(number) === true && mobile !== undefined && !mobile.test(number);
}

const callingCodes: ReadonlySet<string> = new Set([
  ...Object.keys(metadata.country_calling_codes),
  ...Object.keys(metadata.nonGeographic),
]);

/** By calling code; a country's plan is compiled when the first number of it comes. */
const plans = new Map<string, CountryPlan | undefined>();

/**
 * The country of a number in the form `+` and digits, where its calling code leaves no choice, the number is
 * valid and nothing in it may be left out. Undefined says nothing: the library has to look. It gives the same
 * answers for these numbers, at twenty times the cost.
 */
export function planOfValidNumber(
  number: string,
): { readonly country: string; readonly callingCode: string } | undefined {
  const plan = planOfNumber(number);
  return plan?.validNumber.test(number) ? plan : undefined;
}

/** The plan of a calling code that belongs to one country alone. */
function planOfNumber(number: string): CountryPlan | undefined {
  for (let length = 1; length <= longestCallingCode; length += 1) {
    const callingCode = number.slice(1, 1 + length);
    if (!callingCodes.has(callingCode)) continue;
    if (!plans.has(callingCode)) plans.set(callingCode, createPlan(callingCode));
    return plans.get(callingCode);
  }
  return undefined;
}
