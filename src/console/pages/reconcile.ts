/* The page where a batch is reconciled: with an export or a bank statement of the other side, or with nothing. */

import type { BatchView } from '../../engine/status/batch-view.ts';
import { html } from '../../output/report/page.ts';
import { countOf } from '../../output/words/wording.ts';
import { type Frame, type Page, uploadForm } from './layout.ts';

/** The form of a reconciliation. */
export function reconcilePage(frame: Frame, { id, file, counts }: BatchView): Page {
  const { unknown = 0 } = counts;
  const replay =
    unknown === 0
      ? null
      : html`<label class="choice"><input type="checkbox" name="replay" value="yes"> <span>First send ${countOf(unknown, 'row')} in doubt again, under ${unknown === 1 ? 'its own key' : 'their own keys'}: the API answers as it did the first time, and creates nothing twice.${frame.mode === 'live' ? ' This is live.' : ''}</span></label>`;
  return {
    title: `Reconcile ${file}`,
    part: '/batches',
    content: html`<section><h2>Account for every row</h2>
<p>Every row is counted in exactly one status, the file that was uploaded is read again, and every answer is compared with what was sent.</p>
${uploadForm(
  frame,
  `/batches/${id}/reconcile`,
  html`<div class="field"><label for="files">An export of the provider or a bank statement, to compare with</label>
<p class="hint" id="files-hint">CSV, a workbook, MT940 or camt.053; several files are read as one. Leave it empty to compare with nothing.</p>
<input type="file" id="files" name="files" multiple aria-describedby="files-hint"></div>
<div class="filter"><div><label for="from">It covers days from</label><input type="date" id="from" name="covers_from"></div>
<div><label for="to">to</label><input type="date" id="to" name="covers_to"></div></div>
<p class="hint">Say these days if a row that the export lacks is to count as a difference. Without them such rows are not judged.</p>
${replay}
<div class="actions"><button>Reconcile</button> <a class="button second" href="/batches/${id}">Back to the batch</a></div>`,
)}</section>`,
  };
}
