/* A table of a page as text: what its cells say without their markup, and the whole of it as CSV. */

import { inCurrency } from '../../domain/money/money.ts';
import { byteOrderMark, csvText } from '../files/csv-text.ts';
import type { Html, TableCell, TableSection } from './page.ts';

const characters: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** Where a line or a block ends. */
const breaks = /<br>|<span class="fault">|<\/(?:p|div|li)>/;

/** What is for readers of the page only: it says again which table a link is about. */
const hidden = /<span class="visually-hidden">[^<]*<\/span>/g;

/**
 * What markup of ours says to somebody who reads it. Only `html` makes markup, and it escapes what stands between tags and
 * in attributes: a tag ends at the first `>`. What stands in several lines is joined by semicolons.
 */
export function textOf({ text }: Html): string {
  return text
    .replace(hidden, '')
    .split(breaks)
    .map((line) => line.replace(/<[^>]*>/g, '').replace(/&(?:amp|lt|gt|quot|#39);/g, decoded))
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('; ');
}

function decoded(reference: string): string {
  return characters[reference] ?? '';
}

/** What a cell says. Numbers and amounts are written as programs read them. */
export function textOfCell(cell: TableCell): string {
  if (cell === null) return '';
  if (typeof cell === 'string') return cell;
  if (typeof cell === 'number') return String(cell);
  if ('amount' in cell) return inCurrency(cell.amount, cell.currency);
  return textOf(cell);
}

/** A table as CSV, with the titles of the page. A column without a title has buttons, and is left out. */
export function csvOfTable({ columns, rows }: Pick<TableSection, 'columns' | 'rows'>): string {
  const places = columns.flatMap((title, place) => (title === '' ? [] : [place]));
  const records = rows.map((row) => places.map((place) => textOfCell(row[place] ?? null)));
  return byteOrderMark + csvText([places.map((place) => columns[place] ?? ''), ...records]);
}
