/* The question which of several columns with amounts is the one that is paid or collected. */

import { looksLikeAmount } from '../kinds/fields/amount.ts';
import type { Assignment, Use } from './assignment.ts';
import { type Column, isPlainNumbers, isRunning, plainShare, share } from './evidence.ts';
import type { Point, ReadingParts } from './point.ts';
import { reading } from './reading-point.ts';
import { isOtherThanPaid } from './title-words.ts';

/** The key of the decision on the column of the amount. */
const amountColumn = 'amount_column';

/** The share of amounts from which a column may be the amount. */
const mostAmounts = 0.9;
/** The least share of either way of writing in a column that people fill in. */
const leastMixed = 0.1;
const formula = /^=.*\d/;
const samplesShown = 3;

/**
 * The question where another column has as good a claim to be the amount. Nothing is proposed: what is taken by a hasty yes
 * would be paid.
 */
export function amountQuestion({ assignment }: Pick<ReadingParts, 'assignment'>): Point[] {
  const { uses } = assignment;
  const own = uses.find((use) => isUnsureAmount(use, assignment));
  if (own === undefined) return [];
  const columns = [...new Set([own.column, ...rivalsOf(own, assignment), ...otherAmounts(uses)])];
  return [
    reading(amountColumn, {
      about: amountColumn,
      rows: own.column.cells.length,
      proposal: null,
      options: columns.map((column) => ({ id: column.title, label: labelOf(column) })),
      why: { code: 'several_amounts' },
      isNeeded: true,
      stage: 2,
    }),
  ];
}

/** Whether a column is taken for the amount beside another one that may be it, and no person has said which it is. */
export function isUnsureAmount(use: Use, assignment: Assignment): boolean {
  return use.evidence !== 'decided' && use.fields.includes('amount') && rivalsOf(use, assignment).length > 0;
}

/**
 * Columns that may be the amount in place of this one. Beside plain numbers, such as the balances that a program wrote, a column
 * of numbers, units and formulas was filled in by people for this file, whatever its title.
 */
function rivalsOf({ column, rival }: Use, { uses, kind }: Assignment): readonly Column[] {
  const typed = isPlainNumbers(column)
    ? uses
        .filter(({ fields, column: other }) => fields.length === 0 && isTyped(other))
        .map((other) => other.column)
        .filter(({ title }) => !isOtherThanPaid(title, kind))
    : [];
  return [...(rival === undefined ? [] : [rival]), ...typed];
}

/** Whether some amounts are plain numbers, and others have a unit or are a formula. */
function isTyped(column: Column): boolean {
  const plain = plainShare(column);
  const amounts = share(column, (text) => looksLikeAmount(text) || formula.test(text));
  return amounts >= mostAmounts && plain >= leastMixed && plain <= 1 - leastMixed;
}

/** The columns with amounts that are read as no field. */
export function otherAmounts(uses: readonly Use[]): readonly Column[] {
  return uses
    .filter(({ fields, column }) => fields.length === 0 && column.cells.length > 0 && !isRunning(column))
    .map(({ column }) => column)
    .filter((column) => share(column, looksLikeAmount) >= mostAmounts);
}

function labelOf({ title, values }: Column): string {
  const samples = values.slice(0, samplesShown).map(({ text }) => text);
  return `"${title}": ${samples.join('; ')}`;
}
