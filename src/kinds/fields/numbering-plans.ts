/* The numbering plans of countries, as patterns: they say at once what the library would say of most numbers. */

import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/max/metadata';
import * as z from 'zod';
import { remembered } from '../../domain/machine/remembered.ts';

/** A calling code that belongs to one country only. */
interface CountryPlan {
  readonly country: string;
  readonly callingCode: string;
  /** Matches whole numbers, with `+` and calling code, that the library reads unchanged and considers valid. */
  readonly validNumber: RegExp;
  /** Matches numbers of landlines, and of mobile phones; undefined where the plan does not distinguish them. */
  readonly landline: RegExp | undefined;
  readonly mobile: RegExp | undefined;
}

const longestCallingCode = 3;

const lengthsSchema = z.array(z.int());
const typeSchema = z.tuple([z.string()], z.unknown());
const prefixSchema = z.union([z.string(), z.literal(0), z.undefined()]);

/** Where the library's metadata, in its fourth version, has the data that decides whether a number is valid. */
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
 * A number is valid with one of the plan's lengths and its general form, and the form and one of the lengths of one
 * of its number types. A number that begins like one with a national prefix may be read without it, so it is
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

/** By calling code; a country's plan is compiled at its first number. */
const planOf = remembered(createPlan);

/**
 * The country of a number in the form `+` and digits, where its calling code leaves no choice, the number is
 * valid and nothing in it may be left out. Undefined decides nothing: then the library has to check. It gives the same
 * answers for these numbers, at twenty times the cost.
 */
export function planOfValidNumber(
  number: string,
): { readonly country: string; readonly callingCode: string } | undefined {
  const plan = planOfNumber(number);
  return plan?.validNumber.test(number) ? plan : undefined;
}

/** The plan of a calling code that belongs to one country only. */
function planOfNumber(number: string): CountryPlan | undefined {
  for (let length = 1; length <= longestCallingCode; length += 1) {
    const callingCode = number.slice(1, 1 + length);
    if (callingCodes.has(callingCode)) return planOf(callingCode);
  }
  return undefined;
}
