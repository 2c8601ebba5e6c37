/* The family of a batch: the file that it began with, its corrections and other readings, and where each stands. */

import { html } from '../../account/report/page.ts';
import { figure } from '../../account/table/table.ts';
import { standingHeadline, statusLabel } from '../../account/words/wording.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import { countOf, groupedAmount, groupedNumber } from '../../domain/money/figures.ts';
import { drawnCell, linkCell, type TableView, tableView } from './table.ts';

/** The batches of a family as a table; nothing for a batch that has none. @param all the oldest first */
export function familyTable({ id, family }: BatchAccount, all: readonly BatchAccount[]): TableView | null {
  if (family === null) return null;
  const { first, doneRows, corrections } = family;
  const left = corrections.length + 1 - all.length;
  return tableView({
    title: 'Family',
    introduction: `${groupedNumber(doneRows)} of ${countOf(first.rows, 'row')} of the first file are created or existing, in whichever batch. Of a row and its corrections one is created, unless a person has another one sent besides.`,
    columns: ['Batch', 'What', 'File', 'Received', 'State', figure('Rows'), 'Standing', 'Amounts'],
    rows: all.map((batch) => [
      batch.id === id
        ? drawnCell(html`${shortBatchId(id)} <b>(this one)</b>`, `${shortBatchId(id)} (this one)`)
        : linkCell(shortBatchId(batch.id), `/batches/${batch.id}`),
      batch.id === first.id ? 'the first file' : 'corrects rows of it',
      batch.sheet === null ? batch.file : `${batch.file}, sheet ${batch.sheet}`,
      { time: batch.createdAt },
      batch.state,
      batch.rows,
      standingHeadline(batch.rows, batch.counts, batch.closing !== null),
      amounts(batch),
    ]),
    below: left <= 0 ? null : html`<p class="second">${countOf(left, 'more correction')}.</p>`,
  });
}

/** What its rows add up to by status; nothing where they have no amounts, or nobody has added them up yet. */
function amounts({ sums }: BatchAccount): string | null {
  if (sums === null || sums.length === 0) return null;
  return sums
    .map(
      ({ status, amount, currency }) =>
        `${statusLabel(status)} ${groupedAmount(amount, currency)} ${currency}`,
    )
    .join('; ');
}
