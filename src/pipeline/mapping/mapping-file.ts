import { z } from 'zod';
import { exitCodes } from '../../domain/exit-code.ts';
import { Failure } from '../../domain/failure.ts';
import { plainReadingRules, type ReadingRules } from '../../domain/mapping.ts';
import { createNameSearch } from '../../domain/similar-names.ts';
import { isDateFormat } from '../../resources/check/birth-date.ts';
import { columnsOf, fieldForHeader, kinds, normaliseHeader } from '../../resources/registry.ts';

const dateFormatAdvice = 'must be made of YYYY, MM and DD, once each, as in DD/MM/YYYY';

/**
 * A mapping file: how to read a partner's file. Columns and ignored columns are named as the file names
 * them; constants and value translations by paybatch's own fields.
 */
export const mappingFileSchema = z
  .strictObject({
    $schema: z.string().optional(),
    columns: z
      .record(z.string().min(1), z.string().min(1))
      .optional()
      .describe("The file's column, as its header has it, to paybatch's column."),
    constants: z
      .record(z.string().min(1), z.string().min(1))
      .optional()
      .describe("paybatch's column to the value of every row, for columns that the file does not have."),
    ignore: z
      .array(z.string().min(1))
      .optional()
      .describe("The file's columns that are left out. One that the file does not have does no harm."),
    values: z
      .record(z.string().min(1), z.record(z.string(), z.string()))
      .optional()
      .describe("paybatch's column to translations: the file's value, exactly, to the value meant."),
    dateFormat: z
      .string()
      .regex(/^[^A-Za-z\d]*(?:(?:YYYY|MM?|DD?)[^A-Za-z\d]*){3}$/, dateFormatAdvice)
      .refine(isDateFormat, dateFormatAdvice)
      .optional()
      .describe('How dates are written, such as DD/MM/YYYY; D and M stand for one or two digits.'),
    decimal: z.enum(['.', ',']).optional().describe('The sign before the decimals of an amount.'),
    thousands: z
      .enum(['', ',', '.', ' ', "'"])
      .optional()
      .describe('The sign between groups of three digits of an amount; without it there may be none.'),
    lineBreaks: z
      .enum(['invalid', 'space'])
      .optional()
      .describe('What a line break or tab inside a value is: a finding, or a space.'),
    numericIdentifiers: z
      .enum(['refuse', 'accept'])
      .optional()
      .describe('Whether whole numbers of up to 15 digits in numeric cells may be taken as identifiers.'),
    expectRows: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe('How many rows there have to be; otherwise nothing is sent. As --expect-rows.'),
    expectTotal: z
      .record(z.string().regex(/^[A-Z]{3,10}$/), z.string().regex(/^(?:0|[1-9]\d{0,30})(?:\.\d{1,18})?$/))
      .optional()
      .describe(
        'Currency to the sum of all amounts in it, such as "1234567.00"; otherwise nothing is sent. As --expect-total.',
      ),
  })
  .describe('How paybatch reads a file (--mapping FILE).');

export type MappingFile = z.infer<typeof mappingFileSchema>;

/** How files are read, without what was said about the content of one: another file has other sums. */
export function withoutExpectations(mapping: MappingFile): MappingFile {
  const { expectRows: _, expectTotal: __, ...reading } = mapping;
  return reading;
}

/** @throws Failure (exit 2) that names the first thing that is wrong */
export function parseMappingFile(text: string, path: string): MappingFile {
  const refuse = (problem: string): Failure =>
    new Failure(
      exitCodes.usage,
      'mapping_invalid',
      `The mapping ${path} ${problem}.`,
      'correct the mapping file (docs/mapping.md)',
    );
  if (text.trim() === '') throw refuse('is empty: the command that was to write it seems to have failed');
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw refuse('is not JSON');
  }
  const parsed = mappingFileSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue?.path.join(' > ') ?? '';
    throw refuse(
      `is not valid${place === '' ? '' : ` at "${place}"`}: ${issue?.message ?? 'unknown problem'}`,
    );
  }
  const contradiction = contradictionIn(parsed.data);
  if (contradiction !== undefined) throw refuse(contradiction);
  return parsed.data;
}

/** What a mapping says that cannot be meant, whatever file it is used with. */
function contradictionIn(mapping: MappingFile): string | undefined {
  const { columns = {}, constants = {}, ignore = [], values = {}, decimal = '.', thousands } = mapping;
  if (decimal === thousands) return 'gives the same sign for decimals and thousands';
  const named = [...Object.values(columns), ...Object.keys(constants), ...Object.keys(values)];
  const stranger = named.find((field) => !isColumnOfAnyKind(field));
  if (stranger !== undefined)
    return `names a column "${stranger}" that paybatch does not have${near(stranger)}`;
  const twice =
    repeated(Object.keys(columns)) ?? repeated(Object.keys(constants)) ?? repeated(Object.keys(values));
  if (twice !== undefined)
    return `names "${twice}" twice, since case, spaces, hyphens and underscores do not count`;
  const both = Object.keys(columns).find((title) => ignore.some((other) => isSameTitle(title, other)));
  return both === undefined ? undefined : `lists "${both}" under "columns" and under "ignore"`;
}

function isColumnOfAnyKind(field: string): boolean {
  return kinds.some((kind) => fieldForHeader(kind, field) !== undefined);
}

function near(field: string): string {
  const [nearest] = createNameSearch([...new Set(kinds.flatMap(columnsOf))])(field, 1);
  return nearest === undefined ? '' : ` (the nearest is "${nearest}")`;
}

function repeated(titles: readonly string[]): string | undefined {
  return titles.find((title, index) => titles.slice(0, index).some((other) => isSameTitle(title, other)));
}

/** Whether two titles are the same column of a file. */
export function isSameTitle(left: string, right: string): boolean {
  return normaliseHeader(left) === normaliseHeader(right);
}

/** How values are written, with what the mapping leaves unsaid in its plain form. */
export function readingRulesOf(mapping: MappingFile): ReadingRules {
  return {
    dateFormat: mapping.dateFormat ?? plainReadingRules.dateFormat,
    decimal: mapping.decimal ?? plainReadingRules.decimal,
    thousands: mapping.thousands ?? plainReadingRules.thousands,
    lineBreaks: mapping.lineBreaks ?? plainReadingRules.lineBreaks,
    numericIdentifiers: mapping.numericIdentifiers ?? plainReadingRules.numericIdentifiers,
  };
}
