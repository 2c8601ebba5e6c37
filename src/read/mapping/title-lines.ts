/*
 * A second line of titles right below the header, in a language whose names of columns are not known. Where columns have
 * days, amounts, phone numbers or addresses, it has words, each another one: no row of a file is like that.
 */

import { unprotectCell } from '../../domain/tables/table.ts';
import type { FieldType } from '../../kinds/definition.ts';

/** Values of these types have a digit, or the sign of an e-mail address. */
const figureTypes: ReadonlySet<FieldType> = new Set([
  ...(['account_number', 'us_account_number', 'routing_number', 'iban', 'phone', 'email'] as const),
  ...(['birth_date', 'amount', 'postal_code'] as const),
]);

/** With fewer of such columns, a row of a file may lack them all. */
const fewestFigures = 3;

const hasFigure = /[\p{N}@]/u;

/** Whether values of a type are never mere words. */
export function isFigureType(type: FieldType): boolean {
  return figureTypes.has(type);
}

/** Whether a value is more than words. */
export function isFigure(value: string): boolean {
  return hasFigure.test(value);
}

/**
 * Whether a line has a title for each column.
 * @param cells of the line below the header, as the file has them
 * @param named the columns that have a title, by index
 * @param figures those of them whose values are never mere words
 */
export function areTitles(
  cells: readonly string[],
  named: readonly number[],
  figures: readonly number[],
): boolean {
  if (figures.length < fewestFigures) return false;
  const texts = named.map((index) => unprotectCell(cells[index] ?? '').trim());
  return (
    texts.every((text) => /\p{L}/u.test(text) && !isFigure(text)) && new Set(texts).size === texts.length
  );
}
