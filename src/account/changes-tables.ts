/* What changed since last time, as tables: payees before and after, and the file beside the last one. */

import { shortBatchId } from '../domain/batches/batch.ts';
import type { ChangesSummary } from '../domain/batches/batch-facts.ts';
import type { PayeeGroup, SeriesComparison } from '../domain/batches/series.ts';
import { countOf } from '../domain/money/figures.ts';
import type { PayeeChangeCode, ShownChange, ShownPayee } from '../domain/rows/payee-change.ts';
import { html } from './report/page.ts';
import { type DrawnCell, figure, type Line, secondOf, type Table } from './table/table.ts';
import { changesHeadlines, seriesSentences } from './words/wording.ts';

/** So many findings stand in a report; the file has all. */
export const mostChangesReported = 200;

/** None about payees where nothing changed, and none about the last file where there is none. */
export function changesTables(changes: ChangesSummary | null): readonly Table[] {
  if (changes === null) return [];
  const { counts, shown, series = null } = changes;
  return [...findingsTables({ counts, shown }), ...(series === null ? [] : [seriesTable(series)])];
}

function seriesTable(series: SeriesComparison): Table {
  const [introduction = ''] = seriesSentences(series);
  return {
    title: 'Beside the last file',
    introduction,
    columns: ['Payees', figure('Number'), 'Currency', figure('Rows'), figure('Sum')],
    rows: [...groupRows('new', series.fresh), ...groupRows('missing', series.missing)],
  };
}

/** A line for each currency; one without, where there are no amounts. */
function groupRows(name: string, { payees, sums }: PayeeGroup): readonly Line[] {
  if (sums.length === 0) return [[name, payees, null, null, null]];
  return sums.map(({ currency, rows, amount }, at) => [
    ...(at === 0 ? [name, payees] : [null, null]),
    ...[currency, rows, { amount, currency }],
  ]);
}

function findingsTables({ counts, shown }: Pick<ChangesSummary, 'counts' | 'shown'>): readonly Table[] {
  if (shown.length === 0) return [];
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const left = all - shown.length;
  const more = left === 0 ? '' : ` ${countOf(left, 'more finding')}: see the changes file.`;
  return [
    {
      title: 'What changed since last time',
      introduction: `${changesHeadlines(counts).join(' ')}${more}`,
      columns: ['Row', 'Finding', 'Before', 'After', 'Earlier'],
      rows: shown.map((change) => [
        String(change.row),
        { code: change.code },
        payeeCell(change.before, change.after),
        payeeCell(change.after, change.before),
        { sentence: earlierText(change) },
      ]),
    },
  ];
}

/** What differs from the other side stands out. */
function payeeCell(own: ShownPayee, other: ShownPayee): DrawnCell {
  const parts = [own.name, own.account, own.institution, own.customer];
  const others = [other.name, other.account, other.institution, other.customer];
  const lines = parts.flatMap((text, at) => {
    if (text === '') return [];
    return [text === others[at] ? html`${text}<br>` : html`<b>${text}</b><br>`];
  });
  return { text: parts.filter((text) => text !== '').join('; '), shown: html`${lines}` };
}

const used: Readonly<Record<PayeeChangeCode, readonly [string, string]>> = {
  payee_details_changed: ['still used in this file', 'not in this file'],
  account_shared: ['also in this file', 'not in this file'],
};

function earlierText({ code, earlier: { batch, file, row, createdAt }, isStillUsed }: ShownChange): string {
  if (batch === null) return `row ${row} of this file`;
  const [yes, no] = used[code];
  const parts = [
    `row ${row} of ${file}, batch ${shortBatchId(batch)}`,
    ...(createdAt === null ? [] : [`created ${secondOf(createdAt)}`]),
    ...(isStillUsed === null ? [] : [isStillUsed ? yes : no]),
  ];
  return parts.join('; ');
}
