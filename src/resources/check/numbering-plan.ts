import metadata from 'libphonenumber-js/max/metadata';
import * as z from 'zod';

/** A calling code that belongs to one country alone. */
interface CountryPlan {
  readonly country: string;
  readonly callingCode: string;
  /** Matches whole numbers, `+` and calling code included, that the library reads as they stand and holds for valid. */
  readonly validNumber: RegExp;
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
  return { country, callingCode, validNumber: compile(callingCode, plan.data) };
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
  for (let length = 1; length <= longestCallingCode; length += 1) {
    const callingCode = number.slice(1, 1 + length);
    if (!callingCodes.has(callingCode)) continue;
    if (!plans.has(callingCode)) plans.set(callingCode, createPlan(callingCode));
    const plan = plans.get(callingCode);
    return plan?.validNumber.test(number) ? plan : undefined;
  }
  return undefined;
}
