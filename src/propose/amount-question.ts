/* Which of several columns with amounts may be the one that is paid or collected. */

import { looksLikeAmount } from '../kinds/fields/amount.ts';
import type { Assignment, Use } from './assignment.ts';
import type { Decision } from './decisions.ts';
import {
  type Column,
  isPlainNumbers,
  isRunning,
  mayBeAmount,
  mostAmounts,
  plainShare,
  share,
} from './evidence.ts';
import type { ReadingParts } from './point.ts';
import { isOtherThanPaid } from './title-words.ts';

/** The least share of either way of writing in a column that people fill in. */
const leastMixed = 0.1;
const formula = /^=.*\d/;

/**
 * The columns that may be the amount in place of the one that is taken for it, as long as no person has said that it is; none for
 * another use, and where it is certain. After a person has said that another column is not the amount, what is left is only a
 * guess too.
 */
export function otherPossibleAmounts(
  use: Use,
  { assignment, decisions }: Pick<ReadingParts, 'assignment' | 'decisions'>,
): readonly Column[] {
  if (use.evidence === 'decided' || !use.fields.includes('amount')) return [];
  const denied = otherAmounts(assignment.uses).filter(({ title }) =>
    isDenied(decisions.get(`column:${title}`)),
  );
  const rivals = rivalsOf(use, assignment);
  return rivals.length === 0 && denied.length === 0
    ? []
    : [...new Set([...rivals, ...otherAmounts(assignment.uses)])];
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
    .filter(mayBeAmount);
}

/** Whether a person has said of a column that it is read as nothing. */
function isDenied(decision: Decision | undefined): boolean {
  return decision === null || decision === 'ignore';
}
