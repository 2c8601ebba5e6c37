import * as z from 'zod';
import type { Institution } from '../domain/institution.ts';
import { parseNumberText } from '../domain/money/money.ts';
import { isAtMost } from '../domain/text/characters.ts';
import { parseJsonWithNumberTexts } from './exact-json.ts';

/** One page of a country's institutions. */
export interface InstitutionPage {
  readonly number: number;
  readonly totalPages: number;
  /** All that it lists, those too that could not be understood. */
  readonly itemCount: number;
  readonly institutions: readonly Institution[];
  /** False when an item could not be understood or was not of the country: something is then missing. */
  readonly isWhole: boolean;
}

// Numbers arrive as texts, since the digits of amounts count.
const count = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);
const text = z
  .string()
  .trim()
  .min(1)
  .refine((value) => isAtMost(value, 255));
const limit = z
  .string()
  .refine((value) => parseNumberText(value) !== undefined)
  .nullish()
  .transform((value) => value ?? null);

const pageSchema = z.object({
  data: z.object({ items: z.array(z.unknown()), page: count, total_pages: count }),
  error: z.null().optional(),
});

const itemSchema = z
  .object({
    id: text,
    name: text,
    country_iso_code: text,
    currency: text,
    account_number_type: text,
    min_amount: limit,
    max_amount: limit,
  })
  .transform(
    (item): Institution => ({
      id: item.id,
      name: item.name.normalize('NFC'),
      country: item.country_iso_code.toUpperCase(),
      currency: item.currency.toUpperCase(),
      accountNumberType: item.account_number_type,
      minAmount: item.min_amount,
      maxAmount: item.max_amount,
    }),
  );

function parse(body: string): unknown {
  try {
    return parseJsonWithNumberTexts(body);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Reads an answer's body; undefined when it is not a page of institutions. */
export function readInstitutionPage(body: string, country: string): InstitutionPage | undefined {
  const page = pageSchema.safeParse(parse(body));
  if (!page.success) return undefined;
  const { items, page: number, total_pages: totalPages } = page.data.data;
  const institutions = items.flatMap((item) => {
    const parsed = itemSchema.safeParse(item);
    return parsed.success && parsed.data.country === country ? [parsed.data] : [];
  });
  const itemCount = items.length;
  return { number, totalPages, itemCount, institutions, isWhole: institutions.length === itemCount };
}
