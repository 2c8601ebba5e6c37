/*
 * Small pictures of a batch, drawn as SVG: its rows over the time of a run, and its amounts beside last time. A table
 * shows the same data.
 */

import { type Html, html } from '../../account/report/page.ts';
import { figure, shrinking, type Table } from '../../account/table.ts';
import { statusLabel } from '../../account/words/wording.ts';
import {
  type AmountBesideLast,
  amountsBesideLast,
  type PlanTotals,
  type RunOverTime,
} from '../../domain/batches/account.ts';
import { type TableView, tableView } from './table.ts';

const statuses = ['created', 'rejected', 'unknown', 'held', 'waiting'] as const;

const secondInMs = 1_000;

/** The rows of a run by status, growing over its time; null if there are too few rows to draw. */
export function runPicture(run: RunOverTime | null): TableView | null {
  if (run === null || run.rows.length === 0) return null;
  const { parts } = run;
  const shown = statuses.filter((status) => run.rows.some((each) => each.status === status));
  const grown = new Map(shown.map((status) => [status, growing(run, status)]));
  const most = shown.reduce((sum, status) => sum + (grown.get(status)?.at(-1) ?? 0), 0);
  const lengthInMs = Date.parse(run.to) - Date.parse(run.from);
  const base = Array.from({ length: parts + 1 }, () => 0);
  const areas = shown.map((status) => {
    const rows = grown.get(status) ?? [];
    const below = [...base];
    for (const [at, count] of rows.entries()) base[at] = (base[at] ?? 0) + count;
    const point = (at: number, rowsHere: number): string =>
      `${((at / parts) * 100).toFixed(2)},${(30 - (rowsHere / most) * 30).toFixed(2)}`;
    const up = base.map((count, at) => point(at, count));
    const down = below.map((count, at) => point(at, count)).reverse();
    return html`<polygon class="${status}" points="${[...up, ...down].join(' ')}"/>`;
  });
  const picture = html`<svg class="bar picture" viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">${areas}</svg>
<p class="soft axis" aria-hidden="true"><span>0</span><span>${durationText(lengthInMs)}</span></p>`;
  const quarters = [1, 2, 3, 4].map((quarter) => Math.round((parts * quarter) / 4));
  return tableView({
    title: 'The last run over its time',
    isFolded: true,
    introduction: 'How many rows had which status by then.',
    columns: ['After', ...shown.map((status) => figure(statusLabel(status)))],
    rows: quarters.map((at) => [
      durationText((lengthInMs * at) / parts),
      ...shown.map((status) => grown.get(status)?.[at] ?? 0),
    ]),
    below: picture,
  });
}

/** The rows of a status at the end of each time interval, from 0. */
function growing({ parts, rows }: RunOverTime, status: (typeof statuses)[number]): number[] {
  let all = 0;
  return Array.from({ length: parts + 1 }, (_, part) => {
    for (const each of rows) if (each.status === status && each.part === part) all += each.rows;
    return all;
  });
}

function durationText(ms: number): string {
  const seconds = ms / secondInMs;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}

/** The maximum number of institutions in a picture. The table has all of them. */
const mostBars = 12;

/** The amounts of a plan by institution, beside those of the last file of its series; null if there is no last file. */
export function amountsPicture(
  totals: PlanTotals,
  last: { readonly file: string; readonly totals: PlanTotals } | null,
): TableView | null {
  if (last === null) return null;
  const all = amountsBesideLast(totals.send, last.totals.send);
  if (all.length === 0) return null;
  return tableView({ ...besideTable(all, last.file), below: bars(all) });
}

function besideTable(all: readonly AmountBesideLast[], file: string): Table {
  const amount = (value: string | null, currency: string): Table['rows'][number][number] =>
    value === null ? null : { amount: value, currency };
  return {
    title: 'Amounts beside last time',
    introduction: `Last time is what was planned of ${file}.`,
    columns: [shrinking('Institution'), 'Currency', figure('Last time'), figure('Now')],
    rows: all.map(({ institution, currency, now, before }) => [
      ...[institution ?? 'none', currency, amount(before, currency), amount(now, currency)],
    ]),
  };
}

/** Two bars for each institution, last time and now. Each currency has its own scale. */
function bars(all: readonly AmountBesideLast[]): Html {
  const most = new Map<string, number>();
  for (const { currency, now, before } of all)
    most.set(currency, Math.max(most.get(currency) ?? 0, Number(now ?? 0), Number(before ?? 0)));
  const drawn = all.slice(0, mostBars);
  const lines = drawn.map(({ institution, currency, now, before }, at) => {
    const width = (value: string | null): string => {
      const scale = most.get(currency) ?? 0;
      return (scale === 0 ? 0 : (Number(value ?? 0) / scale) * 100).toFixed(2);
    };
    const y = at * 10;
    return html`<g><title>${institution ?? 'none'}, ${currency}</title><rect class="before" x="0" y="${y}" width="${width(before)}" height="3.6"/><rect class="now" x="0" y="${y + 4}" width="${width(now)}" height="3.6"/></g>`;
  });
  const height = drawn.length * 10;
  return html`<figure class="beside" aria-hidden="true"><ol>${drawn.map(({ institution, currency }) => html`<li>${institution ?? currency}</li>`)}</ol><svg viewBox="0 0 100 ${height}" preserveAspectRatio="none">${lines}</svg>
<figcaption><span class="key before">last time</span> <span class="key now">now</span></figcaption></figure>`;
}
