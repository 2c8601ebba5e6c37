import type { PlanGroup, PlanTotals } from '../../domain/batches/plan.ts';
import { countOf, groupedAmount, printable } from '../../output/words/wording.ts';

const shownDifferences = 6;

/**
 * What became different between a plan that was shown and today's, group by group, as one text. Rows may
 * have changed without changing any sum; then only the hash tells.
 */
export function planDifference(before: PlanTotals, now: PlanTotals): string {
  const old = new Map(before.send.map((group) => [nameOf(group), group]));
  const fresh = new Map(now.send.map((group) => [nameOf(group), group]));
  const changed = [...new Set([...old.keys(), ...fresh.keys()])].flatMap((name) => {
    const [was, is] = [measure(old.get(name)), measure(fresh.get(name))];
    return was === is ? [] : [`${printable(name)}: ${was}, now ${is}`];
  });
  if (changed.length === 0) return 'the counts and sums are the same, but the content of rows is not';
  const left = changed.length - shownDifferences;
  return [
    ...changed.slice(0, shownDifferences),
    ...(left > 0 ? [`and ${countOf(left, 'more group')}`] : []),
  ].join('; ');
}

function nameOf({ resource, institution, currency }: PlanGroup): string {
  return [resource, institution, currency].filter((part) => part !== null).join(' ');
}

function measure(group: PlanGroup | undefined): string {
  if (group === undefined) return 'none';
  const rows = countOf(group.rows, 'row');
  return group.amount === null ? rows : `${rows} with ${groupedAmount(group.amount, group.currency)}`;
}
