/* What a proposed reading leaves open: everything that a person has to confirm before rows are sent with it. */

import type { OpenPoint } from '../../domain/tables/mapping.ts';
import type { DifferingTotal } from '../../read/rows/row-sums.ts';
import { otherAmounts } from '../amount-question.ts';
import type { Use } from '../assignment.ts';
import type { Point } from '../point.ts';
import type { Reading } from '../propose.ts';
import { totalsPoint } from '../totals-point.ts';
import { reasonText } from './question-reason.ts';

const ofReading: OpenPoint = { about: 'reading', why: 'No person has looked at this reading yet.' };

/**
 * What a proposed mapping leaves open. The reading as a whole always is, until a person accepts the last review of the
 * dialogue.
 * @param points the undecided questions about the reading
 * @param differing totals of the file that are none of its rows
 */
export function openPointsOf(
  { uses, points }: Pick<Reading, 'uses' | 'points'>,
  differing: readonly DifferingTotal[] = [],
): readonly OpenPoint[] {
  const total = totalsPoint(differing, 0, new Map());
  return [
    ofReading,
    ...questionsOf(total === undefined ? points : [...points, total]),
    ...amountAmongSeveral(uses),
  ];
}

/** The same of a proposed mapping for an export. */
export function openPointsOfExport(points: readonly Point[]): readonly OpenPoint[] {
  return [ofReading, ...questionsOf(points)];
}

/** A harmless repair only reads what is there: it is open with the reading as a whole. */
function questionsOf(points: readonly Point[]): readonly OpenPoint[] {
  return points
    .filter(({ isNeeded, subject }) => isNeeded || subject.proposal === null)
    .map(({ about, why }) => ({ about, why: reasonText(why) }));
}

/** Of several columns with amounts, only a person knows which one is paid: the invoice's amount, or what is left of it. */
function amountAmongSeveral(uses: readonly Use[]): readonly OpenPoint[] {
  const amount = uses.find(({ fields }) => fields.includes('amount'))?.column;
  const others = otherAmounts(uses).map(({ title }) => `"${title}"`);
  if (amount === undefined || others.length === 0) return [];
  const [one, verb] = others.length === 1 ? ['column', 'has'] : ['columns', 'have'];
  return [{ about: amount.title, why: `The ${one} ${others.join(', ')} ${verb} amounts too.` }];
}
