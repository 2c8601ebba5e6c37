import type { BatchRecord } from '../../domain/batches/batch.ts';
import { unprotectCell } from '../../domain/tables/table.ts';
import type { RowChecker } from '../../resources/definition.ts';
import type { AccountedSource } from '../ports.ts';

/** A table that was opened as an import would open it. */
interface OpenedInputTable {
  readonly contentHash: string;
  readonly readingHash: string;
  readonly table: { readonly sheet: string | null; readonly rows: AccountedSource['rows'] };
}

/**
 * Whether a table is the one that a batch was imported from, read in the same way.
 * @returns null when it is, else a sentence that says why not
 */
export function sourceProblem(
  name: string,
  inputTable: OpenedInputTable | undefined,
  batch: Pick<BatchRecord, 'contentHash' | 'readingHash'>,
): string | null {
  if (inputTable === undefined || inputTable.contentHash !== batch.contentHash) {
    return `${name} is not the file that was imported: its content is another one.`;
  }
  if (inputTable.readingHash === batch.readingHash) return null;
  return 'it was imported with another mapping, delimiter or encoding: give the setting sourceMapping.';
}

/** The rows of a batch's source, with the amounts that validation reads out of them. */
export function accountedSource(
  inputTable: OpenedInputTable,
  checker: Pick<RowChecker, 'checkFields' | 'keptCells'>,
): AccountedSource {
  return {
    rows: inputTable.table.rows,
    read: (row) => {
      const cells = row.cells.map((cell, at) => (row.kinds?.has(at) ? cell : unprotectCell(cell)));
      const checked = checker.checkFields({ ...row, cells });
      const { amount, currency } = checked.record;
      return {
        sum: amount === undefined || currency === undefined ? null : { amount, currency },
        keptCells: checker.keptCells({ ...row, cells }, checked),
      };
    },
  };
}
