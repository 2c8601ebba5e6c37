/*
 * The family of a batch: its first file, and the corrections and other readings of it. How the page of each names the
 * others, and the state of all.
 */

import { rowsToSend, sumNames } from '../../account/figures.ts';
import { type Html, html } from '../../account/report/page.ts';
import { figure } from '../../account/table.ts';
import { standingHeadline, statusLabel } from '../../account/words/wording.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import { correctedRows, withoutCorrected } from '../../domain/batches/batch-facts.ts';
import { countOf, groupedAmount, groupedNumber } from '../../domain/money/money.ts';
import { drawnCell, linkCell, type TableView, tableView } from './table.ts';

/** The name of a batch: its file, and of a correction that it is one, since it may have the same file's name. */
export function batchName({
  file,
  sheet,
  isCorrection,
}: {
  readonly file: string;
  readonly sheet: string | null;
  readonly isCorrection: boolean;
}): string {
  const name = sheet === null ? file : `${file}, sheet ${sheet}`;
  return isCorrection ? `Correction: ${name}` : name;
}

/** The name of a batch whose family is known. */
export function titleOf({
  id,
  file,
  sheet,
  family,
}: Pick<BatchAccount, 'id' | 'file' | 'sheet' | 'family'>): string {
  const isCorrection = family?.corrections.some((correction) => correction.id === id) ?? false;
  return batchName({ file, sheet, isCorrection });
}

/**
 * Where the rows of a batch went that another one corrects, or whose rows it corrects, with links; null without a family.
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

/** What of the rows of a first file still waits in its own batch. */
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

/** The sums of its rows by status; null if they have no amounts, or were not added up yet. */
function amounts({ kind, sums }: BatchAccount): string | null {
  if (sums === null || sums.length === 0) return null;
  const all = sums.map(
    ({ status, amount, currency }) => `${statusLabel(status)} ${groupedAmount(amount, currency)} ${currency}`,
  );
  const { note } = sumNames(kind);
  return `${all.join('; ')}${note === '' ? '' : ` (${note})`}`;
}
