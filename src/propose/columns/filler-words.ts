/* Words and marks in a column that are no values: a person says whether they stand for nothing, or for the value above. */

import { foldWord } from '../../domain/tables/mapping.ts';
import type { FieldType } from '../../kinds/definition.ts';
import { isDittoMark } from '../../kinds/fields/cell-repairs.ts';
import { isEmptyWord, mayHoldFillers, mayStandForNothing } from '../../kinds/fields/empty-words.ts';
import { type Decisions, saidToMeanNothing } from '../decisions.ts';
import type { Column } from '../sheet/column.ts';

const mostFillers = 12;

/** What the values of a column are compared with. */
interface Beside {
  readonly field: string;
  readonly type: FieldType;
  /** All columns of the sheet. */
  readonly columns: readonly Column[];
  readonly decisions: Decisions;
}

/** The values of a column that may stand for nothing, the most frequent first. */
export function fillersOf(
  column: Column,
  { field, type, columns, decisions }: Beside,
): readonly { readonly text: string; readonly rows: number }[] {
  if (!mayHoldFillers(type)) return [];
  const others = columns.filter((other) => other !== column);
  const beside = {
    field,
    said: saidToMeanNothing(decisions),
    capitals: capitalShare(column),
    elsewhere: (word: string, isFolded: boolean): number => rowsWith(others, word, isFolded),
  };
  const isAsked = askedOtherwise(column, decisions);
  return column.values
    .filter(({ text }) => !isEmptyWord(text, type) && !isAsked(text) && mayStandForNothing(text, beside))
    .slice(0, mostFillers);
}

/** Marks for the value above have a question of their own; one that a person has said is no such mark may be a filler. */
function askedOtherwise(column: Column, decisions: Decisions): (text: string) => boolean {
  const marks = marksIn(column);
  const isDenied = decisions.get(`repair:${column.title}:ditto`) === 'no';
  return (text) => isMarkOf(marks, text) || (isDittoMark(text) && !isDenied);
}

function capitalShare({ cells }: Column): number {
  const capital = cells.filter(({ text }) => /\p{Lu}/u.test(text)).length;
  return cells.length === 0 ? 0 : capital / cells.length;
}

/** The rows of columns that have a word, in any case where it is folded. */
function rowsWith(columns: readonly Column[], word: string, isFolded: boolean): number {
  return columns
    .flatMap(({ values }) => values)
    .reduce((sum, { text, rows }) => ((isFolded ? text.toLowerCase() : text) === word ? sum + rows : sum), 0);
}

/*
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
