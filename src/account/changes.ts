/*
 * What changed since last time, as sentences and tables: payees before and after, and a file compared with the last
 * one.
 */

import { shortBatchId } from '../domain/batches/batch.ts';
import type { ChangesSummary } from '../domain/batches/batch-facts.ts';
import type { Drift, PayeeGroup, SeriesComparison } from '../domain/batches/last-time.ts';
import { countOf, groupedNumber } from '../domain/money/money.ts';
import type { PayeeChangeCode, PayeeChangeCounts, ShownChange, ShownPayee } from '../domain/rows/finding.ts';
import { printable } from '../domain/text/characters.ts';
import { driftSentence, driftText } from '../watch/drift/columns.ts';
import { html } from './report/page.ts';
import { type DrawnCell, figure, type Line, secondOf, type Table } from './table.ts';
import { sumsText } from './words/wording.ts';

/** What changed since last time, with one sentence for each kind of finding. */
export function changesHeadlines(counts: PayeeChangeCounts): string[] {
  const { payee_details_changed: changed = 0, account_shared: shared = 0 } = counts;
  const [pay, name] = [
    changed === 1 ? 'pays a known payee' : 'pay known payees',
    shared === 1 ? 'names an account' : 'name accounts',
  ];
  return [
    changed > 0 && `${countOf(changed, 'row')} ${pay} at another account.`,
    shared > 0 && `${countOf(shared, 'row')} ${name} of another payee.`,
  ].filter((sentence) => sentence !== false);
}

/**
 * How the columns of a file differ from those of the last file with its layout, with one sentence for each difference.
 */
export function driftSentences(drift: readonly Drift[]): string[] {
  return drift.map((each) => printable(`${driftText(each)}.`));
}

/** The comparison of a file with the last one of its series, in sentences. */
export function seriesSentences({ earlier, payees, fresh, missing }: SeriesComparison): string[] {
  const place = `${printable(earlier.file)} of ${earlier.createdAt.slice(0, 10)} (batch ${shortBatchId(earlier.batch)})`;
  const are = (count: number): string => (count === 1 ? 'is' : 'are');
  return [
    `Compared with ${place}: ${countOf(payees, 'payee')}, ${groupedNumber(earlier.payees)} there.`,
    fresh.payees === 0
      ? 'No payee is new.'
      : `${countOf(fresh.payees, 'payee')} ${are(fresh.payees)} new${sumsText(fresh)}.`,
    missing.payees === 0
      ? 'No payee of that file is missing.'
      : `${countOf(missing.payees, 'payee')} of that file ${are(missing.payees)} missing${sumsText(missing)}.`,
  ];
}

/** The maximum number of findings in a report. The changes file has all of them. */
export const mostChangesReported = 200;

/**
 * The tables of changes. There is no table about payees if nothing changed, and no table about the last file if there
 * is no last file.
 */
export function changesTables(changes: ChangesSummary | null): readonly Table[] {
  if (changes === null) return [];
  const { counts, shown, series = null } = changes;
  const drift = changes.drift ?? [];
  return [
    ...(drift.length === 0 ? [] : [driftTable(drift)]),
    ...findingsTables({ counts, shown }),
    ...(series === null ? [] : [seriesTable(series)]),
  ];
}

function driftTable(drift: readonly Drift[]): Table {
  return {
    title: 'Columns that differ from last time',
    columns: ['Column', 'Difference', 'Before', 'Now'],
    rows: drift.map((each) => [each.column, driftSentence(each), each.before, each.now]),
  };
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

/** A line for each currency, or one line without a currency if there are no amounts. */
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

/** The cell of a payee. Data that differ from the other side are bold. */
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
