/* The edited rows of a batch in the form of its failed file: each names its batch and row, and has the values of the draft. */

import type { BatchRecord } from '../../domain/batches/batch.ts';
import type { DraftEdit } from '../../domain/rows/draft.ts';
import type { ResultRow } from '../../domain/rows/result-row.ts';
import { byteOrderMark, csvText } from '../../output/files/csv-text.ts';
import { resultLayout } from '../../output/files/result-columns.ts';

/** Rows with the values of the draft in their cells. */
export function withEdits(rows: readonly ResultRow[], edits: readonly DraftEdit[]): readonly ResultRow[] {
  const byRow = new Map<number, DraftEdit[]>();
  for (const edit of edits) byRow.set(edit.row, [...(byRow.get(edit.row) ?? []), edit]);
  return rows.map((row) => {
    const own = byRow.get(row.row) ?? [];
    if (own.length === 0) return row;
    const cells = [...row.cells];
    for (const { place, after } of own) {
      while (cells.length < place) cells.push('');
      cells[place] = after;
    }
    return { ...row, cells };
  });
}

/** The text of a file with these rows. */
export function correctionText({ id, header }: BatchRecord, rows: readonly ResultRow[]): string {
  const layout = resultLayout(header, id);
  return byteOrderMark + csvText([layout.header, ...rows.map(layout.record)]);
}
