/* The check of a table's rows that is made from definitions: the look-ups that it needs, and its result for a row. */

import type { Kind } from '../domain/batches/batch.ts';
import type { InstitutionList } from '../domain/institution.ts';
import type { Finding, RowNote } from '../domain/rows/finding.ts';
import type { Cells } from '../domain/tables/table.ts';
import type { KnownObject, ResourceDefinition } from './definition.ts';

/** The requested objects that this ledger or the same import knows. */
export interface FoundObjects {
  readonly object: (kind: Kind, handle: string) => KnownObject | undefined;
  readonly customerById: (id: string) => KnownObject | undefined;
}

/**
 * The results of the look-ups for a row's check. They are complete for a whole group of rows before the check, so the check
 * is synchronous.
 */
export interface Lookups extends FoundObjects {
  readonly institutions: (country: string) => InstitutionList | undefined;
}

/** One row after its own check, before its references are looked up (`checkFields`) or afterwards (`checkReferences`). */
export interface CheckedRow {
  /** Null if the payee type is missing or unknown. */
  readonly definition: ResourceDefinition | null;
  /** The row's record, to which `checkReferences` adds values. */
  readonly record: Record<string, string>;
  /** In the order of the file's columns. Findings about several fields or rows are last. */
  readonly findings: readonly Finding[];
  readonly notes: readonly RowNote[];
  /** The form of the repaired cells in result files, by column; absent if there are none. */
  readonly mended?: ReadonlyMap<number, string>;
}

/** Whether a field of the row has a finding, so that its value is not used. */
export function hasFindingOn(row: CheckedRow, field: string): boolean {
  return row.findings.length > 0 && row.findings.some((finding) => finding.field === field);
}

/** Collects the look-ups that `checkReferences` needs for a group of rows. Repetitions are allowed. */
export interface NeededLookups {
  readonly object: (kind: Kind, handle: string) => void;
  readonly customerById: (id: string) => void;
  readonly institutions: (country: string) => void;
}

/** The check of one table's rows. It is made once for the table's header, so that each row costs little. */
export interface RowChecker {
  /** Takes the cells without the apostrophe with which result files protect a formula's sign. */
  readonly checkFields: (row: Cells) => CheckedRow;
  /** The cells of a row in the form for result files. If they are read again in the same way, they have the same meaning. */
  readonly keptCells: (row: Cells, checked: Pick<CheckedRow, 'findings' | 'mended'>) => readonly string[];
  /**
   * Lists the look-ups for a row. Some follow only from earlier results: an account belongs to a customer's id, and an
   * institution's country may be the customer's country. So rows for which this returns true are processed again, with the
   * objects that were found for them the first time.
   */
  readonly needs: (row: CheckedRow, needed: NeededLookups, found?: FoundObjects) => boolean;
  /**
   * Checks institutions, limits, customers and accounts. It writes the results into the row's record, and returns the row
   * with its findings. It works for rows with findings too, and omits repeated findings. It throws an error if the
   * institutions of a country that `needs` named were not looked up.
   */
  readonly checkReferences: (row: CheckedRow, lookups: Lookups) => CheckedRow;
  /**
   * Only if the mapping derives the payee type: returns the payee type from the row's institution. Rows are checked once
   * without it, looked up, and checked again with it. Undefined if there is not exactly one such payee type.
   */
  readonly payeeTypeOf?: (row: CheckedRow, lookups: Lookups) => string | undefined;
}
