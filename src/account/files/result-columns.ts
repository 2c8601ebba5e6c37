/* The `result_` columns, and where they stand beside a row's own ones. */

import type { ResultRow } from '../../domain/rows/result-row.ts';
import { untouchedText } from '../words/wording.ts';

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

type ResultColumn = (typeof resultColumns)[number];

const cellOf: Readonly<Record<ResultColumn, (row: ResultRow, batch: string) => string>> = {
  result_row: ({ row }) => String(row),
  result_status: ({ status }) => status,
  result_id: ({ objectId }) => objectId ?? '',
  result_code: ({ code }) => code ?? '',
  result_field: ({ field }) => field ?? '',
  result_message: ({ message }) => message ?? '',
  result_http_status: ({ httpStatus }) => (httpStatus === null ? '' : String(httpStatus)),
  result_attempts: ({ attempts }) => String(attempts),
  result_idempotency_key: ({ idempotencyKey }) => idempotencyKey ?? '',
  result_batch: (_, batch) => batch,
  result_at: ({ changedAt }) => (isoUtc.test(changedAt) ? changedAt : new Date(changedAt).toISOString()),
  result_notes: ({ notes, status }) => {
    const untouched = untouchedText(status);
    if (notes.length === 0) return untouched ?? '';
    return [...notes, ...(untouched === null ? [] : [untouched])].join('; ');
  },
};
const cells = resultColumns.map((column) => cellOf[column]);

/** As the ledger writes it: to parse and format it again gives the same text at ten times the cost. */
const isoUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

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
    record: (row) => [
      ...kept.map((index) => row.cells[index] ?? ''),
      ...cells.map((cell) => cell(row, batch)),
      // A cell too many made its row invalid. Behind the result columns it moves nothing out of place,
      // and the row is refused again until a person has corrected it.
      ...row.cells.slice(header.length),
    ],
  };
}
