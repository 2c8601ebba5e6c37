import * as z from 'zod';
import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
import { plainReadingRules, type ReadingRules } from '../../domain/tables/mapping.ts';
import { createNameSearch } from '../../domain/text/similar-names.ts';
import { isDateFormat } from '../../resources/check/birth-date.ts';
import { fieldTypes } from '../../resources/check/field-types.ts';
import { isPhoneCountry } from '../../resources/check/national-phone.ts';
import { columnsOf, fieldForHeader, kinds, normaliseHeader, ruleOf } from '../../resources/registry.ts';
import { isControlLine } from './control-line-template.ts';

const dateFormatAdvice = 'must be made of YYYY (or YY), MM and DD, once each, as in DD/MM/YYYY';

const phoneCountryAdvice = 'must be the two letters of a country, such as KE, or {"column": "Country"}';

const controlLineAdvice = 'must have words, and {rows} or {total}, as in Total {rows} {total}';

const derivationSchema = z
  .strictObject({ from: z.literal('institution_name') })
  .describe('Only for payee_type: a bank account or mobile money, by the institution that the row names.');

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
      .record(z.string().min(1), z.union([z.string().min(1), derivationSchema]))
      .optional()
      .describe("paybatch's column to the value of every row, for columns that the file does not have."),
    join: z
      .record(z.string().min(1), z.array(z.string().min(1)).min(2))
      .optional()
      .describe("paybatch's column to the file's columns whose values are joined by a space, in this order."),
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
      .regex(/^[^A-Za-z\d]*(?:(?:YYYY|YY|MM?|DD?)[^A-Za-z\d]*){3}$/, dateFormatAdvice)
      .refine(isDateFormat, dateFormatAdvice)
      .optional()
      .describe(
        'How dates are written, such as DD/MM/YYYY; D and M stand for one or two digits, YY for the latest year of these two digits that is not in the future.',
      ),
    decimal: z.enum(['.', ',']).optional().describe('The sign before the decimals of an amount.'),
    thousands: z
      .enum(['', ',', '.', ' ', "'"])
      .optional()
      .describe('The sign between groups of three digits of an amount; without it there may be none.'),
    currencySigns: z
      .enum(['refuse', 'accept'])
      .optional()
      .describe("Whether an amount may have a sign of its row's currency before or behind it: KSh 1500."),
    phoneCountry: z
      .union([
        z
          .string()
          .regex(/^[A-Z]{2}$/, phoneCountryAdvice)
          .refine(isPhoneCountry, phoneCountryAdvice),
        z.strictObject({
          column: z.string().min(1).describe("The file's column that has each row's country."),
        }),
      ])
      .optional()
      .describe('The country whose phone numbers stand in the file without + and country code.'),
    places: z
      .enum(['codes', 'names'])
      .optional()
      .describe(
        'Whether countries and states may be named; by default they may wherever there is a mapping.',
      ),
    leaveOut: z
      .boolean()
      .optional()
      .describe('Whether headings, subtotals and totals are left out, as by --leave-out-non-rows.'),
    lineBreaks: z
      .enum(['invalid', 'space'])
      .optional()
      .describe('What a line break or tab inside a value is: a finding, or a space.'),
    numericIdentifiers: z
      .union([
        z.enum(['refuse', 'accept']),
        z.record(z.string().min(1), z.union([z.literal('accept'), z.int().min(1).max(15)])),
      ])
      .optional()
      .describe(
        'Whether whole numbers of up to 15 digits in numeric cells may be taken as identifiers: in all columns, or by ' +
          "paybatch's column, where a number says how many digits each value has.",
      ),
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
    controlLine: z
      .string()
      .max(200)
      .refine(isControlLine, controlLineAdvice)
      .optional()
      .describe(
        'The line that says what the file holds, such as "Control: {rows} rows, {currency} {total}"; its cells are ' +
          'joined by blanks. It is no row, and nothing is sent unless it is there and right.',
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
  const { columns = {}, constants = {}, ignore = [], values = {}, join = {} } = mapping;
  if ((mapping.decimal ?? '.') === mapping.thousands) return 'gives the same sign for decimals and thousands';
  const fields = [columns, constants, join, values].flatMap((section) =>
    section === columns ? Object.values(columns) : Object.keys(section),
  );
  const stranger = [...fields, ...numericFieldsOf(mapping)].find((field) => !isColumnOfAnyKind(field));
  if (stranger !== undefined)
    return `names a column "${stranger}" that paybatch does not have${near(stranger)}`;
  const twice = [columns, constants, join, values].map((section) => repeated(Object.keys(section)));
  const repeatedName = twice.find((name) => name !== undefined);
  if (repeatedName !== undefined)
    return `names "${repeatedName}" twice, since case, spaces, hyphens and underscores do not count`;
  return (
    inTwoSections(Object.keys(columns), ignore, ['columns', 'ignore']) ??
    contradictionOfJoins(mapping) ??
    contradictionOfDerivation(mapping) ??
    numericFieldsOf(mapping)
      .filter((field) => !isIdentifier(field))
      .map((field) => `has "numericIdentifiers" for "${field}", which holds no identifiers`)[0]
  );
}

function inTwoSections(
  left: readonly string[],
  right: readonly string[],
  [leftName, rightName]: readonly [string, string],
): string | undefined {
  const both = left.find((title) => right.some((other) => isSameTitle(title, other)));
  return both === undefined ? undefined : `lists "${both}" under "${leftName}" and under "${rightName}"`;
}

function contradictionOfJoins({
  columns = {},
  constants = {},
  ignore = [],
  join = {},
}: MappingFile): string | undefined {
  const parts = Object.values(join).flat();
  const twice = repeated(parts);
  if (twice !== undefined) return `joins the column "${twice}" twice`;
  return (
    inTwoSections(parts, Object.keys(columns), ['join', 'columns']) ??
    inTwoSections(parts, ignore, ['join', 'ignore']) ??
    inTwoSections(Object.keys(join), Object.values(columns), ['join', 'columns']) ??
    inTwoSections(Object.keys(join), Object.keys(constants), ['join', 'constants'])
  );
}

function contradictionOfDerivation({ constants = {}, values = {} }: MappingFile): string | undefined {
  for (const [field, constant] of Object.entries(constants)) {
    if (typeof constant === 'string') continue;
    if (!isSameTitle(field, 'payee_type'))
      return `derives "${field}", but only payee_type follows from the institution`;
    const isTranslated = Object.keys(values).some((name) => isSameTitle(name, field));
    if (isTranslated) return 'derives payee_type from the institution, and translates it under "values" too';
  }
  return undefined;
}

function numericFieldsOf({ numericIdentifiers }: MappingFile): readonly string[] {
  return typeof numericIdentifiers === 'object' ? Object.keys(numericIdentifiers) : [];
}

function isIdentifier(name: string): boolean {
  return kinds.some((kind) => {
    const field = fieldForHeader(kind, name);
    const type = field === undefined ? undefined : ruleOf(kind, field)?.type;
    return type !== undefined && fieldTypes[type].isIdentifier;
  });
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
  const { numericIdentifiers = plainReadingRules.numericIdentifiers } = mapping;
  return {
    dateFormat: mapping.dateFormat ?? plainReadingRules.dateFormat,
    decimal: mapping.decimal ?? plainReadingRules.decimal,
    thousands: mapping.thousands ?? plainReadingRules.thousands,
    currencySigns: mapping.currencySigns ?? plainReadingRules.currencySigns,
    // A file that needs a mapping was made for people, who know places by their names.
    places: mapping.places ?? (isEmptyMapping(mapping) ? plainReadingRules.places : 'names'),
    lineBreaks: mapping.lineBreaks ?? plainReadingRules.lineBreaks,
    numericIdentifiers:
      typeof numericIdentifiers === 'string' ? numericIdentifiers : byOwnNames(numericIdentifiers),
  };
}

/** Which rows are meant, and what they add up to, says nothing of how values are written. */
function isEmptyMapping(mapping: MappingFile): boolean {
  const { $schema: _, leaveOut: __, controlLine: ___, ...meaning } = withoutExpectations(mapping);
  return Object.keys(meaning).length === 0;
}

/** Under the names that fields have with us, however the mapping writes them. */
function byOwnNames<Value>(declared: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(declared).map(([name, value]) => {
      const field = kinds.map((kind) => fieldForHeader(kind, name)).find((own) => own !== undefined);
      return [field ?? name, value];
    }),
  );
}
