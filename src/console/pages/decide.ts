/* The page on which a person decides about many rows at once: which they are, what they add up to, and the yes to exactly these. */

import type { Selection } from '../../domain/batches/selection.ts';
import type { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { type Verdict, verdicts } from '../../domain/rows/ledger-row.ts';
import type { RowFilter } from '../../domain/rows/row-search.ts';
import { type Html, html, section } from '../../output/report/page.ts';
import { figure } from '../../output/table/table.ts';
import { countOf, groupedNumber, reasonName } from '../../output/words/wording.ts';
import { type Frame, form, type Page } from './layout.ts';
import { inPageWords } from './setting-words.ts';
import { type Content, linkCell, tableView } from './table.ts';
import { verdictChoices, verdictName } from './verdicts.ts';

/** What the page of a decision shows. */
export interface DecidePage {
  /** As the address names it. */
  readonly batch: string;
  readonly where: string;
  /** Null while none is chosen. */
  readonly verdict: Verdict | null;
  /** The rows that meet the conditions; why there are none; null while nothing was asked for. */
  readonly found: Selection | PaybatchError | null;
}

/** The verdicts that can be given to many rows: an object's own id is given row by row. */
const verdictsForMany: readonly Verdict[] = verdicts.filter((verdict) => verdict !== 'created');

/** The page of a decision about many rows. */
export function decidePage(frame: Frame, page: DecidePage): Page {
  const { batch, where, verdict, found } = page;
  return {
    title: 'Decide about many rows',
    part: '/batches',
    content: [
      html`<p><a href="/batches/${batch}/rows?status=held">Back to the rows</a></p>`,
      section('Which rows, and what is true of them', choosing(page)),
      found === null || verdict === null
        ? null
        : 'hash' in found
          ? agreement(frame, batch, where, found)
          : html`<section class="problem" role="alert"><p class="headline">${inPageWords(found.message)}</p></section>`,
    ],
  };
}

function choosing({ batch, where, verdict }: DecidePage): Html {
  return html`<form method="get" action="/batches/${batch}/decide">
<div class="field"><label for="where">Rows</label>
<p class="hint" id="where-hint">The filter that you came from has filled it in. Other conditions are such as <code>status=held and code=key_expired</code>, or a column of the file: <code>"Bank name"=Equity</code>. Only rows that are held or in doubt are meant.</p>
<input id="where" name="where" value="${where}" required maxlength="1000" size="60" aria-describedby="where-hint"></div>
${verdictChoices(verdictsForMany, verdict)}
<div class="actions"><button class="second">Show these rows</button><span class="soft">Nothing is changed by looking.</span></div></form>`;
}

function agreement(frame: Frame, batch: string, where: string, selection: Selection): Content {
  const { hash, verdict, rows, sums, samples, sentRepeatedly } = selection;
  const amounts = tableView({
    title: 'Amounts',
    columns: ['Currency', figure('Rows'), figure('Amount')],
    rows: sums.map(({ currency, amount, rows: summed }) => [currency, summed, { amount, currency }]),
  });
  const shown = tableView({
    title: rows > samples.length ? `The first ${samples.length} of them` : 'They are',
    columns: ['Row', 'Status', 'Reason', 'Name', 'Amount', 'Reference', figure('Requests')],
    rows: samples.map(({ row, status, code, name, amount, reference, attempts }) => [
      linkCell(groupedNumber(row), `/batches/${batch}/rows/${row}`),
      { status },
      code === null ? null : reasonName(code),
      name,
      amount,
      reference,
      attempts,
    ]),
  });
  const repeatedly =
    sentRepeatedly === 0
      ? null
      : html`<p><b>${countOf(sentRepeatedly, 'row')} of them ${sentRepeatedly === 1 ? 'was' : 'were'} sent more than once.</b> What is said of them has to be true of all their requests.</p>`;
  const agree = section(
    `${verdictName(verdict)}: ${countOf(rows, 'row')}`,
    form(
      frame,
      `/batches/${batch}/decide`,
      html`<input type="hidden" name="where" value="${where}"><input type="hidden" name="verdict" value="${verdict}"><input type="hidden" name="selection" value="${hash}">
${repeatedly}<p>It is recorded for exactly these rows: if one of them changes before that, for none. Nothing is sent by it.</p>
<div class="field"><label for="note">Note: how do you know?</label><input id="note" name="note" required maxlength="500" size="60"></div>
<div class="actions"><button>Record it for ${countOf(rows, 'row')}</button><span class="soft">Selection <code>${hash}</code></span></div>`,
    ),
  );
  return [amounts, shown, agree];
}

/** The conditions of a verdict for the rows that a filter shows, as far as it can have them. */
export function whereOf({ status, code }: Pick<RowFilter, 'status' | 'code'>): string {
  return [
    ...(status === undefined ? [] : [`status=${status}`]),
    ...(code === undefined ? [] : [`code=${/^\w+$/.test(code) ? code : `"${code.replaceAll('"', '""')}"`}`]),
  ].join(' and ');
}
