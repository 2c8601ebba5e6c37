/* What is said of run logs that are damaged, or that another ledger writes to. */

import type { LogDamage } from '../../domain/batches/run-log.ts';
import { countOf } from '../../domain/money/figures.ts';

/** How many places of a log are named. */
const shownPlaces = 5;

/** What is wrong with a log, place by place: "line 412 was changed, and 3 lines are missing before line 500". */
export function damageText(damages: readonly LogDamage[]): string {
  const places = damages.slice(0, shownPlaces).map(placeText);
  const left = damages.length - places.length;
  const all = left > 0 ? [...places, `${countOf(left, 'more place')}`] : places;
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

/** Rows by number: "rows 3, 7 to 12 and 20 more". @param rows at least one, in order */
export function rowsText(rows: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const row of rows) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] + 1 === row) range[1] = row;
    else ranges.push([row, row]);
  }
  const shown = ranges.slice(0, shownRanges);
  const left = rows.length - shown.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const named = shown
    .map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`))
    .join(', ');
  return `${rows.length === 1 ? 'row' : 'rows'} ${named}${left > 0 ? ` and ${left} more` : ''}`;
}

const shownRanges = 10;

function placeText({ kind, from, to, hidden }: LogDamage): string {
  const [lines, are] = from === to ? [`line ${from}`, 'is'] : [`lines ${from} to ${to}`, 'are'];
  switch (kind) {
    case 'changed':
      return `${lines} ${from === to ? 'was' : 'were'} changed`;
    case 'unreadable':
      return `${lines} cannot be read`;
    case 'missing':
      return `${Number.isFinite(hidden) ? countOf(hidden, 'line') : 'lines'} before or at line ${from} ${hidden === 1 ? 'is' : 'are'} missing`;
    case 'moved':
      return `${lines} ${are} out of place`;
    case 'unlinked':
      return `${lines} ${are} without number and hash`;
    case 'cut': {
      const lacking = Number.isFinite(hidden) ? countOf(hidden, 'line') : 'lines';
      return `it ends after line ${from - 1} and lacks ${lacking} that its head names`;
    }
    case 'head':
      return 'its head file is damaged';
  }
}
