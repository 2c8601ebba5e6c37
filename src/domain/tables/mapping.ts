/* The possible content of a mapping of columns and values, and a mapping that is stored for a header. */

import * as z from 'zod';
import type { Kind } from '../batches/batch.ts';

/** The repairs of a column's cells to which a person may agree. */
export const repairs = [
  'lost_zeros',
  'local_phone',
  'number_cells',
  'ditto',
  'value_above',
  'negative_in_brackets',
  'empty_words',
  'line_breaks',
  'amount_marks',
  'thousands_marks',
  'amounts_in_thousands',
  'amounts_in_millions',
  'amounts_in_cents',
  'numbers_as_shown',
  'zeros_in_front',
  'only_where_used',
  'other_digits',
  'text_marks',
  'phones_of_country',
  'old_phone_form',
  'country_prefix',
  'latin_letters',
  'iban_country',
  'label_beside',
  'digit_groups',
  'short_years',
  'day_signs',
  'first_phone',
] as const;

export type Repair = (typeof repairs)[number];

/** The parts of a person's name into which one column may be split. */
export const nameParts = ['first_name', 'middle_name', 'last_name'] as const;

export type NamePart = (typeof nameParts)[number];

/** The parts of an address into which one column may be split. */
export const addressParts = [
  'address_line1',
  'address_line2',
  'city',
  'state',
  'postal_code',
  'country',
] as const;

export type AddressPart = (typeof addressParts)[number];

/** Whether one column may be split into these fields: a name with its first and last part, or parts of an address. */
export function isSplit(fields: readonly string[]): boolean {
  const areAll = (parts: readonly string[]): boolean => fields.every((field) => parts.includes(field));
  const isName = areAll(nameParts) && fields.includes('first_name') && fields.includes('last_name');
  return fields.length > 1 && (isName || areAll(addressParts));
}

/** The part of a full name that comes first, if there is no comma that shows it. */
export type NameOrder = 'first_last' | 'last_first';

/** A person's statements about the cells of one column of the file. */
export interface CellTreatment {
  /** Words that mean an empty value, in the form that `foldWord` returns. */
  readonly empty?: ReadonlySet<string> | undefined;
  /** Words that look like words for an empty value but are values, in the form that `foldWord` returns. */
  readonly kept?: ReadonlySet<string> | undefined;
  /** Marks in this file that mean the value above, besides the usual ones, in the form that `foldWord` returns. */
  readonly marks?: ReadonlySet<string> | undefined;
  /** Words next to the numbers of an amount that mean only the row's currency, in the form that `foldWord` returns. */
  readonly units?: ReadonlySet<string> | undefined;
  readonly repairs?: ReadonlySet<Repair> | undefined;
  /** The form with check digits of the column's account numbers. */
  readonly accountForm?: string | undefined;
}

/** The form in which words of a file are compared with the words of a mapping. */
export function foldWord(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}

/** A part of a full name in one column. */
export interface NameSplit {
  readonly part: NamePart;
  readonly into: readonly NamePart[];
  readonly order: NameOrder;
}

/** A part of an address in one column. */
export interface AddressSplit {
  readonly part: AddressPart;
  readonly into: readonly AddressPart[];
}

/** The part of a column's divided values that no field takes. */
export const ignoredPart = 'ignore';

/** Fields that need a column of their own: their values are read for the whole table before its rows are checked. */
export const fieldsOfWholeCells: readonly string[] = ['amount', 'currency', 'payee_type', 'date_of_birth'];

/** A part of a cell that has several values with a sign between them, such as `323803081 / 0012345678`. */
export interface SignSplit {
  readonly part: string;
  /** The fields of all parts in the order of the cell; `ignoredPart` for a part that is not read. */
  readonly into: readonly string[];
  /** The sign as it is between two values. Any white space counts as one blank. */
  readonly at: string;
  /** The part that keeps the further signs of a cell that has more of them than needed. */
  readonly rest: 'first' | 'last';
}

/** A part of a cell that has a number and words beside it, in any order: `GTBank 0123456789`, `0123456789 (UBA)`. */
export interface NumberSplit {
  readonly part: string;
  /** Two fields, or one and `ignoredPart`. */
  readonly into: readonly string[];
  /** The one of them that has the number. */
  readonly number: string;
}

/** The source of one field's value: a column of the file, or a constant of the mapping. */
export interface MappedColumn extends CellTreatment {
  readonly field: string;
  /** The column's title in the file, for messages; for a constant, the field's own name. */
  readonly title: string;
  /** Index of the row's cell; null for a constant and for columns that are joined. */
  readonly index: number | null;
  readonly constant?: string;
  /** The columns whose cells are joined by a space, in this order. */
  readonly joined?: readonly ColumnPlace[];
  /** The part of the cell that is the value. Other columns with the same index have the other parts. */
  readonly split?: NameSplit | AddressSplit | SignSplit | NumberSplit;
  /** The field whose institution determines the value; only for `payee_type`. */
  readonly derivedFrom?: 'institution_name';
  /**
   * Translations of values: from the trimmed text in the file to the intended value. '' means empty; null means that the row
   * is refused.
   */
  readonly values?: ReadonlyMap<string, string | null> | undefined;
}

/** A column of the file. */
export interface ColumnPlace extends CellTreatment {
  readonly title: string;
  readonly index: number;
}

/** The country whose phone numbers are written without `+` and country code: one country for all rows, or a column. */
export type PhoneCountry = { readonly country: string } | ColumnPlace;

/** How the cells of one table become fields. Columns are in the order of the file, constants are last. */
export interface TableMapping {
  readonly kind: Kind;
  readonly columns: readonly MappedColumn[];
  /** Absent if phone numbers have to be international. */
  readonly phoneCountry?: PhoneCountry | undefined;
  /** Whether its cells are always text, as in CSV. Then a number in any cell may have lost its zeros. */
  readonly isTextOnly?: boolean;
  /** The length of all account numbers at each institution. It is collected only if a repair needs it. */
  readonly accountLengths?: ReadonlyMap<string, number>;
}

/**
 * Whether whole numbers of at most 15 digits in numeric cells may be read as identifiers: for all columns, or by field. For
 * a field, a number states how many digits each value has.
 */
export type NumericIdentifiers = 'refuse' | 'accept' | Readonly<Record<string, 'accept' | number>>;

/** How values are written in the file. Every deviation from the plain form has to be declared. */
export interface ReadingRules {
  /** For example `DD/MM/YYYY`; by default `YYYY-MM-DD`. */
  readonly dateFormat: string;
  /** Whether days may have other signs between their parts than the format; only for a column with different signs. */
  readonly anyDaySign?: boolean;
  readonly decimal: '.' | ',';
  readonly thousands: '' | ',' | '.' | ' ' | "'";
  /** Whether any other sign may be between groups of three digits too; only for a column with different signs. */
  readonly anyThousands?: boolean;
  /** The unit of amounts as a power of ten: 3 for thousands, -2 for cents. Absent for amounts in their currency. */
  readonly power?: number;
  /** Whether the row's currency sign may be before or after an amount. */
  readonly currencySigns: 'refuse' | 'accept';
  /** Whether countries and their subdivisions may be names or must be ISO codes. */
  readonly places: 'codes' | 'names';
  /** The meaning of a line break or tab inside a value. */
  readonly lineBreaks: 'invalid' | 'space';
  readonly numericIdentifiers: NumericIdentifiers;
}

export const plainReadingRules: ReadingRules = {
  dateFormat: 'YYYY-MM-DD',
  decimal: '.',
  thousands: '',
  currencySigns: 'refuse',
  places: 'codes',
  lineBreaks: 'invalid',
  numericIdentifiers: 'refuse',
};

/** A mapping for files with one header, to which a person has agreed. */
export interface RememberedMapping {
  /** The key of the header, see `headerKeyOf`. */
  readonly headerKey: string;
  readonly header: readonly string[];
  /** The name that the person chose. */
  readonly name: string;
  readonly kind: Kind;
  /** The JSON of the mapping file. */
  readonly mapping: string;
  /** The content hash of the file for which the person agreed to it. */
  readonly contentHash?: string | null;
  /** ISO 8601, UTC; absent before it is stored. */
  readonly rememberedAt?: string;
}

/** How exports with one header are read, according to a person. */
export interface RememberedExport {
  /** The key of the header, see `exportKeyOf`. */
  readonly headerKey: string;
  readonly header: readonly string[];
  readonly name: string;
  /** The JSON of the mapping file. */
  readonly mapping: string;
}

/** A stored reading of exports as the ledger lists it. */
export interface ListedExport extends RememberedExport {
  readonly rememberedAt: string;
}

/** A stored mapping as the ledger lists it. */
export interface ListedMapping extends RememberedMapping {
  readonly rememberedAt: string;
}

/* The open points of a proposed mapping, for imports and for exports of the other side. */

export const openPointsSchema = z
  .array(
    z.strictObject({
      about: z
        .string()
        .min(1)
        .describe('A column of the file, a field, or "reading" for the reading as a whole.'),
      why: z.string().min(1).describe('Why a person has to confirm it, as a sentence.'),
    }),
  )
  .describe(
    'What no person has confirmed yet. Nothing is sent or planned with a mapping that has any such point; to delete it is to confirm it.',
  );

/** A part of a proposed mapping that a person has to confirm. */
export type OpenPoint = z.infer<typeof openPointsSchema>[number];

/** The reason why a file is not sent under a mapping with open points; `place` is the file's name. */
export function openMappingText(place: string, points: readonly OpenPoint[]): string {
  return `${place}: No person has confirmed how it is read, so nothing of it is sent. Open in its mapping: ${openPointsText(points)}.`;
}

/** The open points in one line, for the refusal of a mapping. */
export function openPointsText(points: readonly OpenPoint[]): string {
  return points.map(({ about, why }) => `${about}: ${why.replace(/\.$/, '')}`).join('; ');
}

/** The parts of a mapping that have content: not undefined, not null, and not without entries. */
export function filled<Parts extends object>(
  parts: Parts,
): { readonly [Name in keyof Parts]?: NonNullable<Parts[Name]> } {
  const isFilled = (part: unknown): boolean =>
    typeof part === 'object' ? part !== null && Object.keys(part).length > 0 : part !== undefined;
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => isFilled(part))) as Parts;
}
