/* Words and marks in a column that are no values. A person says whether they mean nothing, or the value above. */

import { foldWord } from '../../domain/tables/mapping.ts';
import type { FieldType } from '../../kinds/definition.ts';
import { isDittoMark } from '../../kinds/fields/cell-repairs.ts';
import { isEmptyWord, mayHoldFillers, mayStandForNothing } from '../../kinds/fields/empty-words.ts';
import { type Decisions, saidToMeanNothing } from '../decisions.ts';
import type { Column } from '../sheet/column.ts';

const mostFillers = 12;

/** The data with which the values of a column are compared. */
interface Beside {
  readonly field: string;
  readonly type: FieldType;
  /** All columns of the sheet. */
  readonly columns: readonly Column[];
  readonly decisions: Decisions;
}

/** The values of a column that may mean nothing, the most frequent first. */
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

/**
 * Whether a value has a question of its own, as marks for the value above have. If a person has said that a mark does
 * not mean the value above, it may mean nothing.
 */
function askedOtherwise(column: Column, decisions: Decisions): (text: string) => boolean {
  const marks = marksIn(column);
  const isDenied = decisions.get(`repair:${column.title}:ditto`) === 'no';
  return (text) => isMarkOf(marks, text) || (isDittoMark(text) && !isDenied);
}

function capitalShare({ cells }: Column): number {
  const capital = cells.filter(({ text }) => /\p{Lu}/u.test(text)).length;
  return cells.length === 0 ? 0 : capital / cells.length;
}

/**
 * The number of rows in which these columns have a word. If the word is folded, the case of the letters does not
 * matter.
 */
function rowsWith(columns: readonly Column[], word: string, isFolded: boolean): number {
  return columns
    .flatMap(({ values }) => values)
    .reduce((sum, { text, rows }) => ((isFolded ? text.toLowerCase() : text) === word ? sum + rows : sum), 0);
}

/*
 * Short marks such as `^^` that are repeated under filled cells. They may mean the value above, or nothing. Only a
 * person knows which. They are never values.
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
