import { foldWord } from '../domain/tables/mapping.ts';
import type { Column } from './evidence.ts';

/**
 * Short marks such as `^^` that are repeated under filled cells. They may stand for the value above, or for nothing,
 * which only a person knows. They are never values.
 */

const longestMark = 4;
const fewestMarks = 5;

/** The marks of a column, as the file writes them. */
export function marksIn({ cells, values }: Column): readonly string[] {
  const repeated = values.filter(
    ({ text, rows }) =>
      rows >= fewestMarks && [...text].length <= longestMark && !/[\p{L}\p{N}\p{Sc}+]/u.test(text),
  );
  if (repeated.length === 0) return [];
  const filled = new Map(cells.map(({ row, text }) => [row, text]));
  return repeated.flatMap(({ text }) => {
    const below = cells.filter((cell) => cell.text === text && filled.has(cell.row - 1));
    return below.length >= fewestMarks ? [text] : [];
  });
}

/** Whether a text is one of these marks. */
export function isMarkOf(marks: readonly string[], text: string): boolean {
  return marks.some((mark) => foldWord(mark) === foldWord(text));
}
