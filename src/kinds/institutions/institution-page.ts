/* Reads one page of a country's institutions from the body of an answer, without losing any digit of its numbers. */

import * as z from 'zod';
import type { Institution } from '../../domain/institution.ts';
import { parseNumberText } from '../../domain/money/money.ts';
import { isAtMost } from '../../domain/text/characters.ts';

/** One page of a country's institutions. */
export interface InstitutionPage {
  readonly number: number;
  readonly totalPages: number;
  /** The number of listed items, including items that could not be understood. */
  readonly itemCount: number;
  readonly institutions: readonly Institution[];
  /** False if an item could not be understood or did not belong to the country. Then an institution is missing. */
  readonly isWhole: boolean;
}

// Numbers arrive as texts, because every digit matters.
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

/** Reads the body of an answer; undefined if it is not a page of institutions. */
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

const numberOrQuote = /-?\d[\d.eE+-]*|"/g;

/**
 * The index after a string that begins at `start`. Its closing quote is preceded by no backslash, or by an even number of
 * backslashes.
 */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return json.length;
}

/**
 * Parses JSON with every number as the text in which it was written, so that floating-point conversion loses no digit of an
 * amount. (Not every supported version of Node gives a reviver access to that text.)
 * @throws SyntaxError if the text is not JSON
 */
export function parseJsonWithNumberTexts(json: string): unknown {
  // Only in valid JSON is every run of number characters outside of strings exactly one number.
  JSON.parse(json);
  const parts: string[] = [];
  let copied = 0;
  // Strings are skipped without a regular expression, because one that matches long strings overflows the stack.
  numberOrQuote.lastIndex = 0;
  for (let token = numberOrQuote.exec(json); token !== null; token = numberOrQuote.exec(json)) {
    if (token[0] === '"') {
      numberOrQuote.lastIndex = endOfString(json, token.index);
      continue;
    }
    parts.push(json.slice(copied, token.index), `"${token[0]}"`);
    copied = numberOrQuote.lastIndex;
  }
  parts.push(json.slice(copied));
  return JSON.parse(parts.join(''));
}
