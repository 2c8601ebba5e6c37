import type { Kind } from './kind.ts';

/** Where one field's value comes from: a column of the file, or a constant of the mapping. */
export interface MappedColumn {
  readonly field: string;
  /** What the file calls it, for messages; for a constant, the field's own name. */
  readonly title: string;
  /** Index into the row's cells, or null for a constant. */
  readonly index: number | null;
  readonly constant?: string;
  /** Value translations: text as found in the file (compared trimmed, case-sensitive) to the value meant. */
  readonly values?: ReadonlyMap<string, string>;
}

/** How the cells of one table become fields. Columns stand in the file's order, constants last. */
export interface TableMapping {
  readonly kind: Kind;
  readonly columns: readonly MappedColumn[];
}

/** How values are written in the file; every departure from the plain form has to be declared. */
export interface ReadingRules {
  /** For example `DD/MM/YYYY`; `YYYY-MM-DD` when nothing is declared. */
  readonly dateFormat: string;
  readonly decimal: '.' | ',';
  readonly thousands: '' | ',' | '.' | ' ' | "'";
  /** What a line break or tab inside a value means. */
  readonly lineBreaks: 'invalid' | 'space';
  /** Whether whole numbers of at most 15 digits in numeric cells may be taken as identifiers. */
  readonly numericIdentifiers: 'refuse' | 'accept';
}

export const plainReadingRules: ReadingRules = {
  dateFormat: 'YYYY-MM-DD',
  decimal: '.',
  thousands: '',
  lineBreaks: 'invalid',
  numericIdentifiers: 'refuse',
};
