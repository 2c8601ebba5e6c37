/* The question about totals of the file that are none of its rows. */

import type { DifferingTotal } from '../../read/rows/row-sums.ts';
import { acceptedTotals, type Decision, type Decisions, totalsId } from '../decisions.ts';
import type { Point } from '../questions/point.ts';
import type { TrialResult } from './reading-source.ts';

/**
 * The question whether the rows are right although totals differ. A row may be missing, so nothing is proposed.
 * @param rows the number of rows of the file
 */
export function totalsPoint(
  differing: readonly DifferingTotal[],
  rows: number,
  decisions: Decisions,
): Point | undefined {
  const [first, ...others] = differing;
  if (first === undefined || decisions.get(totalsId) === refuseFile) return undefined;
  return {
    id: totalsId,
    about: 'totals',
    rows,
    samples: differing.slice(0, samplesShown).map(({ row, total }) => `row ${row}: ${total}`),
    why: { code: 'total_differs', ...first, more: others.length },
    options: [
      { id: takeRows, label: 'the rows are right: import them, and leave the total out' },
      { id: refuseFile, label: 'a row is missing or wrong: refuse the file' },
    ],
    freeText: false,
    isNeeded: true,
    stage: 3,
    subject: { kind: 'reading', proposal: null },
  };
}

/** The decision in an answer: the totals that are accepted, or that the file is refused. */
export function totalsDecision(
  differing: readonly DifferingTotal[],
  before: Decisions,
  said: Decision,
): Decision {
  if (said !== takeRows) return refuseFile;
  return [...new Set([...acceptedTotals(before), ...differing.map(({ total }) => total)])];
}

/** The result for a person's decision: a file whose totals are right, and its rows are not, is refused. */
export function withTotalsDecided(result: TrialResult, decisions: Decisions): TrialResult {
  if (result.differing === undefined || decisions.get(totalsId) !== refuseFile) return result;
  const { pass, refused, left_out } = result.forecast;
  return { ...result, forecast: { pass: 0, refused: pass + refused, left_out } };
}

const takeRows = 'rows';
const refuseFile = 'refuse';
const samplesShown = 4;
