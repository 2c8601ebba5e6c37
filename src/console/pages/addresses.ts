/* Addresses of pages with conditions, for links and forms. */

import type { RowFilter, RowPlace } from '../../domain/rows/search-terms.ts';

/** The value for findings about a whole row, since an empty field of a form is no condition. */
export const wholeRow = '-';

/** The address of the rows that match a filter. @param place the position of the page; the first one when null */
export function rowsAddress(
  batch: string,
  filter: RowFilter,
  place: RowPlace | null = null,
  name = 'rows',
): string {
  const query = queryOf(filter);
  if (place !== null) query.set(place.direction, String(place.row));
  const text = query.toString();
  return `/batches/${batch}/${name}${text === '' ? '' : `?${text}`}`;
}

/** A filter as the query of an address. */
export function queryOf({ status, code, column, text }: RowFilter): URLSearchParams {
  const query = new URLSearchParams();
  if (status !== undefined) query.set('status', status);
  if (code !== undefined) query.set('code', code);
  if (column !== undefined) query.set('column', column === '' ? wholeRow : column);
  if (text !== undefined) query.set('text', text);
  return query;
}
