/*
 * Words in a column of names or other words that may stand for nothing: `none`, `x`, `wala`. Only a person knows whether
 * such a word is a value, so none is sent before a person has said so.
 */

import type { FieldType } from '../kinds/definition.ts';
import { isDittoMark } from '../kinds/fields/cell-repairs.ts';
import { isEmptyWord, mayHoldFillers, mayStandForNothing } from '../kinds/fields/value-text.ts';
import { type Decisions, saidToMeanNothing } from './decisions.ts';
import type { Column } from './evidence.ts';
import { isMarkOf, marksIn } from './marks.ts';

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
