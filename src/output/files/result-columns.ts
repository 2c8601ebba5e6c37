import type { ResultRow } from '../../domain/result-row.ts';

/** The columns that follow a row's own ones in result files, in this order. */
export const resultColumns = [
  'result_row',
  'result_status',
  'result_id',
  'result_code',
  'result_field',
  'result_message',
  'result_http_status',
  'result_attempts',
  'result_idempotency_key',
  'result_batch',
  'result_at',
  'result_notes',
] as const;

export type ResultColumn = (typeof resultColumns)[number];

function resultValues(row: ResultRow, batch: string): Record<ResultColumn, string> {
  return {
    result_row: String(row.row),
    result_status: row.status,
    result_id: row.objectId ?? '',
    result_code: row.code ?? '',
    result_field: row.field ?? '',
    result_message: row.message ?? '',
    result_http_status: row.httpStatus === null ? '' : String(row.httpStatus),
    result_attempts: String(row.attempts),
    result_idempotency_key: row.idempotencyKey ?? '',
    result_batch: batch,
    result_at: new Date(row.changedAt).toISOString(),
    result_notes: row.notes.join('; '),
  };
}

/** Whether a title is one of the columns that result files add to a row's own ones. */
export function isResultColumn(title: string): boolean {
  return (resultColumns as readonly string[]).includes(title.trim().toLowerCase());
}

/** How one input's rows are laid out in its result files. */
export interface ResultLayout {
  readonly header: readonly string[];
  record(row: ResultRow): readonly string[];
}

/**
 * Own columns first, then the result columns. A failed file that is imported again brings result columns of
 * its own: they are replaced, and any other column, even one called `result_...`, stays.
 *
 * @param header the input's header cells, which the cells of its rows stand under
 */
export function resultLayout(header: readonly string[], batch: string): ResultLayout {
  const kept = header.flatMap((title, index) => (isResultColumn(title) ? [] : [index]));
  return {
    header: [...kept.map((index) => header[index] ?? ''), ...resultColumns],
    record: (row) => {
      const values = resultValues(row, batch);
      return [
        ...kept.map((index) => row.cells[index] ?? ''),
        ...resultColumns.map((column) => values[column]),
        // A cell too many made its row invalid. Behind the result columns it moves nothing out of place,
        // and the row is refused again until a person has corrected it.
        ...row.cells.slice(header.length),
      ];
    },
  };
}
