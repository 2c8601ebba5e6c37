/* What a picture of a batch shows: its rows over the time of a run, and its amounts beside those of last time. */

import { AmountSums } from '../money/money.ts';
import type { PlanGroup } from './account.ts';

/** The number of equal parts into which the time of a run is divided. */
export const partsOfTime = 30;

/** Rows that got a status in one part of a run's time. */
export interface SentOverTime {
  readonly status: 'created' | 'rejected' | 'unknown' | 'held' | 'waiting';
  /** Counts the parts from 1. */
  readonly part: number;
  readonly rows: number;
}

/** A run, and how its rows got their status. */
export interface RunOverTime {
  /** ISO 8601, UTC. */
  readonly from: string;
  readonly to: string;
  /** The number of equal parts of its time. */
  readonly parts: number;
  readonly rows: readonly SentOverTime[];
}

/** What would be paid at one institution in one currency, beside last time; exact decimals, null for nothing. */
export interface AmountBesideLast {
  readonly institution: string | null;
  readonly currency: string;
  readonly now: string | null;
  readonly before: string | null;
}

/** The amounts of two plans by institution and currency, in the order of the first one. */
export function amountsBesideLast(
  now: readonly PlanGroup[],
  before: readonly PlanGroup[],
): readonly AmountBesideLast[] {
  const [own, earlier] = [byInstitution(now), byInstitution(before)];
  return [...new Set([...own.keys(), ...earlier.keys()])].map((key) => {
    const [institution, currency] = JSON.parse(key) as [string | null, string];
    return { institution, currency, now: own.get(key) ?? null, before: earlier.get(key) ?? null };
  });
}

function byInstitution(groups: readonly PlanGroup[]): ReadonlyMap<string, string> {
  const sums = new AmountSums();
  for (const { institution, currency, amount, rowsWithAmount } of groups) {
    if (currency !== null && amount !== null)
      sums.add(JSON.stringify([institution, currency]), amount, rowsWithAmount);
  }
  return new Map(sums.result().map(({ currency: key, amount }) => [key, amount]));
}
