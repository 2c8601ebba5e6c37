import { stringify } from 'csv-stringify/sync';
import { protectCell } from '../../domain/formula-cell.ts';

export const byteOrderMark = '\uFEFF';

/** A file with a NUL in it is no text, and would be refused as a whole; U+FFFD makes its row invalid as before. */
function withoutNul(cell: string): string {
  return cell.includes('\0') ? cell.replaceAll('\0', '\uFFFD') : cell;
}

/**
 * Records as spreadsheet programs want them: commas, CRLF, quotes where they are needed, and no cell that
 * could be taken for a formula. The stringifier's own `escape_formulas` is not used: it guards four
 * full-width characters as well, which reading does not take off again, and does not guard a cell that
 * looks guarded already.
 */
export function csvText(records: readonly (readonly string[])[]): string {
  const guarded = records.map((record) => record.map((cell) => protectCell(withoutNul(cell))));
  return stringify(guarded, { record_delimiter: '\r\n', quote_record_delimiter: true });
}
