/* The edited rows of a batch in the form of its failed file: each names its batch and row, and has the values of the draft. */

import { byteOrderMark, csvText } from '../../account/files/csv-text.ts';
import { resultLayout } from '../../account/files/result-columns.ts';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import type { DraftEdit } from '../../domain/rows/draft.ts';
import type { ResultRow } from '../../domain/rows/result-row.ts';

/** A row with the values of the draft in its cells. @param edits of that row */
export function withEdits(row: ResultRow, edits: readonly DraftEdit[]): ResultRow {
  if (edits.length === 0) return row;
  const cells = [...row.cells];
  for (const { place, after } of edits) {
    while (cells.length < place) cells.push('');
    cells[place] = after;
  }
  return { ...row, cells };
}

/** The text of a file with these rows. */
export function correctionText({ id, header }: BatchRecord, rows: readonly ResultRow[]): string {
  const layout = resultLayout(header, id);
  return byteOrderMark + csvText([layout.header, ...rows.map(layout.record)]);
}
