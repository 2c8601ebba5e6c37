/* The check of a table's rows that is made from definitions: the objects that it looks up, and its result for a row. */

import type { Kind } from '../domain/batches/batch.ts';
import type { InstitutionList } from '../domain/institution.ts';
import type { Finding, RowNote } from '../domain/rows/finding.ts';
import type { Cells } from '../domain/tables/table.ts';
import type { KnownObject, ResourceDefinition } from './definition.ts';

/** The objects that this ledger or the same import knows, among the requested ones. */
export interface FoundObjects {
  readonly object: (kind: Kind, handle: string) => KnownObject | undefined;
  readonly customerById: (id: string) => KnownObject | undefined;
}

/** The look-ups of a row's check; filled for a whole group of rows beforehand, so it is synchronous. */
export interface Lookups extends FoundObjects {
  readonly institutions: (country: string) => InstitutionList | undefined;
}

/** One row after its own check: before (`checkFields`) or after (`checkReferences`) its references were looked up. */
export interface CheckedRow {
  /** Null when the payee type is missing or unknown. */
  readonly definition: ResourceDefinition | null;
  /** The row's own: `checkReferences` fills it in. */
  readonly record: Record<string, string>;
  /** In the order of the file's columns; findings between fields and rows are last. */
  readonly findings: readonly Finding[];
  readonly notes: readonly RowNote[];
  /** How result files write the repaired cells, by column; absent where there are none. */
  readonly mended?: ReadonlyMap<number, string>;
}

/** Whether a field of the row has a finding, so that its value is not used. */
export function hasFindingOn(row: CheckedRow, field: string): boolean {
  return row.findings.length > 0 && row.findings.some((finding) => finding.field === field);
}

/** Collects the look-ups that `checkReferences` needs for a group of rows; repetitions are allowed. */
export interface NeededLookups {
  readonly object: (kind: Kind, handle: string) => void;
  readonly customerById: (id: string) => void;
  readonly institutions: (country: string) => void;
}

/** The check of one table's rows; made once for its header, so that each row costs little. */
export interface RowChecker {
  /** Takes the cells without the apostrophe by which result files guard a formula's sign. */
  readonly checkFields: (row: Cells) => CheckedRow;
  /** The cells of a row as result files have them: read again in the same way, they mean the same. */
  readonly keptCells: (row: Cells, checked: Pick<CheckedRow, 'findings' | 'mended'>) => readonly string[];
  /**
   * Lists the look-ups for a row. Some follow only from earlier results (an account belongs to a
   * customer's id, an institution's country may be the customer's), so rows for which this returns true are
   * processed again, with the objects that they named the first time.
   */
  readonly needs: (row: CheckedRow, needed: NeededLookups, found?: FoundObjects) => boolean;
  /**
   * Institutions, limits, customers and accounts; fills the results into the row's record, and returns the
   * row with its findings. Works for rows with findings too, and leaves out repeated findings. Throws
   * when the institutions of a country that `needs` named were not looked up.
   */
  readonly checkReferences: (row: CheckedRow, lookups: Lookups) => CheckedRow;
  /**
   * Only where the mapping derives the payee type: the payee type from the row's institution. Rows are
   * checked once without it, looked up, and checked again with it. Undefined where no single one follows.
   */
  readonly payeeTypeOf?: (row: CheckedRow, lookups: Lookups) => string | undefined;
}
