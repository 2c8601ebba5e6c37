/* How a reading takes the lines and columns of its file, for a channel that shows the file beside the review. */

import { unsure } from './assignment.ts';
import type { QuestionSubject } from './decisions.ts';
import type { Grid } from './grid.ts';
import type { ProposedReading } from './reading-source.ts';

/**
 * How sure the use of a column is: its name and values leave no doubt, it is a guess, a person has decided it, or the column
 * is left out.
 */
export type Sureness = 'sure' | 'guess' | 'decided' | 'left_out';

/** A column, in the order of the review's columns. */
export interface SeenColumn {
  /** Its place in the lines of the file, from 0 on. */
  readonly index: number;
  readonly sureness: Sureness;
}

/** A question that follows the review. */
export type NextQuestion = { readonly about: string } & QuestionSubject;

/** A reading, as it takes the lines of its sheet. */
export interface SeenReading {
  readonly grid: Grid;
  /** The numbers of the lines that are the header. */
  readonly header: readonly number[];
  /** The numbers of the lines that are rows; every other line below the header is left out. */
  readonly rows: ReadonlySet<number>;
  readonly columns: readonly SeenColumn[];
  /** The questions that follow, as far as they are known, without those about single columns. Answers may lead to more. */
  readonly next: readonly NextQuestion[];
}

/** @param following the questions about the reading that follow the open one */
export function seenReading(
  { sheet, uses }: Pick<ProposedReading, 'sheet' | 'uses'>,
  following: readonly NextQuestion[],
): SeenReading {
  return {
    grid: sheet.grid,
    header: sheet.header,
    rows: new Set(sheet.rows.map(({ number }) => number)),
    columns: uses.map((use) => ({ index: use.column.index, sureness: surenessOf(use) })),
    next: following.filter(({ kind }) => kind !== 'column'),
  };
}

/** Values alone, a weak match, and a second column that matches as well are guesses. */
function surenessOf({ fields, evidence, rival, score }: ProposedReading['uses'][number]): Sureness {
  if (evidence === 'decided') return 'decided';
  if (fields.length === 0) return 'left_out';
  return rival !== undefined || evidence === 'values' || score < unsure ? 'guess' : 'sure';
}
