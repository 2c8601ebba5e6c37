/* What the checker says of rows as they are in a draft. Nothing is staged, and no findings are written. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivateFile } from '../../account/files/replacement-file.ts';
import type { CallContext } from '../../call/context.ts';
import { judgeInputTable } from '../../check/judging.ts';
import { openCheckAccess } from '../../check/judging-access.ts';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import type { ResultRow } from '../../domain/rows/result-row.ts';
import { type ResultStatus, resultStatus } from '../../domain/rows/row-state.ts';
import { temporaryFolder } from '../../read/file/source.ts';
import { withInputs } from '../with-inputs.ts';
import { correctionText } from './correction-file.ts';

/** What the checker says of a row as it is in the draft. */
export interface CheckedRow {
  readonly row: number;
  /** `not_sent` where it passes. */
  readonly status: ResultStatus;
  /** What is wrong with it; the column as the file calls it, empty where it is about the row as a whole. */
  readonly findings: readonly { readonly column: string; readonly code: string; readonly message: string }[];
}

/**
 * Checks rows as an import of their correction would.
 * @param rows with the values of the draft in their cells
 * @throws PaybatchError as a check of their file would
 */
export async function checkRows(
  app: CallContext,
  batch: BatchRecord,
  rows: readonly ResultRow[],
): Promise<ReadonlyMap<number, CheckedRow>> {
  const checked = new Map<number, CheckedRow>();
  if (rows.length === 0) return checked;
  const folder = await temporaryFolder();
  try {
    const path = join(folder, 'draft.csv');
    await writePrivateFile(path, correctionText(batch, rows));
    // Whoever is shown a page wants all findings, and is not asked anything.
    const controls = { ...app.settings.controls, maxInvalid: undefined };
    const silent = { ...app, report: () => {}, settings: { ...app.settings, controls } };
    await withInputs(silent, [path], async ({ inputTables }) => {
      const access = await openCheckAccess(silent);
      for (const inputTable of inputTables) {
        const judging = { ...access, onContradiction: () => {} };
        for await (const group of judgeInputTable(silent, judging, inputTable, access.references)) {
          for (const { corrects, state, findings, reason } of group) {
            if (corrects === undefined) continue;
            const own =
              findings.length > 0 || reason === null
                ? findings
                : [{ column: reason.field ?? '', code: reason.code, message: reason.message }];
            checked.set(corrects.row, {
              row: corrects.row,
              status: state === 'duplicate' ? 'not_sent' : resultStatus(state),
              findings: own.map(({ column, code, message }) => ({ column, code, message })),
            });
          }
        }
      }
    });
    return checked;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
