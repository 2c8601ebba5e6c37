/*
 * The top of a batch's page: its state as the title, the numbers of its rows, each of which is a filter, and their
 * sums. It also names the batch's family: its first file, and the corrections and other readings of that file. Long
 * names are cut in the middle.
 */

import { addedUp } from '../../account/batch-tables.ts';
import { rowsToSend, sumNames } from '../../account/figures.ts';
import { type Html, html } from '../../account/report/page.ts';
import { figure, swatch } from '../../account/table.ts';
import { inputName, standingHeadline, statusLabel } from '../../account/words/wording.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import { correctedRows, withoutCorrected } from '../../domain/batches/batch-facts.ts';
import { countOf, groupedAmount, groupedNumber } from '../../domain/money/money.ts';
import type { ResultStatus } from '../../domain/rows/row-state.ts';
import { barOf, drawnCell, linkCell, type TableView, tableView } from './table.ts';

/** The state of a batch in a few words, with the number of rows concerned. */
export function standingTitle(batch: Pick<BatchAccount, 'state' | 'counts' | 'repeats' | 'rows'>): string {
  const { state, counts, rows } = batch;
  const { created = 0, existing = 0, unknown = 0 } = counts;
  const { notSent } = rowsToSend(batch);
  const doubt = unknown === 0 ? '' : `, ${groupedNumber(unknown)} in doubt`;
  switch (state) {
    case 'running':
      return `Under way: ${countOf(rows, 'row')}`;
    case 'planned':
      return notSent === 0 ? 'Checked: no row to send' : `To be sent: ${partOf(notSent, rows)}${doubt}`;
    case 'unapproved':
      return `Waiting for approval: ${partOf(notSent, rows)}${doubt}`;
    case 'closed':
      return `Closed: ${created === 0 ? 'no row was sent' : `${partOf(created, rows)} sent`}${doubt}`;
    default:
      if (created === 0 && existing > 0 && existing === rows)
        return `Nothing to send: ${countOf(rows, 'row')} existed already`;
      if (created + unknown === 0) return `Nothing sent: ${countOf(rows, 'row')}`;
      return `Sent: ${partOf(created, rows)}${doubt}`;
  }
}

function partOf(part: number, all: number): string {
  return part === all ? countOf(all, 'row') : `${groupedNumber(part)} of ${countOf(all, 'row')}`;
}

/** The numbers in their order. The first four are shown even if they are 0. */
const numbers: readonly (readonly [ResultStatus, string])[] = [
  ['created', 'Sent'],
  ['not_sent', 'Not sent'],
  ['unknown', 'In doubt'],
  ['invalid', 'To correct'],
  ['rejected', 'Refused, to correct'],
  ['held', 'To decide'],
  ['waiting', 'Waiting'],
  ['existing', 'Existed already'],
];
const alwaysShown = 4;

/** The rows of a batch as a bar with numbers. Each number is a link to its rows. */
export function numbersOf(batch: BatchAccount): Html {
  const left = withoutCorrected(batch);
  const items = numbers.flatMap(([status, label], at) => {
    const rows = left[status] ?? 0;
    if (rows === 0 && at >= alwaysShown) return [];
    const inside = html`<b class="number">${groupedNumber(rows)}</b> <span>${swatch(status)}${label}</span>`;
    return [
      rows === 0
        ? html`<li class="none">${inside}</li>`
        : html`<li><a href="/batches/${batch.id}/rows?status=${status}">${inside}</a></li>`,
    ];
  });
  const moved = correctedRows(batch);
  const [only, ...others] = batch.family?.corrections ?? [];
  const address = only === undefined || others.length > 0 ? '#family' : `/batches/${only.id}`;
  const corrected = html`<li><a href="${address}"><b class="number">${groupedNumber(moved)}</b> <span>${swatch('existing')}Corrected in another batch</span></a></li>`;
  return html`${barOf(batch)}<ul class="numbers">${items}${moved === 0 ? null : corrected}</ul>
`;
}

/** The maximum number of currencies in the line of sums. The table of amounts has all of them. */
const currenciesShown = 6;

/**
 * The sums to be sent and already sent, by currency; null if no row has an amount, or if the amounts were not added up.
 */
export function sumsOf({ kind, sums }: Pick<BatchAccount, 'kind' | 'sums'>): Html | null {
  const { created, not_sent } = sumNames(kind);
  const lines = (
    [
      ['created', created],
      ['not_sent', not_sent],
    ] as const
  ).flatMap(([status, label]) => {
    const added = addedUp((sums ?? []).filter((sum) => sum.status === status));
    if (added.length === 0) return [];
    const more = added.length - currenciesShown;
    const amounts = added
      .slice(0, currenciesShown)
      .map(
        ({ amount, currency }) =>
          html`<dd class="number">${groupedAmount(amount, currency)} ${currency}</dd>`,
      );
    return [
      html`<div><dt>${label}</dt>${amounts}${more <= 0 ? null : html`<dd>and ${countOf(more, 'more currency', 'more currencies')}</dd>`}</div>`,
    ];
  });
  return lines.length === 0 ? null : html`<dl class="sums">${lines}</dl>`;
}

/** The maximum number of characters of a name. People recognise a name by its end too, such as its month and type. */
const longest = 56;
const endShown = 20;

/** A name. A long name is cut in the middle, and shown in full with the focus. */
export function cutName(name: string): Html {
  const letters = [...name];
  if (letters.length <= longest) return html`${name}`;
  const short = `${letters.slice(0, longest - endShown - 1).join('')}…${letters.slice(-endShown).join('')}`;
  return html`<span class="cut" tabindex="0"><span aria-hidden="true">${short}</span><span class="whole">${name}</span></span>`;
}

/* The family of a batch. */

/** The name of a batch: its file. A correction is marked as such, because it may have the same file name. */
export function batchName(
  batch: Pick<BatchAccount, 'file' | 'sheet'> & { readonly isCorrection: boolean },
): string {
  return batch.isCorrection ? `Correction: ${inputName(batch)}` : inputName(batch);
}

/** The name of a batch whose family is known. */
export function titleOf(batch: BatchAccount): string {
  const isCorrection = batch.family?.corrections.some(({ id }) => id === batch.id) ?? false;
  return batchName({ ...batch, isCorrection });
}

/**
 * A line with links about the family of a batch: which batch corrects its rows, or whose rows it corrects; null without
 * a family.
 * @param all the batches of its family, the first one at the beginning
 */
export function familyLine(batch: BatchAccount, all: readonly BatchAccount[]): Html | null {
  const { id, family } = batch;
  const [first] = all;
  if (family === null || first === undefined) return null;
  if (id === first.id) {
    const moved = correctedRows(batch);
    if (moved === 0) return null;
    const links = family.corrections.map(({ id: other, rows, doneRows }, at) => {
      return html`${at === 0 ? null : ', '}<a href="/batches/${other}">batch ${shortBatchId(other)}</a> (${doneRows === rows ? 'all' : `${groupedNumber(doneRows)} of ${groupedNumber(rows)}`} done)`;
    });
    return html`<p><b>${countOf(moved, 'row')} corrected in ${links}.</b></p>`;
  }
  const own = family.corrections.find((correction) => correction.id === id);
  const link = html`<a href="/batches/${first.id}">batch ${shortBatchId(first.id)}</a>`;
  return html`<p><b>Corrects ${countOf(own?.rows ?? batch.rows, 'row')} of ${link}</b>, ${titleOf(first)}. ${waitingText(first)}</p>`;
}

/** Says which rows of a first file still wait in the file's own batch. */
function waitingText(first: BatchAccount): string {
  if (first.closing !== null) return 'That batch is closed.';
  const { invalid = 0, rejected = 0 } = withoutCorrected(first);
  const { held = 0, unknown = 0, waiting = 0 } = first.counts;
  const parts = (
    [
      [rowsToSend(first).notSent, 'not sent'],
      [unknown, 'in doubt'],
      [invalid + rejected, 'to correct'],
      [held, 'to decide about'],
      [waiting, 'waiting'],
    ] as const
  ).flatMap(([rows, what]) => (rows === 0 ? [] : [`${groupedNumber(rows)} ${what}`]));
  if (parts.length === 0) return 'None of its other rows waits.';
  return `Of its ${countOf(first.rows, 'row')} still wait there: ${parts.join(', ')}.`;
}

/** The batches of a family as a table; empty for a batch without a family. @param all the oldest first */
export function familyTable({ id, family }: BatchAccount, all: readonly BatchAccount[]): TableView | null {
  if (family === null) return null;
  const { first, doneRows, corrections } = family;
  const left = corrections.length + 1 - all.length;
  return tableView({
    title: 'Family',
    isFolded: true,
    introduction: `${groupedNumber(doneRows)} of ${countOf(first.rows, 'row')} of the first file are created or existing, in whichever batch. Of a row and its corrections one is created, unless a person has another one sent besides.`,
    columns: ['Batch', 'What', 'File', 'Received', 'State', figure('Rows'), 'Standing', figure('Amounts')],
    rows: all.map((batch) => [
      batch.id === id
        ? drawnCell(html`${shortBatchId(id)} <b>(this one)</b>`, `${shortBatchId(id)} (this one)`)
        : linkCell(shortBatchId(batch.id), `/batches/${batch.id}`),
      batch.id === first.id ? 'the first file' : 'corrects rows of it',
      titleOf(batch),
      { time: batch.createdAt },
      batch.state,
      batch.rows,
      standingHeadline(batch, batch.closing !== null),
      amounts(batch),
    ]),
    below: left <= 0 ? null : html`<p class="second">${countOf(left, 'more correction')}.</p>`,
  });
}

/** The sums of the batch's rows by status; null if they have no amounts, or if these were not added up yet. */
function amounts({ kind, sums }: BatchAccount): string | null {
  if (sums === null || sums.length === 0) return null;
  const all = sums.map(
    ({ status, amount, currency }) => `${statusLabel(status)} ${groupedAmount(amount, currency)} ${currency}`,
  );
  const { note } = sumNames(kind);
  return `${all.join('; ')}${note === '' ? '' : ` (${note})`}`;
}
