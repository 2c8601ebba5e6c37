/* The page where a batch is reconciled: with an export or a bank statement of the other side, or with nothing. */

import { type Html, html, section } from '../../account/report/page.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import { countOf } from '../../domain/money/figures.ts';
import { countOfDifferences } from '../under-way/difference-files.ts';
import type { KeptReconciliation } from '../under-way/reconciliations.ts';
import { type Frame, moment, type Page, uploadForm } from './layout.ts';

/** What the form shows. */
export interface ReconcilePage {
  readonly batch: BatchAccount;
  /** What was kept when a session ended, and is not done yet; null where nothing was. */
  readonly kept: KeptReconciliation | null;
  /** What was found before, the newest first. */
  readonly earlier: readonly KeptReconciliation[];
}

/** The form of a reconciliation. */
export function reconcilePage(frame: Frame, { batch, kept, earlier }: ReconcilePage): Page {
  const { id, file, counts } = batch;
  const { unknown = 0 } = counts;
  const { coversFrom = '', coversTo = '', replay: isReplayed = false } = kept?.fields ?? {};
  const replay =
    unknown === 0
      ? null
      : html`<label class="choice"><input type="checkbox" name="replay" value="yes"${isReplayed ? html` checked` : null}> <span>First send ${countOf(unknown, 'row')} in doubt again, under ${unknown === 1 ? 'its own key' : 'their own keys'}: the API answers as it did the first time, and creates nothing twice.${frame.mode === 'live' ? ' This is live.' : ''}</span></label>`;
  return {
    title: `Reconcile ${file}`,
    part: '/batches',
    content: [
      html`<section><h2>Account for every row</h2>
<p>Every row is counted in exactly one status, the file that was uploaded is read again, and every answer is compared with what was sent.</p>
${uploadForm(
  frame,
  `/batches/${id}/reconcile`,
  html`${kept === null ? null : keptFiles(kept)}<div class="field"><label for="files">${kept === null || kept.files.length === 0 ? 'An export of the provider or a bank statement, to compare with' : 'Other files in place of these'}</label>
<p class="hint" id="files-hint">CSV, a workbook, MT940 or camt.053; several files are read as one. Leave it empty to compare with ${kept === null || kept.files.length === 0 ? 'nothing' : 'these'}.</p>
<input type="file" id="files" name="files" multiple aria-describedby="files-hint"></div>
<div class="filter"><div><label for="from">It covers days from</label><input type="date" id="from" name="covers_from" value="${coversFrom}"></div>
<div><label for="to">to</label><input type="date" id="to" name="covers_to" value="${coversTo}"></div></div>
<p class="hint">Say these days if a row that the export lacks is to count as a difference. Without them such rows are not judged.</p>
${replay}
<p class="hint">Its columns are recognised by their names and values, or as was said before for the same header. What is not certain is not compared, and the result says so.</p>
<div class="actions"><button>Reconcile</button> <button class="second" name="do" value="mapping">First say how the export is read</button> <a class="button second" href="/batches/${id}">Back to the batch</a></div>`,
)}</section>`,
      earlier.length === 0 ? null : earlierOnes(earlier),
    ],
  };
}

/** The files that came before, when a session had ended or to say how they are read; nothing was done with them. */
function keptFiles({ id, files }: KeptReconciliation): Html {
  const names = files.length === 0 ? null : html` Your files: ${files.map(({ name }) => name).join(', ')}.`;
  return html`<input type="hidden" name="kept" value="${id}">
<p role="status"><b>What you sent is kept, and nothing was done yet.</b>${names}</p>
`;
}

function earlierOnes(earlier: readonly KeptReconciliation[]): Html {
  const items = earlier.map(({ id, at, by, batch, files, found }) => {
    const count = found === null ? 0 : countOfDifferences(found.index, null);
    const what = files.length === 0 ? 'alone' : `with ${files.map(({ name }) => name).join(', ')}`;
    return html`<li>${moment(at)}<div><a href="/batches/${batch}/reconcile/${id}">${count === 0 ? 'No difference' : countOf(count, 'difference')}</a> <span class="soft">${what}${by === null ? '' : `, by ${by}`}</span></div></li>`;
  });
  return section('Earlier ones', html`<ol class="events">${items}</ol>`);
}
