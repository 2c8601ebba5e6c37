/* The schema of a mapping file. */

import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { openPointsSchema, type ReadingRules, repairs } from '../../domain/tables/mapping.ts';
import { rowMeanings } from '../../domain/tables/row-marks.ts';
import { type CellKind, unprotectCell } from '../../domain/tables/table.ts';
import { escapePattern } from '../../domain/text/characters.ts';
import { accountForms } from '../../kinds/fields/bank-numbers.ts';
import { isDateFormat } from '../../kinds/fields/days.ts';
import { isPhoneCountry } from '../../kinds/fields/phone.ts';
import { kinds, normaliseHeader } from '../../kinds/registry.ts';
import { limited, optionally } from '../../kinds/rule-changes.ts';
import { splitSchema } from './split.ts';

/* Control lines that a mapping declares: recognised, and read. */

/** The figures of a control line; null for those that it does not contain. */
export interface ControlFigures {
  readonly rows: number | null;
  /** A plain decimal. */
  readonly total: string | null;
  /** The currency of the total. */
  readonly currency: string | null;
}

/** The parts of a line that decide whether it is a control line. */
interface ControlCells {
  readonly cells: readonly string[];
  readonly kinds?: ReadonlyMap<number, CellKind> | undefined;
}

const placeholder = /\{(rows|total|currency)\}/;
/** Numbers with thousands separators; their values are read separately. */
const patterns: Readonly<Record<string, string>> = {
  rows: "(?<rows>\\d{1,3}(?:[.,']\\d{3})+|\\d+)",
  total: "(?<total>\\d(?:[\\d.,' ]*\\d)?)",
  currency: '(?<currency>[A-Z]{3,10})',
};

/**
 * Whether a mapping may declare this as its control line: words, and {rows} or {total}, each placeholder at most
 * once.
 */
export function isControlLine(template: string): boolean {
  const parts = template.split(placeholder);
  const named = parts.filter((_, index) => index % 2 === 1);
  const words = parts.filter((_, index) => index % 2 === 0);
  return (
    (named.includes('rows') || named.includes('total')) &&
    new Set(named).size === named.length &&
    words.some((text) => /\p{L}/u.test(text)) &&
    words.every((text) => !/[{}]/.test(text))
  );
}

/** A line as one text: its filled cells with a blank between them. A numeric cell has the file's decimal sign. */
export function textOfLine(
  { cells, kinds }: ControlCells,
  { decimal }: Pick<ReadingRules, 'decimal'>,
): string {
  const texts = cells.map((cell, index) =>
    kinds?.get(index) === 'number' ? cell.replace('.', decimal) : unprotectCell(cell),
  );
  return plainSpaces(texts.join(' '));
}

/**
 * Creates the check whether a line is the declared control line.
 * @param template as `isControlLine` accepts it, such as `Control: {rows} rows, {currency} {total}`
 * @returns the line's figures; undefined for any other line
 */
export function createControlLineCheck(
  template: string,
  reading: Pick<ReadingRules, 'decimal'>,
): (line: ControlCells) => ControlFigures | undefined {
  const parts = plainSpaces(template).split(placeholder);
  const source = parts
    .map((part, index) => (index % 2 === 1 ? patterns[part] : escapePattern(part)))
    .join('');
  const pattern = new RegExp(`^${source}$`, 'iu');
  return (line) => {
    const groups = pattern.exec(textOfLine(line, reading))?.groups;
    if (groups === undefined) return undefined;
    const total = groups['total'] === undefined ? null : readTotal(groups['total'], reading);
    if (total === undefined) return undefined;
    const rows = groups['rows'] === undefined ? null : Number(groups['rows'].replace(/\D/g, ''));
    return { rows, total, currency: groups['currency']?.toUpperCase() ?? null };
  };
}

/**
 * Reads a sum as people write it below a column. The decimal sign is known, so any other sign between groups of three
 * digits is a thousands separator, even if the rows have none.
 * @returns a plain decimal; undefined for another form
 */
export function readTotal(text: string, { decimal }: Pick<ReadingRules, 'decimal'>): string | undefined {
  const sign = escapePattern(decimal);
  const groups = decimal === '.' ? "[,' ]" : "[.' ]";
  const form = new RegExp(`^(?:\\d{1,3}(?:${groups}\\d{3})+|\\d+)(?:${sign}\\d{1,18})?$`);
  if (!form.test(text)) return undefined;
  const [whole = '', fraction] = text.split(decimal);
  const digits = whole.replace(/\D/g, '').replace(/^0+(?=\d)/, '');
  return fraction === undefined ? digits : `${digits}.${fraction}`;
}

function plainSpaces(text: string): string {
  return text.normalize('NFC').replace(/\s+/gu, ' ').trim();
}

const dateFormatAdvice =
  'must be made of YYYY (or YY), MM (MMM for a word) and DD, once each, as in DD/MM/YYYY';

const phoneCountryAdvice = 'must be the two letters of a country, such as KE, or {"column": "Country"}';

const controlLineAdvice = 'must have words, and {rows} or {total}, as in Total {rows} {total}';

const encodingAdvice = 'must be the name of an encoding, such as windows-1252';

const delimiterAdvice = 'must be one character, or \\t for a tab';

/** The last row that may be named as a header. */
const lastHeaderRow = 1000;

const headerRowsAdvice = 'must be the number of one row, or of two rows one below the other, as in [4, 5]';

/** A name of a column, or another text that is not empty. */
const name = z.string().min(1);

const wordsSchema = z.array(limited(z.string().trim().min(1), 100)).min(1);

const derivationSchema = z
  .strictObject({ from: z.literal('institution_name') })
  .describe('Only for payee_type: a bank account or mobile money, by the institution that the row names.');

/** For each part of a mapping file what it means, in the file's JSON schema. */
export type MappingMeanings = Readonly<Record<string, string>>;

const meanings: MappingMeanings = JSON.parse(
  readFileSync(new URL('./mapping-meanings.json', import.meta.url), 'utf8'),
);

/** Parts that a mapping file may leave out, with their meanings. */
function withMeanings<Parts extends Readonly<Record<string, z.ZodType>>>(
  parts: Parts,
): { [Name in keyof Parts]: z.ZodOptional<Parts[Name]> } {
  const entries = Object.entries(parts).map(([name, part]) => [name, optionally(part, meanings[name] ?? '')]);
  return Object.fromEntries(entries);
}

/**
 * A mapping file: how to read a partner's file. Columns and ignored columns are named as the file names
 * them; constants and value translations by paybatch's own fields.
 */
export const mappingFileSchema = z
  .strictObject({
    $schema: z.string().optional(),
    ...withMeanings({
      columns: z.record(name, z.string().min(1)),
      kind: z.enum(kinds),
      sheet: z.string().min(1).max(255),
      sheets: z.array(z.string().min(1).max(255)).min(2),
      leaveOutSheets: z.array(z.string().min(1).max(255)),
      hidden: z.enum(['include', 'skip']),
      encoding: z.string().regex(/^[A-Za-z\d_:.-]{1,40}$/, encodingAdvice),
      delimiter: z.string().regex(/^(?:.|\\t)$/u, delimiterAdvice),
      headerRows: z
        .array(z.int().min(1).max(lastHeaderRow))
        .min(1)
        .max(2)
        .refine(([upper, lower]) => lower === undefined || upper === lower - 1, headerRowsAdvice),
      constants: z.record(name, z.union([z.string().min(1), derivationSchema])),
      join: z.record(name, z.array(name).min(2)),
      split: z.record(name, splitSchema),
      ignore: z.array(name),
      values: z.record(name, z.record(z.string(), z.string().nullable())),
      empty: z.union([wordsSchema, z.record(name, wordsSchema)]),
      kept: z.record(name, wordsSchema),
      dittoMarks: z.record(name, wordsSchema),
      units: z.record(name, wordsSchema),
      accountForms: z.record(name, z.enum(accountForms)),
      acceptTotals: z
        .array(z.string().regex(/^(?:0|[1-9]\d*)(?:\.\d+)?$/, 'must be a plain decimal, such as 1234.50'))
        .min(1),
      asked: z.record(name, z.array(name).min(1)),
      repair: z.record(name, z.array(z.enum(repairs)).min(1)),
      dateFormat: z
        .string()
        .regex(/^[^A-Za-z\d]*(?:(?:YYYY|YY|M{1,3}|DD?)[^A-Za-z\d]*){3}$/, dateFormatAdvice)
        .refine(isDateFormat, dateFormatAdvice),
      decimal: z.enum(['.', ',']),
      thousands: z.enum(['', ',', '.', ' ', "'"]),
      currencySigns: z.enum(['refuse', 'accept']),
      phoneCountry: z.union([
        z
          .string()
          .regex(/^[A-Z]{2}$/, phoneCountryAdvice)
          .refine(isPhoneCountry, phoneCountryAdvice),
        z.strictObject({
          column: z.string().min(1).describe("The file's column that has each row's country."),
        }),
      ]),
      places: z.enum(['codes', 'names']),
      leaveOut: z.boolean(),
      markedRows: z.record(limited(z.string().trim().min(1), 200), z.enum(rowMeanings)),
      markedValues: z.record(name, z.record(z.string(), z.enum(rowMeanings))),
      lineBreaks: z.enum(['invalid', 'space']),
      numericIdentifiers: z.union([
        z.enum(['refuse', 'accept']),
        z.record(name, z.union([z.literal('accept'), z.int().min(1).max(15)])),
      ]),
      expectRows: z.number().int().min(0),
      expectTotal: z.record(
        z.string().regex(/^[A-Z]{3,10}$/),
        z.string().regex(/^(?:0|[1-9]\d{0,30})(?:\.\d{1,18})?$/),
      ),
      controlLine: limited(z.string(), 200).refine(isControlLine, controlLineAdvice),
    }),
    open: openPointsSchema.optional(),
  })
  .describe('How paybatch reads a file (the setting mapping).');

export type MappingFile = z.infer<typeof mappingFileSchema>;

/** Whether two titles name the same column of a file. */
export function isSameTitle(left: string, right: string): boolean {
  return normaliseHeader(left) === normaliseHeader(right);
}

/** Whether one of a header's titles names that column. */
export function hasTitle(header: readonly string[], title: string): boolean {
  return placeOfTitle(header, title) !== -1;
}

/** The place of a column in a header; -1 where there is none. */
export function placeOfTitle(header: readonly string[], title: string): number {
  return header.findIndex((other) => isSameTitle(other, title));
}

/** What a part of a mapping says of a column. */
export function entryFor<Value>(
  title: string,
  section: Readonly<Record<string, Value>> = {},
): Value | undefined {
  return Object.entries(section).find(([other]) => isSameTitle(other, title))?.[1];
}
