import * as z from 'zod';
import type { Mode } from '../../domain/batches/batch.ts';
import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
import { parseDuration } from '../../domain/sending/key-age.ts';
import { kinds } from '../../resources/registry.ts';

const wholeNumber = (least: number, most: number) => z.coerce.number().int().min(least).max(most);

const duration = z.string().transform((text, context) => {
  const durationInMs = parseDuration(text);
  if (durationInMs !== null && durationInMs > 0) return durationInMs;
  context.addIssue({ code: 'custom', message: 'is no duration such as 30s, 15m, 24h or 7d' });
  return z.NEVER;
});

/** Codes separated by commas, or given one by one. */
const listOfCodes = z.union([z.string(), z.array(z.string())]).transform((given) =>
  [given]
    .flat()
    .flatMap((text) => text.split(','))
    .map((code) => code.trim())
    .filter((code) => code !== ''),
);

/** A share is kept as such, since the number of rows is known only at the end. */
const invalidLimit = z
  .union([z.string(), z.number()])
  .transform((value, context): { rows: number } | { percent: number } => {
    const match = /^(\d{1,9}(?:\.\d{1,4})?)(%?)$/.exec(String(value).trim());
    const amount = Number(match?.[1]);
    if (match?.[2] === '%' && amount <= 100) return { percent: amount };
    if (match?.[2] === '' && Number.isInteger(amount)) return { rows: amount };
    context.addIssue({ code: 'custom', message: 'is no number of rows (20) or share of them (5%)' });
    return z.NEVER;
  });

const refusalLimit = z.union([z.string(), z.number()]).transform((value, context): number | 'off' => {
  const text = String(value).trim();
  if (text === 'off') return 'off';
  const rows = Number(text);
  if (/^\d{1,9}$/.test(text) && rows > 0) return rows;
  context.addIssue({ code: 'custom', message: 'is no number of rows such as 50, and not off' });
  return z.NEVER;
});

/** `KES=1234567.00`, one by one or separated by commas: currency to plain decimal. */
const expectedTotals = z.union([z.string(), z.array(z.string())]).transform((given, context) => {
  const totals: Record<string, string> = {};
  for (const text of [given].flat().flatMap((each) => each.split(','))) {
    const [, currency = '', amount = ''] =
      /^\s*([A-Z]{3,10})=(\d{1,31}(?:\.\d{1,18})?)\s*$/i.exec(text) ?? [];
    const name = currency.toUpperCase();
    const plain = amount.replace(/^0+(?=\d)/, '');
    if (plain === '' || totals[name] !== undefined) {
      const problem =
        plain === '' ? 'is no currency and amount such as KES=1234567.00' : `is given twice for ${name}`;
      context.addIssue({ code: 'custom', message: `"${text.trim()}" ${problem}` });
      return z.NEVER;
    }
    totals[name] = plain;
  }
  return totals;
});

/** The settings of the use cases, as options give them: durations and limits are texts that are read here. */
export const callSettingsSchema = z.object({
  mode: z.enum(['sandbox', 'live']).optional(),
  'base-url': z.string().optional(),
  'local-sandbox': z.boolean().default(false),
  'sandbox-dir': z.string().optional(),
  'sandbox-faults': z.string().optional(),
  'customer-id-path': z
    .union([z.string().transform((path) => [path]), z.array(z.string())])
    .default(['data.id', 'id', 'customer.id', 'data.customer.id']),
  'institutions-page-parameter': z.string().min(1).optional(),
  'institutions-first-page': wholeNumber(0, 1_000).optional(),
  'institutions-max-age': duration.default(24 * 3_600_000),
  kind: z.enum(kinds).optional(),
  sheet: z.string().optional(),
  hidden: z.enum(['include', 'skip']).optional(),
  'leave-out-non-rows': z.boolean().default(false),
  'skip-refused': z.boolean().default(false),
  'allow-none': z.boolean().default(false),
  delimiter: z.string().optional(),
  encoding: z.string().optional(),
  mapping: z.string().optional(),
  'no-remembered-mapping': z.boolean().default(false),
  rules: z.string().optional(),
  'max-invalid': invalidLimit.optional(),
  'expect-rows': wholeNumber(0, 100_000_000).optional(),
  'expect-total': expectedTotals.optional(),
  'ledger-dir': z.string().min(1).default('.paybatch'),
  concurrency: wholeNumber(1, 1_000).default(16),
  rate: z.coerce.number().positive().max(100_000).optional(),
  'max-attempts': wholeNumber(1, 100).default(5),
  timeout: z.coerce.number().positive().max(3_600).default(30),
  'key-lifetime': duration.optional(),
  'waiting-codes': listOfCodes.default(['kyc_required']),
  'waiting-delay': duration.default(15 * 60_000),
  'refused-alike': refusalLimit.default(50),
  yes: z.boolean().default(false),
  out: z.string().min(1).default('results'),
});

/** The settings of one use case, checked and with their defaults. Durations are in ms, `timeout` in seconds. */
export type CallSettings = CompleteSettings<z.output<typeof callSettingsSchema>>;

type CompleteSettings<Parsed extends { readonly mode?: Mode | undefined }> = Omit<Parsed, 'mode'> & {
  readonly mode: Mode;
  /** Whether somebody gave the mode; an address that is not this machine's is used only then. */
  readonly isModeStated: boolean;
};

/**
 * Checks settings, and completes them with their defaults.
 * @param schema `callSettingsSchema`, or one that adds settings of its own
 * @param given values by the name of their option
 * @throws Failure (exit 2) that names the option and what it was given
 */
export function readSettings<Parsed extends { readonly mode?: Mode | undefined }>(
  schema: z.ZodType<Parsed>,
  given: Readonly<Record<string, unknown>>,
): CompleteSettings<Parsed> {
  const parsed = schema.safeParse(given);
  if (parsed.success) {
    const { mode, ...others } = parsed.data;
    return { ...others, mode: mode ?? 'sandbox', isModeStated: mode !== undefined };
  }
  const [issue] = parsed.error.issues;
  throw new Failure(
    exitCodes.usage,
    'option_invalid',
    `--${issue?.path[0]?.toString() ?? 'option'}: ${issue?.message ?? 'not valid'}.`,
    'paybatch --help-all',
  );
}
