/* Judges the rows of a table in groups, and stages them. */

import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { StagedRow } from '../domain/rows/ledger-row.ts';
import type { InvalidLimit } from '../domain/settings/definitions.ts';
import type { SourceRow, SourceTable } from '../domain/tables/table.ts';
import { placeOf } from '../read/mapping/table-mapping.ts';
import type { Validation } from './validation.ts';

/**
 * The rows of a table, judged group by group; what the whole file is refused for is thrown on the way.
 * @param validation for this table alone; it is ended with it
 * @param limit how many invalid rows a file may have; null for any number
 * @param counts which invalid rows count for the limit; all when absent
 */
export async function* judgeTable(
  table: SourceTable,
  { fileName, path }: { readonly fileName: string; readonly path: string },
  validation: Validation,
  limit: InvalidLimit | null,
  counts: (row: StagedRow) => boolean = () => true,
): AsyncGenerator<StagedRow[]> {
  const unnamed = table.header.flatMap((title, index) => (title === '' ? [index] : []));
  const place = placeOf(table, fileName);
  let rows = 0;
  let invalid = 0;
  try {
    for await (const group of table.rows()) {
      refuseUnnamedValues(group, unnamed, place);
      const judged = await validation.judge(group);
      rows += judged.length;
      invalid += judged.filter((row) => row.state === 'invalid' && counts(row)).length;
      if (limit !== null && 'rows' in limit && invalid > limit.rows) {
        throw tooManyInvalid({ place, path }, invalid, rows, limit);
      }
      yield judged;
    }
    const refusal = validation.refusal();
    if (refusal !== null) throw refusal;
  } finally {
    validation.end();
  }
  if (limit !== null && 'percent' in limit && invalid * 100 > limit.percent * rows) {
    throw tooManyInvalid({ place, path }, invalid, rows, limit);
  }
}

function refuseUnnamedValues(rows: readonly SourceRow[], unnamed: readonly number[], place: string): void {
  for (const index of unnamed) {
    const row = rows.find(({ cells }) => (cells[index] ?? '').trim() !== '');
    if (row === undefined) continue;
    throw new PaybatchError(
      'unnamed_column',
      `${place}: column ${index + 1} has no name in the header, but row ${row.number} has a value in it.`,
      'name the column, or empty it',
    );
  }
}

function tooManyInvalid(
  { place, path }: { readonly place: string; readonly path: string },
  invalid: number,
  rows: number,
  limit: InvalidLimit,
): PaybatchError {
  const allowed = 'rows' in limit ? String(limit.rows) : `${limit.percent}%`;
  return new PaybatchError(
    'too_many_invalid',
    `${place}: ${invalid} of the first ${rows} rows ${invalid === 1 ? 'is' : 'are'} invalid, and the setting maxInvalid allows ${allowed}.`,
    {
      action: 'validate',
      files: path === undefined ? [] : [path],
      asRead: true,
      effect: 'lists the findings',
    },
  );
}
