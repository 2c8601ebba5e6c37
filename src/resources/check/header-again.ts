import type { TableMapping } from '../../domain/tables/mapping.ts';
import type { Cells } from '../../domain/tables/table.ts';
import { isNameOf, normaliseHeader } from '../registry.ts';

const fewestCells = 2;
/** Explanations below a title: `(as in the passport)`. */
const isBracketed = /^(?:\(.*\)|\[.*\])$/su;

/** A column of the file that is a field, or a part of one. */
interface NamedColumn {
  readonly index: number;
  readonly field: string;
  readonly plainTitle: string;
}

/**
 * Makes the check whether a row is the header once more, in the same or in other words: every value in it is the
 * name of its own column, in one of the languages in which we know it, or an explanation in brackets.
 */
export function createHeaderAgainCheck({ kind, columns }: TableMapping): (row: Cells) => boolean {
  const named = columns.flatMap(({ field, title, index, joined = [], split }): NamedColumn[] => [
    // Of a column that is split, one part stands for all.
    ...(index === null || (split !== undefined && split.part !== split.into[0])
      ? []
      : [{ field, index, plainTitle: normaliseHeader(title) }]),
    ...joined.map((part) => ({ field, index: part.index, plainTitle: normaliseHeader(part.title) })),
  ]);
  const isName = ({ field, plainTitle }: NamedColumn, text: string): boolean =>
    normaliseHeader(text) === plainTitle || isBracketed.test(text) || isNameOf(kind, field, text);
  return ({ cells }) => {
    let names = 0;
    for (const column of named) {
      const text = cells[column.index]?.trim() ?? '';
      if (text === '') continue;
      // Of nearly all rows, the first value says it.
      if (!isName(column, text)) return false;
      names += 1;
    }
    return names >= fewestCells;
  };
}
