/* The schema of a mapping file. */

import * as z from 'zod';
import { nameParts, openPointsSchema, type ReadingRules, repairs } from '../../domain/tables/mapping.ts';
import { rowMeanings } from '../../domain/tables/row-marks.ts';
import { type CellKind, unprotectCell } from '../../domain/tables/table.ts';
import { isAtMost } from '../../domain/text/characters.ts';
import { accountForms } from '../../kinds/fields/bank-numbers.ts';
import { isDateFormat } from '../../kinds/fields/field-types.ts';
import { isPhoneCountry } from '../../kinds/fields/phone.ts';
import { kinds, normaliseHeader } from '../../kinds/registry.ts';
import { optionally } from '../../kinds/rule-changes.ts';

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

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

const dateFormatAdvice =
  'must be made of YYYY (or YY), MM (MMM for a word) and DD, once each, as in DD/MM/YYYY';

const phoneCountryAdvice = 'must be the two letters of a country, such as KE, or {"column": "Country"}';

const longestControlLine = 200;
const controlLineAdvice = 'must have words, and {rows} or {total}, as in Total {rows} {total}';

const encodingAdvice = 'must be the name of an encoding, such as windows-1252';

const delimiterAdvice = 'must be one character, or \\t for a tab';

/** The last row that may be named as a header. */
const lastHeaderRow = 1000;

const headerRowsAdvice = 'must be the number of one row, or of two rows one below the other, as in [4, 5]';

/** JSON Schema counts characters; zod's own limit counts units of UTF-16. */
const textUpTo = (characters: number) =>
  z
    .string()
    .trim()
    .min(1)
    .refine((text) => isAtMost(text, characters), `has more than ${characters} characters`)
    .meta({ maxLength: characters });

const wordsSchema = z.array(textUpTo(100)).min(1);

const splitSchema = z
  .strictObject({
    into: z
      .array(z.enum(nameParts))
      .min(2)
      .max(3)
      .refine((parts) => new Set(parts).size === parts.length, 'names a part twice')
      .refine(
        (parts) => parts.includes('first_name') && parts.includes('last_name'),
        'must have first_name and last_name',
      ),
    order: z
      .enum(['first_last', 'last_first'])
      .describe('Which part comes first; a comma, as in "Surname, First", decides by itself.'),
  })
  .describe('Parts of a name; all of them together are the whole name.');

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
    columns: optionally(
      z.record(z.string().min(1), z.string().min(1)),
      "The file's column, as its header has it, to paybatch's column.",
    ),
    kind: optionally(
      z.enum(kinds),
      'What the rows are. As the setting kind, which wins; the same holds for the next four.',
    ),
    sheet: optionally(
      z.string().min(1).max(255),
      "The workbook's sheet that the mapping is for; the others are read as without it. As the setting sheet.",
    ),
    sheets: optionally(
      z.array(z.string().min(1).max(255)).min(2),
      "In place of sheet: the workbook's sheets with this header, each of which is read with this mapping.",
    ),
    leaveOutSheets: optionally(
      z.array(z.string().min(1).max(255)),
      "The workbook's sheets that a person has left out; others with rows in them are reported.",
    ),
    hidden: optionally(
      z.enum(['include', 'skip']),
      'Whether hidden rows are read like the others, or left out. As the setting hidden.',
    ),
    encoding: optionally(
      z.string().regex(/^[A-Za-z\d_:.-]{1,40}$/, encodingAdvice),
      'The encoding of a CSV file, such as windows-1252. As the setting encoding.',
    ),
    delimiter: optionally(
      z.string().regex(/^(?:.|\\t)$/u, delimiterAdvice),
      'The one character between the values of a CSV file. As the setting delimiter.',
    ),
    headerRows: optionally(
      z
        .array(z.int().min(1).max(lastHeaderRow))
        .min(1)
        .max(2)
        .refine(([upper, lower]) => lower === undefined || upper === lower - 1, headerRowsAdvice),
      'The row of the header as a spreadsheet program numbers it, or its two rows, whose titles are then joined: upper / lower.',
    ),
    constants: optionally(
      z.record(z.string().min(1), z.union([z.string().min(1), derivationSchema])),
      "paybatch's column to the value of every row, for columns that the file does not have.",
    ),
    join: optionally(
      z.record(z.string().min(1), z.array(z.string().min(1)).min(2)),
      "paybatch's column to the file's columns whose values are joined by a space, in this order.",
    ),
    split: optionally(
      z.record(z.string().min(1), splitSchema),
      "The file's column of full names to the parts of a name that it has.",
    ),
    ignore: optionally(
      z.array(z.string().min(1)),
      "The file's columns that are left out. One that the file does not have does no harm.",
    ),
    values: optionally(
      z.record(z.string().min(1), z.record(z.string(), z.string().nullable())),
      "paybatch's column to translations: the file's value to the value meant. An empty one stands for nothing; " +
        'null refuses the rows with that value. A value that is there exactly counts first, then one that is the ' +
        'same without regard to case and spaces.',
    ),
    empty: optionally(
      z.union([wordsSchema, z.record(z.string().min(1), wordsSchema)]),
      "Words that stand for nothing, such as N/A, without regard to case: in all columns, or by the file's column.",
    ),
    kept: optionally(
      z.record(z.string().min(1), wordsSchema),
      "The file's column to words that look like words for nothing, and that a person has said to be values. It " +
        'changes no row; no file is stopped for these words.',
    ),
    dittoMarks: optionally(
      z.record(z.string().min(1), wordsSchema),
      "The file's column to marks that stand for the value above, besides the usual ones; with the repair ditto.",
    ),
    units: optionally(
      z.record(z.string().min(1), wordsSchema),
      "The file's column of amounts to words beside its numbers that mean nothing but the row's currency.",
    ),
    accountForms: optionally(
      z.record(z.string().min(1), z.enum(accountForms)),
      "The file's column of account numbers to the form with check digits that they have; others are refused.",
    ),
    acceptTotals: optionally(
      z
        .array(z.string().regex(/^(?:0|[1-9]\d*)(?:\.\d+)?$/, 'must be a plain decimal, such as 1234.50'))
        .min(1),
      'Totals of the file that are not the sum of its rows, where a person has said that the rows are right.',
    ),
    asked: optionally(
      z.record(z.string().min(1), z.array(z.string().min(1)).min(1)),
      "The file's column to codes of findings whose values a person has seen and called mistakes, or has had " +
        'repaired. The dialogue does not ask about them again. It changes no row.',
    ),
    repair: optionally(
      z.record(z.string().min(1), z.array(z.enum(repairs)).min(1)),
      "The file's column to what is mended in its cells, as a person has agreed to.",
    ),
    dateFormat: optionally(
      z
        .string()
        .regex(/^[^A-Za-z\d]*(?:(?:YYYY|YY|M{1,3}|DD?)[^A-Za-z\d]*){3}$/, dateFormatAdvice)
        .refine(isDateFormat, dateFormatAdvice),
      'How dates are written, such as DD/MM/YYYY; D and M stand for one or two digits, MMM for the name of a month, YY for the latest year of these two digits that is not in the future.',
    ),
    decimal: optionally(z.enum(['.', ',']), 'The sign before the decimals of an amount.'),
    thousands: optionally(
      z.enum(['', ',', '.', ' ', "'"]),
      'The sign between groups of three digits of an amount; without it there may be none.',
    ),
    currencySigns: optionally(
      z.enum(['refuse', 'accept']),
      "Whether an amount may have a sign of its row's currency before or behind it: KSh 1500.",
    ),
    phoneCountry: optionally(
      z.union([
        z
          .string()
          .regex(/^[A-Z]{2}$/, phoneCountryAdvice)
          .refine(isPhoneCountry, phoneCountryAdvice),
        z.strictObject({
          column: z.string().min(1).describe("The file's column that has each row's country."),
        }),
      ]),
      'The country whose phone numbers stand in the file without + and country code.',
    ),
    places: optionally(
      z.enum(['codes', 'names']),
      'Whether countries and states may be named; by default they may wherever there is a mapping.',
    ),
    leaveOut: optionally(
      z.boolean(),
      'Whether headings, subtotals and totals are left out, as by the setting leaveOutNonRows.',
    ),
    markedRows: optionally(
      z.record(textUpTo(200), z.enum(rowMeanings)),
      'What becomes of rows that are set apart in a workbook, by their mark: "struck through", a fill such as ' +
        '"yellow FFFF00", a colour of the text such as "red text FF0000", "no fill". A line of the file that ' +
        'explains marks which no row has is named too, as "said: " and its text.',
    ),
    markedValues: optionally(
      z.record(z.string().min(1), z.record(z.string(), z.enum(rowMeanings))),
      "The file's column to its values (empty for an empty cell), and what becomes of the rows with each. `*` " +
        'stands for every other value; without it, rows with any other value are held.',
    ),
    lineBreaks: optionally(
      z.enum(['invalid', 'space']),
      'What a line break or tab inside a value is: a finding, or a space.',
    ),
    numericIdentifiers: optionally(
      z.union([
        z.enum(['refuse', 'accept']),
        z.record(z.string().min(1), z.union([z.literal('accept'), z.int().min(1).max(15)])),
      ]),
      'Whether whole numbers of up to 15 digits in numeric cells may be taken as identifiers: in all columns, or by ' +
        "paybatch's column, where a number says how many digits each value has.",
    ),
    expectRows: optionally(
      z.number().int().min(0),
      'How many rows there have to be; otherwise nothing is sent. As the setting expectRows.',
    ),
    expectTotal: optionally(
      z.record(z.string().regex(/^[A-Z]{3,10}$/), z.string().regex(/^(?:0|[1-9]\d{0,30})(?:\.\d{1,18})?$/)),
      'Currency to the sum of all amounts in it, such as "1234567.00"; otherwise nothing is sent. As the setting expectTotal.',
    ),
    controlLine: optionally(
      z
        .string()
        .refine(
          (line) => isAtMost(line, longestControlLine),
          `has more than ${longestControlLine} characters`,
        )
        .meta({ maxLength: longestControlLine })
        .refine(isControlLine, controlLineAdvice),
      'The line that says what the file holds, such as "Control: {rows} rows, {currency} {total}"; its cells are ' +
        'joined by blanks. It is no row, and nothing is sent unless it is there and right.',
    ),
    open: openPointsSchema.optional(),
  })
  .describe('How paybatch reads a file (the setting mapping).');

export type MappingFile = z.infer<typeof mappingFileSchema>;

/** Whether two titles name the same column of a file. */
export function isSameTitle(left: string, right: string): boolean {
  return normaliseHeader(left) === normaliseHeader(right);
}
