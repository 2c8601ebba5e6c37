/* What a mapping of columns and values can contain, and a mapping that is remembered for a header. */

import * as z from 'zod';
import type { Kind } from '../batches/batch.ts';

/** What a person may agree to have repaired in a column's cells. */
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
] as const;

export type Repair = (typeof repairs)[number];

/** The parts of a person's name that one column may be split into. */
export const nameParts = ['first_name', 'middle_name', 'last_name'] as const;

export type NamePart = (typeof nameParts)[number];

/** Which part of a full name comes first, where no comma shows it. */
export type NameOrder = 'first_last' | 'last_first';

/** What a person has stated about the cells of one of the file's columns. */
export interface CellTreatment {
  /** Words that mean an empty value, as `foldWord` returns them. */
  readonly empty?: ReadonlySet<string> | undefined;
  /** Words that look like words for nothing and are values, as `foldWord` returns them. */
  readonly kept?: ReadonlySet<string> | undefined;
  /** Marks of this file that mean the value above, besides the usual ones, as `foldWord` returns them. */
  readonly marks?: ReadonlySet<string> | undefined;
  /** Words beside the numbers of an amount that mean nothing but the row's currency, as `foldWord` returns them. */
  readonly units?: ReadonlySet<string> | undefined;
  readonly repairs?: ReadonlySet<Repair> | undefined;
  /** The form with check digits that the column's account numbers have. */
  readonly accountForm?: string | undefined;
}

/** The form in which words of a file are compared with those that a mapping states. */
export function foldWord(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}

/** A part of a full name in one column. */
export interface SplitPart {
  readonly part: NamePart;
  readonly into: readonly NamePart[];
  readonly order: NameOrder;
}

/** Where one field's value comes from: a column of the file, or a constant of the mapping. */
export interface MappedColumn extends CellTreatment {
  readonly field: string;
  /** What the file calls it, for messages; for a constant, the field's own name. */
  readonly title: string;
  /** Index into the row's cells, or null for a constant and for columns that are joined. */
  readonly index: number | null;
  readonly constant?: string;
  /** The columns whose cells are joined by a space, in this order. */
  readonly joined?: readonly ColumnPlace[];
  /** The part of the cell's full name that is the value; the other parts are columns of the same index. */
  readonly split?: SplitPart;
  /** The field whose institution determines the value: only for `payee_type`. */
  readonly derivedFrom?: 'institution_name';
  /**
   * Value translations: text as found in the file, trimmed, to the intended value; '' for empty, null for a value that
   * refuses its row.
   */
  readonly values?: ReadonlyMap<string, string | null> | undefined;
}

/** A column of the file. */
export interface ColumnPlace extends CellTreatment {
  readonly title: string;
  readonly index: number;
}

/** The country whose phone numbers are written without `+` and country code: one for all rows, or a column's. */
export type PhoneCountry = { readonly country: string } | ColumnPlace;

/** How the cells of one table become fields. Columns are in the file's order, constants last. */
export interface TableMapping {
  readonly kind: Kind;
  readonly columns: readonly MappedColumn[];
  /** Absent where phone numbers have to be international. */
  readonly phoneCountry?: PhoneCountry | undefined;
  /** Whether its cells are always text, as in CSV, so that a number may have lost its zeros in any of them. */
  readonly isTextOnly?: boolean;
  /** The one length of account numbers at each institution; collected where a repair needs it. */
  readonly accountLengths?: ReadonlyMap<string, number>;
}

/**
 * Whether whole numbers of at most 15 digits in numeric cells may be read as identifiers: for all columns, or by
 * field, where a number states how many digits each value has.
 */
export type NumericIdentifiers = 'refuse' | 'accept' | Readonly<Record<string, 'accept' | number>>;

/** How values are written in the file; every departure from the plain form has to be declared. */
export interface ReadingRules {
  /** For example `DD/MM/YYYY`; `YYYY-MM-DD` when nothing is declared. */
  readonly dateFormat: string;
  readonly decimal: '.' | ',';
  readonly thousands: '' | ',' | '.' | ' ' | "'";
  /** Whether every other sign may stand between groups of three digits too; only for a column whose signs differ. */
  readonly anyThousands?: boolean;
  /** Whether an amount may have its row's currency sign before or after it. */
  readonly currencySigns: 'refuse' | 'accept';
  /** Whether countries and their subdivisions may be names, or must be ISO codes. */
  readonly places: 'codes' | 'names';
  /** What a line break or tab inside a value means. */
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

/** A mapping that a person has agreed to, for files of one header. */
export interface RememberedMapping {
  /** Identifies the header: see `headerKeyOf`. */
  readonly headerKey: string;
  readonly header: readonly string[];
  /** As the person named it. */
  readonly name: string;
  readonly kind: Kind;
  /** The mapping file's JSON. */
  readonly mapping: string;
  /** Of the file that it was agreed to for. */
  readonly contentHash?: string | null;
  /** ISO 8601, UTC; absent before it is remembered. */
  readonly rememberedAt?: string;
}

/** How a person has agreed that exports of one header are read. */
export interface RememberedExport {
  /** Identifies the header: see `exportKeyOf`. */
  readonly headerKey: string;
  readonly header: readonly string[];
  readonly name: string;
  /** The mapping file's JSON. */
  readonly mapping: string;
}

/** A remembered mapping as the ledger lists it. */
export interface ListedExport extends RememberedExport {
  readonly rememberedAt: string;
}

/** A remembered export reading as the ledger lists it. */
export interface ListedMapping extends RememberedMapping {
  readonly rememberedAt: string;
}

/* What a proposed mapping leaves open, for imports and for exports of the other side. */

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

/** Why a file is not sent under a mapping with open points; `place` is its name. */
export function openMappingText(place: string, points: readonly OpenPoint[]): string {
  return `${place}: No person has confirmed how it is read, so nothing of it is sent. Open in its mapping: ${openPointsText(points)}.`;
}

/** What is open, in one line, for the refusal of a mapping. */
export function openPointsText(points: readonly OpenPoint[]): string {
  return points.map(({ about, why }) => `${about}: ${why.replace(/\.$/, '')}`).join('; ');
}

/** The parts of a mapping that say something: none that is undefined or null, or has no entries. */
export function filled<Parts extends object>(
  parts: Parts,
): { readonly [Name in keyof Parts]?: NonNullable<Parts[Name]> } {
  const isFilled = (part: unknown): boolean =>
    typeof part === 'object' ? part !== null && Object.keys(part).length > 0 : part !== undefined;
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => isFilled(part))) as Parts;
}
