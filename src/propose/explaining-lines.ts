/* Lines of a file that are no rows and explain what is marked in its rows, or what a value of a column means. */

import { noFillMark } from '../domain/tables/row-marks.ts';
import { isCalledTotal } from '../read/mapping/non-rows.ts';
import { explainsMarks, explainsValue } from '../read/rows/marked-words.ts';
import type { Column } from './evidence.ts';
import { cellText, type GridRow } from './grid.ts';
import type { Sheet } from './sheet.ts';

const mostCells = 3;
const mostExplanations = 5;
const longestShown = 150;

/** Lines that are no rows and explain marks: by their words, or because they are marked like that themselves. */
export function linesAboutMarks(sheet: Sheet, marks: ReadonlySet<string>): readonly string[] {
  const lines = besideRows(sheet).flatMap(({ row, text }) => {
    const looks = [...(row.look?.marks ?? []), ...(row.look?.partly ?? [])];
    const isLike = looks.some((mark) => mark !== noFillMark && marks.has(mark));
    return isLike || explainsMarks(text) ? [[...text].slice(0, longestShown).join('')] : [];
  });
  return [...new Set(lines)].slice(0, mostExplanations);
}

/** The lines that explain values of a column. */
export function linesAboutValues({ title, values }: Column, sheet: Sheet): readonly string[] {
  return besideRows(sheet)
    .map(({ text }) => text)
    .filter((text) => values.some((value) => explainsValue(text, title, value.text)))
    .map((text) => [...text].slice(0, longestShown).join(''))
    .slice(0, mostExplanations);
}

/** The lines of text that are no rows, totals and headers left out. */
function besideRows({
  grid,
  header,
  rows,
}: Sheet): readonly { readonly row: GridRow; readonly text: string }[] {
  const own = new Set([...rows.map(({ number }) => number), ...header]);
  return grid.rows.flatMap((row) => {
    if (own.has(row.number)) return [];
    const texts = row.cells.map((_, index) => cellText(row, index)).filter((text) => text !== '');
    const text = texts.join(' ');
    if (texts.length > mostCells || !/\p{L}/u.test(text) || isCalledTotal(texts[0] ?? '')) return [];
    return [{ row, text }];
  });
}
